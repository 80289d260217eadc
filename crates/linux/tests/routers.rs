//! Edge nodes are routers: hosts of three networks behind three nodes reach one another through the star. Needs root.

use crate::demo::{self, Running, count, named};
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What these tests need, or why they are skipped.
fn lacks() -> Option<String> {
    let finds = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let root = Command::new("id").arg("-u").output().is_ok_and(|done| done.stdout == b"0\n");
    match () {
        _ if !root || !std::path::Path::new("/dev/net/tun").exists() => Some("root and /dev/net/tun".into()),
        _ => ["ip", "nsenter", "unshare", "iperf3"].iter().find(|program| !finds(program)).map(|it| format!("'{it}'")),
    }
}

/// A host in a network of its own, which goes with its process.
struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(process: u64, words: &str) -> String {
    let process = process.to_string();
    let mut command = Command::new("nsenter");
    let done = command.args(["-t", &process, "-n"]).args(words.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{words}: {said}{}", String::from_utf8_lossy(&done.stderr));
    said
}

/// A host with addresses 192.168.(10 + n).2 and fd00:(10 + n)::2 at node n, on a network that takes packets of 9000
/// bytes.
fn attach(node: u16, process: u64) -> Host {
    let host = Host(Command::new("unshare").args(["-n", "sleep", "300"]).spawn().unwrap());
    let (inside, network) = (u64::from(host.0.id()), 10 + node);
    // Its network is its own as soon as it sleeps.
    let own = |process: u64| std::fs::read_link(format!("/proc/{process}/ns/net")).unwrap();
    while own(inside) == own(u64::from(std::process::id())) {
        std::thread::sleep(Duration::from_millis(10));
    }
    run(process, &format!("ip link add lan0 mtu 9000 type veth peer name eth0 mtu 9000 netns {inside}"));
    for (of, device, last) in [(process, "lan0", 1), (inside, "eth0", 2)] {
        run(of, &format!("ip address add 192.168.{network}.{last}/24 dev {device}"));
        run(of, &format!("ip -6 address add fd00:{network}::{last}/64 dev {device} nodad"));
        run(of, &format!("ip link set {device} up"));
    }
    run(inside, &format!("ip route add default via 192.168.{network}.1"));
    run(inside, &format!("ip -6 route add default via fd00:{network}::1"));
    host
}

fn status(port: &str) -> Vec<Value> {
    let words = ["status", "--json", "--port", port];
    let done = Command::new(env!("CARGO_BIN_EXE_photocol-node")).args(words).output().unwrap();
    serde_json::from_slice(&done.stdout).unwrap_or_default()
}

/// A demo of three nodes, its port, and the processes of its nodes once all have joined.
fn routers() -> (Running, String, Vec<u64>) {
    let networks = (0..3)
        .flat_map(|node| [format!("{node}:192.168.{}.0/24", 10 + node), format!("{node}:fd00:{}::/64", 10 + node)]);
    let networks: Vec<String> = networks.flat_map(|network| ["--behind".to_string(), network]).collect();
    let options = [&["--slaves", "2"][..], &networks.iter().map(String::as_str).collect::<Vec<_>>()].concat();
    let (running, port) = Running::start_with_port(&options);
    let joined = |reports: &[Value]| {
        let nodes = (0..3).filter_map(|node| named(reports, &format!("node {node}")));
        nodes.filter(|node| node["part"] == "slave" || node["part"] == "master").count() == 3
    };
    running.until("three nodes have joined", || joined(&status(&port)));
    let reports = status(&port);
    let processes = (0..3).map(|node| named(&reports, &format!("node {node}")).unwrap()["process"].as_u64().unwrap());
    let processes = processes.collect();
    (running, port, processes)
}

/// iperf3 over TCP of the kernel. The hosts' networks take 9000 bytes and the star 1500: without "fragmentation needed"
/// and "packet too big" nothing of a full segment would come through.
#[test]
fn iperf3_runs_between_hosts_of_three_networks_over_ipv4_and_ipv6() {
    if let Some(what) = lacks() {
        return eprintln!("SKIP: hosts of networks behind edge nodes need {what}");
    }
    let (running, port, processes) = routers();
    let hosts: Vec<Host> = (0..3u16).zip(&processes).map(|(node, process)| attach(node, *process)).collect();
    let inside = |host: usize| u64::from(hosts[host].0.id());
    for (from, to, address) in [(0, 1, "192.168.11.2"), (1, 2, "fd00:12::2"), (2, 0, "192.168.10.2")] {
        let mut server = Command::new("nsenter");
        let server = server.args(["-t", &inside(to).to_string(), "-n", "iperf3", "-s", "-1"]).stdout(Stdio::null());
        let mut server = Host(server.spawn().unwrap());
        let listens = || run(inside(to), "ss -ltn").contains(":5201");
        running.until("iperf3 listens", listens);
        let said = run(inside(from), &format!("iperf3 -c {address} -t 3 -J"));
        let report: Value = serde_json::from_str(&said).unwrap();
        let received = report["end"]["sum_received"]["bytes"].as_f64().unwrap();
        // Six of ten slots of 1 ms carry data, 8000 B each: 14 MB in 3 s. A hundredth of that is still a connection.
        assert!(received >= 140_000.0, "{from} to {to}: {received} bytes");
        let mss = report["start"]["tcp_mss_default"].as_f64().unwrap();
        assert!(mss > 8000.0, "the hosts' networks take more than the star: {mss}");
        let _ = server.0.wait();
    }
    let probe = |address: &str| {
        let script =
            format!("import socket;socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b'x',('{address}',9))");
        let words = ["-t", &inside(0).to_string(), "-n", "python3", "-c", &script].map(str::to_string);
        assert!(Command::new("nsenter").args(words).status().unwrap().success());
    };
    // 10.99.0.255 is no node's.
    let before = count(named(&status(&port), "node 0").unwrap(), "packets_without_route");
    (0..5).for_each(|_| probe("10.99.0.254"));
    running.until("packets without a route are counted", || {
        named(&status(&port), "node 0").is_some_and(|node| count(node, "packets_without_route") >= before + 5)
    });
    let reports = running.end();
    for node in ["node 0", "node 1", "node 2"] {
        let node = named(&reports, node).unwrap();
        assert!(count(node, "packets_taken") > 100 && count(node, "packets_delivered") > 100, "{node}");
    }
}

#[test]
fn networks_that_overlap_or_have_no_node_are_refused() {
    let refused = |options: &str| {
        let done = demo::run(&options.split(' ').collect::<Vec<_>>());
        assert_eq!(done.status.code(), Some(2), "{options}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    assert!(refused("--loopback --behind 1:10.0.0.0/8").contains("--behind 1:…: no IP here; allowed: as root"));
    assert!(refused("--behind x").contains("--behind is 'x'; allowed: NODE:PREFIX, as 3:192.168.3.0/24"));
    if lacks().is_some() {
        return eprintln!("SKIP: what else is refused needs root");
    }
    let twice = refused("--slaves 2 --behind 1:10.0.0.0/8 --behind 2:10.1.0.0/16");
    assert!(
        twice.contains("10.1.0.0/16 behind node 2 overlaps 10.0.0.0/8 behind node 1; allowed: prefixes apart"),
        "{twice}"
    );
    assert!(refused("--slaves 2 --behind 3:10.0.0.0/8").contains("there is no such node; allowed: 0 to 2"));
    assert!(
        refused("--slaves 2 --behind 1:10.0.0.1/8").contains("has bits behind its prefix; allowed: \"10.0.0.0/8\"")
    );
}
