//! Virtual wires between the networks of processes.

use super::plan::Plan;
use super::role::Role;
use crate::config::{Refusal, input};
use crate::sys::process;
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

/// A wire between two processes: the interface and address at each end.
struct Wire {
    from: (Role, String, SocketAddr),
    to: (Role, String, SocketAddr),
}

/// Longest datagrams pass as one.
const MTU: u32 = 65_535;

/// Connects all processes, or, of a star that is there, one with the others that live.
pub(super) fn connect(plan: &Plan, only: Option<Role>, number: impl Fn(Role) -> Option<u32>) -> Result<(), Refusal> {
    let lives = |wire: &Wire| number(wire.from.0).is_some() && number(wire.to.0).is_some();
    let wires: Vec<Wire> =
        wires(plan).into_iter().filter(|wire| only.is_none_or(|role| touches(wire, role)) && lives(wire)).collect();
    let processes = || plan.roles().into_iter().filter_map(|role| Some((role, number(role)?)));
    for (role, process) in processes() {
        let mut batch = String::new();
        for wire in wires.iter().filter(|wire| wire.from.0 == role) {
            let (near, far) = (&wire.from.1, &wire.to.1);
            let there = number(wire.to.0).unwrap_or_default();
            batch.push_str(&format!("link add {near} mtu {MTU} type veth peer name {far} mtu {MTU} netns {there}\n"));
        }
        run(process, &batch)?;
    }
    for (role, process) in
        processes().filter(|(role, _)| only.is_none() || wires.iter().any(|wire| touches(wire, *role)))
    {
        let mut batch = String::from("link set lo up\n");
        for (_, name, address) in wires.iter().flat_map(|wire| [&wire.from, &wire.to]).filter(|end| end.0 == role) {
            batch.push_str(&format!("address add {}/30 dev {name}\nlink set {name} up\n", address.ip()));
        }
        run(process, &batch)?;
    }
    Ok(())
}

/// Connects two processes by a wire of its own.
pub(crate) fn wire(from: (u32, SocketAddr), to: (u32, SocketAddr)) -> Result<(), Refusal> {
    // Names differ by address, so that a process may have two.
    let name = |address: SocketAddr| format!("w{}", address.ip().to_string().replace('.', "x"));
    let (near, far) = (name(from.1), name(to.1));
    run(from.0, &format!("link add {near} mtu {MTU} type veth peer name {far} mtu {MTU} netns {}\n", to.0))?;
    for ((number, address), name) in [(from, near), (to, far)] {
        run(number, &format!("address add {}/30 dev {name}\nlink set {name} up\n", address.ip()))?;
    }
    Ok(())
}

fn touches(wire: &Wire, role: Role) -> bool {
    wire.from.0 == role || wire.to.0 == role
}

fn wires(plan: &Plan) -> Vec<Wire> {
    let pairs = (0..plan.cores).flat_map(|core| (0..plan.nodes).map(move |node| (core, node)));
    let mut wires = Vec::new();
    for (core, node) in pairs {
        let way = plan.way(core, node);
        let hub = (Role::Core(core), format!("p{node}"), way.core);
        let edge = (Role::Node(node), format!("light{core}"), way.node);
        match plan.has_fibres {
            true => {
                let near = (Role::Fibre, format!("n{core}x{node}"), way.near);
                wires.push(Wire { from: near, to: edge });
                wires.push(Wire { from: (Role::Fibre, format!("c{core}x{node}"), way.far), to: hub });
            }
            false => wires.push(Wire { from: hub, to: edge }),
        }
    }
    wires
}

/// Runs a batch of `ip` in the network of a process.
fn run(number: u32, batch: &str) -> Result<(), Refusal> {
    if batch.is_empty() {
        return Ok(());
    }
    let failed = |error: std::io::Error| input(format!("ip: {error}; is iproute2 installed, and is this root?"));
    let mut command = Command::new("ip");
    command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    process::enter_network_of(&mut command, number).map_err(failed)?;
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(batch.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(input(format!("ip: {}", String::from_utf8_lossy(&output.stderr).trim()))),
    }
}
