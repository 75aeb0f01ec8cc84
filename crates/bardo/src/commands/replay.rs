//! `bardo golem replay ID`: live the recorded life again, or compare two records.

use crate::cli::Replay;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::{Out, as_value};
use golem_core::Tick;
use golem_home::record::{parted, relive};
use std::process::ExitCode;

/// Replay, or diff.
pub fn run(args: &Replay, home: &Home, out: &Out) -> Result<ExitCode, Fail> {
    let place = home.golem(&args.id)?;
    if let Some(other) = &args.diff {
        let other = home.golem(other)?;
        let found = parted(&place, &other)?;
        let (first, told) = (&found.first_difference, as_value(&found)?);
        out.result(&told, || match first {
            Some(d) => format!("{} and {} part ways at turn {}: {}", place.name, other.name, d.tick, d.what),
            None => format!("{} and {} lived the same life", place.name, other.name),
        })?;
        return Ok(ExitCode::from(u8::from(first.is_some())));
    }
    let started = std::time::Instant::now();
    let report = relive(&place, args.until.map(Tick))?;
    let seconds = started.elapsed().as_secs_f64();
    out.result(&report, || match &report.first_difference {
        Some(d) => folded(&format!("turn {} was not lived as recorded: {}", d.tick, d.what)),
        None => {
            let head = report.head;
            format!("{} turns relived in {seconds:.1} s, every one as recorded\n  its head    {head}", report.ticks)
        }
    })?;
    Ok(ExitCode::from(u8::from(!report.ok)))
}
