//! Building the world that a golem's settings name.

use crate::fail::Fail;
use crate::golem_file::{WorldKind, WorldTable, moment};
use golem_core::door::World;
use golem_core::{NOMINAL_TICK_S, RawObservation, Timestamp, VirtualTime};
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld, Synthetic};
use std::path::Path;

pub use golem_runtime::AnyWorld;

/// Build it.
pub fn build(table: &WorldTable) -> Result<AnyWorld, Fail> {
    match table.kind {
        WorldKind::Synthetic => {
            let world = Synthetic::new(table.synthetic.clone(), table.seed).map_err(|problems| {
                let told: Vec<String> = problems.iter().map(|(k, m)| format!("world.synthetic.{k}: {m}")).collect();
                Fail::owner(told.join("\n"))
            })?;
            Ok(Box::new(world))
        }
        WorldKind::Csv => {
            let mode = if table.bridge { CsvMode::Bridge { seed: table.seed } } else { CsvMode::PerBar };
            let gas = (!table.gas_path.is_empty()).then(|| table.gas_path.clone().into());
            let window = |text: &str| moment(text).map_err(|e| Fail::owner(format!("{text:?} is no time: {e}")));
            let (from, until) = (window(&table.from)?, window(&table.until)?);
            let options = CsvOptions { mode, gas, from, until, ..CsvOptions::default() };
            let world =
                CsvWorld::open(Path::new(&table.path), &options).map_err(|e| Fail::hint(e.to_string(), e.hint()))?;
            Ok(Box::new(world))
        }
    }
}

/// A world that has ended: for a golem whose recorded market is gone, and which must still be able to die.
pub struct Nowhere(pub Timestamp);

impl World for Nowhere {
    fn observe(&mut self, _age: VirtualTime) -> Option<RawObservation> {
        None
    }
    fn epoch(&self) -> Timestamp {
        self.0
    }
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
    fn restore(&mut self, _saved: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

/// `--world synthetic` or `--world csv:PATH` over what the settings say.
pub fn choose(table: &mut WorldTable, word: &str) -> Result<(), Fail> {
    match word.split_once(':') {
        None if word == "synthetic" => table.kind = WorldKind::Synthetic,
        Some(("csv", path)) if !path.is_empty() => {
            table.kind = WorldKind::Csv;
            table.path = path.to_owned();
            table.settle()?;
        }
        _ => return Err(Fail::hint(format!("{word:?} is not a world"), "use synthetic, or csv:PATH")),
    }
    Ok(())
}

/// Seconds between turns: what the owner set, or what suits the world.
pub fn interval_s(set: u64, world: &dyn World) -> u64 {
    if set > 0 { set } else { world.natural_interval_s().unwrap_or(NOMINAL_TICK_S) }
}
