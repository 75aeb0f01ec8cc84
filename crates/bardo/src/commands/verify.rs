//! `bardo golem verify ID`: is the record whole, and was the life lived as told?

use crate::birth;
use crate::chain;
use crate::commands::witness::{Rolls, Witness};
use crate::fail::Fail;
use crate::golem_file::ChainWord;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use crate::stored::{parse, series};
use golem_core::Tick;
use golem_life::{Life, LifeStanding};
use golem_mortality::audit::AuditFinding;
use golem_runtime::{Reader, replay, verify_chain};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Serialize)]
struct VerifyReport {
    id: String,
    ticks: u64,
    ok: bool,
    first_difference: Option<golem_runtime::Difference>,
    hash: String,
    commitment_ok: bool,
    rolls: Rolls,
    /// Why the embedded chain that is there is not the one it lived on.
    chain: Option<String>,
    /// The secret of a dead golem, so that anyone can check.
    revealed_secret: Option<String>,
}

/// Check everything that can be checked.
pub fn run(id: &str, home: &Home, out: &Out) -> Result<ExitCode, Fail> {
    let place = home.golem(id)?;
    let chain = verify_chain(&place.dir)?;
    let mut told = VerifyReport {
        id: place.id.to_string(),
        ticks: chain.ticks,
        ok: chain.damage.is_none(),
        first_difference: chain.damage,
        hash: chain.head.to_string(),
        commitment_ok: false,
        rolls: Rolls::default(),
        chain: None,
        revealed_secret: None,
    };
    if told.ok {
        let reader = Reader::open(&place.dir)?;
        let origin = reader.origin()?;
        told.commitment_ok = origin.secret.commitment() == origin.birth.commitment;
        let rolls = Arc::new(Mutex::new(Rolls::default()));
        let (seen, recorded) = (rolls.clone(), recorded_hazards(&reader)?);
        let report = replay(&place.dir, None, |origin| {
            let genesis = birth::genesis(origin).map_err(|e| e.to_string())?;
            Ok(Witness::<Life>::new(&genesis, &origin.secret, recorded, seen))
        })?;
        told.rolls = rolls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        told.first_difference = report.first_difference;
        if report.ok {
            hold_the_status(&reader, Tick(report.ticks), &mut told.rolls)?;
        }
        told.ok = report.ok && told.commitment_ok && told.rolls.wrong.is_empty();
        // Only a death that was lived again reveals the secret; and once it is revealed there is no way back.
        if let Some(death) = told.rolls.death.as_ref().filter(|death| told.ok && death.is_final) {
            golem_runtime::set_tombstone(&place.dir, death.tick)?;
            told.revealed_secret = Some(golem_core::Hash(origin.secret.reveal()).to_string());
        }
        told.chain = chain_problem(&reader, &origin, home)?;
        told.ok &= told.chain.is_none();
    }
    out.result(&told, || text(&told))?;
    Ok(if told.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The hazards that the file has written down along the way.
fn recorded_hazards(reader: &Reader) -> Result<BTreeMap<u64, f64>, Fail> {
    Ok(series(reader)?.into_iter().map(|point| (point.tick.0, point.hazard_rate)).collect())
}

/// What the file shows of its golem must be what its life came to: alive, or dead of what it died of.
fn hold_the_status(reader: &Reader, lived: Tick, rolls: &mut Rolls) -> Result<(), Fail> {
    // While it runs, what is shown may be newer than what was lived again.
    let Some(row) = reader.status()?.filter(|row| row.tick <= lived) else { return Ok(()) };
    let (shown, tick) = (parse(&row.body)?, row.tick);
    let (said_final, said_dying) = (shown.standing == LifeStanding::Dead, shown.standing.is_final());
    if row.standing != shown.standing {
        rolls.found(tick, format!("turn {tick}: the file calls it {} and shows it {}", row.standing, shown.standing));
    }
    match (&shown.death, rolls.death.clone()) {
        (None, None) if !said_dying => {}
        (Some(told), Some(lived)) => {
            if (told.tick, &told.cause) != (lived.tick, &lived.cause) {
                rolls.found(lived.tick, format!("turn {}: it shows another death than it died", lived.tick));
            }
            if told.roll.to_bits() != lived.roll.to_bits() {
                let altered = AuditFinding::AlteredRoll { tick: lived.tick, told: told.roll, sealed: lived.roll };
                rolls.found(lived.tick, altered.to_string());
            }
            if !said_dying || said_final != lived.is_final {
                let skipped = AuditFinding::Skipped { tick: lived.tick, cause: lived.cause.name() };
                rolls.found(lived.tick, skipped.to_string());
            }
        }
        (told, None) => {
            let cause = told.as_ref().map_or("unknown", |d| d.cause.name());
            rolls.found(tick, AuditFinding::NotDue { tick, cause }.to_string());
        }
        // It was shown before it died: turns were written since, and nothing was shown yet.
        (None, Some(lived)) if tick < lived.tick && !said_dying => {}
        (None, Some(lived)) => {
            let skipped = AuditFinding::Skipped { tick: lived.tick, cause: lived.cause.name() };
            rolls.found(lived.tick, skipped.to_string());
        }
    }
    Ok(())
}

/// Golem and chain are two files of one life: the record is whole only where they belong together.
fn chain_problem(reader: &Reader, origin: &golem_runtime::Origin, home: &Home) -> Result<Option<String>, Fail> {
    let file = birth::settings_of(origin)?;
    if file.chain.kind != ChainWord::Embedded {
        return Ok(None);
    }
    let fits = chain::fits(&file, home, origin.birth.name.as_str(), &reader.anchor()?);
    Ok(fits.err().map(|e| e.to_string()))
}

fn text(t: &VerifyReport) -> String {
    let mut lines = Vec::new();
    match &t.first_difference {
        Some(d) => lines.push(format!("NOT as told, from turn {}: {}", d.tick, d.what)),
        None => lines.push(format!("{} turns form one unbroken chain and were lived as told", t.ticks)),
    }
    lines.push(format!("  its head    {}", t.hash));
    if t.first_difference.is_none() {
        let seal =
            if t.commitment_ok { "is the one committed to at birth" } else { "is NOT the one committed to at birth" };
        lines.push(format!("  the secret  {seal}"));
        let near =
            t.rolls.closest.map_or_else(String::new, |c| format!("; the closest call was {c:.1} times its chance"));
        let (checked, wrong) = (t.rolls.checked, t.rolls.wrong.len());
        lines.push(format!("  its chance  {checked} death rolls recomputed, {wrong} wrong{near}"));
        lines.extend(t.rolls.findings.iter().map(|finding| format!("  NOT so      {finding}")));
        lines.extend(t.chain.iter().map(|why| format!("  the chain   NOT as told: {why}")));
        if let Some(secret) = &t.revealed_secret {
            lines.push(format!("  revealed    {secret}"));
        }
    }
    folded(&lines.join("\n"))
}
