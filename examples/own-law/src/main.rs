//! Runs a scenario in which `law = "eager"` stands for a law of this program, and prints the goodput of each transport.
//!
//!     own-law scenario.toml

mod eager;

use eager::{Config, Eager};
use sim::engine::Options;
use sim::random::Seed;
use sim::results::{Column, Results};
use sim::scenario::{Input, load_with};
use sim::study::World;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use transport::cc::external::{Maker, brought};

fn main() -> ExitCode {
    let Some(file) = std::env::args_os().nth(1) else {
        eprintln!("own-law: say which scenario");
        return ExitCode::from(2);
    };
    match run(Path::new(&file)) {
        Ok(results) => goodputs(&results).iter().for_each(|(name, bps)| println!("{name} {:.3} Mb/s", bps / 1e6)),
        Err(error) => {
            eprintln!("own-law: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The law that a scenario names.
fn law(name: &str) -> Result<Arc<dyn Maker>, String> {
    let config = match name {
        "eager" => Config::default(),
        "timid" => Config { segments: 1, share: 0.25 },
        _ => return Err("there are: eager, timid".to_owned()),
    };
    brought::<Eager>(name, config).map_err(|error| error.to_string())
}

fn run(file: &Path) -> Result<Results, Box<dyn Error>> {
    let scenario = load_with(Input::File(file), &[], &law, None)?.scenario;
    let seed = Seed { seed: scenario.run.seed, run: 0 };
    let mut world = World::build(&scenario, seed, Options::default())?;
    world.run_until(world.end());
    Ok(world.finish()?)
}

/// The goodput of all flows of each transport.
fn goodputs(results: &Results) -> BTreeMap<&str, f64> {
    let column =
        |name: &str| results.flows.columns.iter().find(|(column, _)| *column == name).map(|(_, column)| column);
    let (Some(Column::Text(names)), Some(Column::F64(bps))) = (column("transport"), column("goodput_bps")) else {
        return BTreeMap::new();
    };
    let mut sums = BTreeMap::new();
    names.iter().zip(bps).for_each(|(name, bps)| *sums.entry(name.as_str()).or_default() += bps);
    sums
}
