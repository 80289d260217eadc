//! Reports on a port of the loopback interface: `/metrics` in the text form of Prometheus, `/status` as JSON. And who asks for them.

use crate::config::{Refusal, input};
use crate::report::{Report, prometheus};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The port of the demo.
pub(crate) const PORT: u16 = 9464;
const PATIENCE: Duration = Duration::from_secs(2);
const LARGEST: u64 = 16 << 20;

/// Reports that are shown to whoever asks.
#[derive(Clone)]
pub(crate) struct Metrics {
    shown: Arc<Mutex<Vec<Report>>>,
    /// Where it listens.
    pub(crate) port: u16,
}

impl Metrics {
    /// Listens on a port of the loopback interface; 0 is any that is free.
    pub(crate) fn listen(port: u16) -> Result<Metrics, Refusal> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|error| input(format!("port {port} of the loopback interface: {error}; name another one")))?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        let metrics = Metrics { shown: Arc::new(Mutex::new(Vec::new())), port };
        let its = metrics.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who asks and goes away is no concern of ours.
                let _ = its.answer(stream);
            }
        });
        Ok(metrics)
    }

    /// From now on these are shown.
    pub(crate) fn show(&self, reports: Vec<Report>) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = reports;
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut asked = [0; 1024];
        let length = stream.read(&mut asked)?;
        let asked = String::from_utf8_lossy(&asked[..length]);
        let reports = self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (status, kind, body) = match asked.split_ascii_whitespace().nth(1) {
            Some("/metrics") => ("200 OK", "text/plain; version=0.0.4", prometheus(&reports)),
            Some("/status") => ("200 OK", "application/json", serde_json::to_string(&reports).unwrap_or_default()),
            _ => ("404 Not Found", "text/plain", "there are /metrics and /status\n".to_string()),
        };
        let length = body.len();
        let head = format!("HTTP/1.0 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())
    }
}

/// The reports that a process shows on a port.
pub(crate) fn fetch(port: u16) -> Result<Vec<Report>, Refusal> {
    let nobody = |error: std::io::Error| {
        input(format!(
            "port {port} of the loopback interface: {error}; allowed: the port of a running demo or process with metrics"
        ))
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(nobody)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(nobody)?;
    stream.write_all(b"GET /status HTTP/1.0\r\n\r\n").map_err(nobody)?;
    let mut answer = String::new();
    stream.take(LARGEST).read_to_string(&mut answer).map_err(nobody)?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).map_err(|_| input(format!("what listens on port {port} is no process of photocol")))
}
