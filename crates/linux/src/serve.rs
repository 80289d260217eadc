//! Reports on a port of the loopback interface: `/metrics` in the text form of Prometheus, `/status` as JSON. And who
//! asks for them.
//!
//! One thread serves all who ask, at most [`MOST`] at a time and each for at most [`PATIENCE`]. Of too many the one
//! that came first goes, so that
//! silent connections keep nobody out.

use crate::config::{Refusal, input};
use crate::forms::{json, prometheus};
use crate::report::Report;
use crate::sys::time::{self, Nanos};
use crate::sys::wait::{self, Wish};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The port of the demo.
pub(crate) const PORT: u16 = 9464;
/// Asking and answering take no longer than this in all.
const PATIENCE: Nanos = 5_000_000_000;
/// After a failure to accept, nobody is accepted for so long.
const PAUSE: Nanos = 100_000_000;
/// Clients at a time.
const MOST: usize = 64;
/// Bytes of a question.
const LONGEST_QUESTION: usize = 8192;
/// Bytes of an answer.
const LARGEST: usize = 16 << 20;

/// Reports that are shown to whoever asks.
#[derive(Clone)]
pub(crate) struct Metrics {
    shown: Arc<Mutex<Vec<Report>>>,
    /// Where it listens.
    pub(crate) port: u16,
}

/// One who asks.
struct Client {
    stream: TcpStream,
    until: Nanos,
    question: Vec<u8>,
    /// The answer, once all of the question is there, and how much of it has been sent.
    answer: Option<(Vec<u8>, usize)>,
}

impl Metrics {
    /// Listens on a port of the loopback interface; 0 is any that is free.
    pub(crate) fn listen(port: u16) -> Result<Metrics, Refusal> {
        let failed =
            |error: io::Error| input(format!("port {port} of the loopback interface: {error}; name another one"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        let metrics = Metrics { shown: Arc::new(Mutex::new(Vec::new())), port };
        let its = metrics.clone();
        std::thread::spawn(move || its.serve(&listener));
        Ok(metrics)
    }

    /// From now on these are shown.
    pub(crate) fn show(&self, reports: Vec<Report>) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = reports;
    }

    fn serve(&self, listener: &TcpListener) {
        let mut clients: VecDeque<Client> = VecDeque::new();
        loop {
            let wish = |client: &Client| if client.answer.is_some() { Wish::Write } else { Wish::Read };
            let mut files = vec![(listener.as_raw_fd(), Wish::Read)];
            files.extend(clients.iter().map(|client| (client.stream.as_raw_fd(), wish(client))));
            let until = clients.front().map_or(Nanos::MAX, |client| client.until);
            let Ok(ready) = wait::ready_for(&files, until) else { return };
            // Who asks and goes away is no concern of ours.
            let mut at = ready.iter().skip(1);
            let now = time::now();
            clients.retain_mut(|client| {
                let is_ready = at.next() == Some(&true);
                client.until > now && (!is_ready || client.advance(|question| self.answer(question)).unwrap_or(false))
            });
            if ready.first() == Some(&true) {
                accept(listener, &mut clients);
            }
        }
    }

    /// The whole answer to a question.
    fn answer(&self, question: &[u8]) -> Vec<u8> {
        let question = String::from_utf8_lossy(question);
        let now = time::now();
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let reports: Vec<Report> = shown.iter().map(|report| report.aged(now)).collect();
        drop(shown);
        let (status, kind, body) = match question.split_ascii_whitespace().nth(1) {
            Some("/metrics") => ("200 OK", "text/plain; version=0.0.4", prometheus(&reports)),
            Some("/status") => ("200 OK", "application/json", json(&reports)),
            _ => ("404 Not Found", "text/plain", "there are /metrics and /status\n".to_string()),
        };
        let length = body.len();
        let head = format!("HTTP/1.0 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        [head.into_bytes(), body.into_bytes()].concat()
    }
}

/// Accepts one who asks; of too many the first goes.
fn accept(listener: &TcpListener, clients: &mut VecDeque<Client>) {
    match listener.accept() {
        Ok((stream, _)) if stream.set_nonblocking(true).is_ok() => {
            if clients.len() == MOST {
                clients.pop_front();
            }
            clients.push_back(Client { stream, until: time::now() + PATIENCE, question: Vec::new(), answer: None });
        }
        Err(error) if error.kind() != ErrorKind::WouldBlock => {
            // No more files may be open, for instance: what is asked for is still there afterwards.
            let _ = time::sleep_until(time::now() + PAUSE);
        }
        _ => {}
    }
}

impl Client {
    /// Reads or writes what it can. Whether there is more to do.
    fn advance(&mut self, answer: impl FnOnce(&[u8]) -> Vec<u8>) -> io::Result<bool> {
        if self.answer.is_none() {
            if !self.has_asked()? {
                return Ok(true);
            }
            self.answer = Some((answer(&self.question), 0));
        }
        let Some((bytes, sent)) = &mut self.answer else { return Ok(true) };
        match self.stream.write(&bytes[*sent..]) {
            Ok(0) => return Ok(false),
            Ok(count) => *sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(*sent < bytes.len())
    }

    /// Whether all of its question has come: an empty line ends it, or its own end.
    fn has_asked(&mut self) -> io::Result<bool> {
        let mut piece = [0; 1024];
        let length = match self.stream.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            read => read?,
        };
        self.question.extend_from_slice(&piece[..length]);
        if self.question.len() > LONGEST_QUESTION {
            return Err(ErrorKind::InvalidData.into());
        }
        let ends = |end: &[u8]| self.question.windows(end.len()).any(|found| found == end);
        Ok(length == 0 || ends(b"\r\n\r\n") || ends(b"\n\n"))
    }
}

/// The reports that a process shows on a port.
pub(crate) fn fetch(port: u16) -> Result<Vec<Report>, Refusal> {
    let answer = ask(port).map_err(|error| {
        input(format!(
            "port {port} of the loopback interface: {error}; allowed: the port of a running demo or process with \
                metrics"
        ))
    })?;
    let answer = String::from_utf8_lossy(&answer);
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).map_err(|_| input(format!("what listens on port {port} is no process of photocol")))
}

/// The answer of whoever listens on a port, all of it within [`PATIENCE`].
fn ask(port: u16) -> io::Result<Vec<u8>> {
    let until = time::now() + PATIENCE;
    let left = || match until - time::now() {
        left if left > 0 => Ok(Duration::from_nanos(left as u64)),
        _ => Err(io::Error::new(ErrorKind::TimedOut, "no whole answer within 5 s")),
    };
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), left()?)?;
    stream.set_write_timeout(Some(left()?))?;
    stream.write_all(b"GET /status HTTP/1.0\r\n\r\n")?;
    let (mut answer, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        stream.set_read_timeout(Some(left()?))?;
        match stream.read(&mut piece) {
            Ok(0) => return Ok(answer),
            Ok(length) => answer.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                left()?;
            }
            Err(error) => return Err(error),
        }
        if answer.len() > LARGEST {
            return Err(io::Error::new(ErrorKind::InvalidData, format!("an answer of more than {LARGEST} bytes")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connected(port: u16) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(4))).unwrap();
        stream
    }

    fn status(mut stream: TcpStream) -> String {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap_or_default().to_string()
    }

    /// Each of the silent ones could keep the port for as long as it is borne, 5 s: in turn, 200 of them keep it for
    /// 1000 s.
    #[test]
    fn silent_connections_keep_nobody_out() {
        let metrics = Metrics::listen(0).unwrap();
        let _silent: Vec<TcpStream> = (0..200).map(|_| connected(metrics.port)).collect();
        let began = time::now();
        let mut stream = connected(metrics.port);
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
        assert_eq!(status(stream), "HTTP/1.0 200 OK");
        assert!(time::now() - began < 3_000_000_000);
    }

    #[test]
    fn a_question_in_two_segments_is_read_to_its_end() {
        let metrics = Metrics::listen(0).unwrap();
        let mut stream = connected(metrics.port);
        stream.set_nodelay(true).unwrap();
        stream.write_all(b"GET /met").unwrap();
        std::thread::sleep(Duration::from_millis(100));
        stream.write_all(b"rics HTTP/1.0\r\n\r\n").unwrap();
        assert_eq!(status(stream), "HTTP/1.0 200 OK");
    }

    #[test]
    fn an_answer_that_drips_is_given_up_in_time() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        let began = time::now();
        assert!(matches!(fetch(port), Err(Refusal::Input(why)) if why.contains("within 5 s")));
        assert!((PATIENCE..PATIENCE + 3_000_000_000).contains(&(time::now() - began)));
    }
}
