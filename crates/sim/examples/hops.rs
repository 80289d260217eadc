//! Runs a scenario on one thread and prints its packet-hops and its fingerprint: the engine without Python, for
//! `tools/instructions` and for a look at whether two builds compute the same.
//!
//!     hops SCENARIO [PATH=VALUE]…

use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::scenario::{Input, load};
use sim::study::World;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok((hops, fingerprint)) => {
            println!("{hops} {fingerprint:016x}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("hops: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(u64, u64), Box<dyn Error>> {
    let scenario = arguments.next().ok_or("hops SCENARIO [PATH=VALUE]…")?;
    let set = arguments.map(|text| {
        let setting = text.split_once('=').map(|(path, value)| (path.to_owned(), value.to_owned()));
        setting.ok_or(format!("found {text:?}; allowed: PATH=VALUE"))
    });
    let loaded = load(Input::File(Path::new(&scenario)), &set.collect::<Result<Vec<_>, _>>()?)?;
    let seed = Seed { seed: loaded.scenario.run.seed, run: 0 };
    let mut world = World::build(&loaded.scenario, seed, Options::default())?;
    world.run_until(SimTime::NEVER);
    let results = world.finish()?;
    Ok((results.packet_hops, results.fingerprint))
}
