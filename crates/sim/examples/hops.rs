//! Runs a scenario on one thread and prints its packet-hops: the engine without Python, for `tools/instructions`.
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
    match packet_hops(std::env::args().skip(1)) {
        Ok(hops) => {
            println!("{hops}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("hops: {why}");
            ExitCode::from(2)
        }
    }
}

fn packet_hops(mut arguments: impl Iterator<Item = String>) -> Result<u64, Box<dyn Error>> {
    let scenario = arguments.next().ok_or("hops SCENARIO [PATH=VALUE]…")?;
    let set = arguments.map(|text| {
        let setting = text.split_once('=').map(|(path, value)| (path.to_owned(), value.to_owned()));
        setting.ok_or(format!("found {text:?}; allowed: PATH=VALUE"))
    });
    let loaded = load(Input::File(Path::new(&scenario)), &set.collect::<Result<Vec<_>, _>>()?)?;
    let seed = Seed { seed: loaded.scenario.run.seed, run: 0 };
    let mut world = World::build(&loaded.scenario, seed, Options::default())?;
    world.run_until(SimTime::NEVER);
    Ok(world.finish()?.packet_hops)
}
