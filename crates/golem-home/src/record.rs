//! Whether a golem's record is whole, and whether its life was lived as told: the chain of hashes, the whole life lived again,
//! every roll of its death recomputed.

use crate::chains;
use crate::fail::Fail;
use crate::golem_file::ChainWord;
use crate::home::{Home, Place};
use crate::origins::{genesis, settings_of};
use crate::stored::{parse, series};
use crate::witness::{Rolls, Witness};
use golem_core::Tick;
use golem_life::{Being as _, Life, LifeStanding};
use golem_mortality::audit::AuditFinding;
use golem_runtime::{Difference, Origin, Reader, ReplayReport, diff, replay, replay_life, verify_chain};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What `golem verify --json` prints; others rely on these names.
#[derive(Debug, Serialize)]
pub struct VerifyReport {
    pub id: String,
    pub ticks: u64,
    pub ok: bool,
    pub first_difference: Option<Difference>,
    pub hash: String,
    pub commitment_ok: bool,
    pub rolls: Rolls,
    /// Why the embedded chain that is there is not the one it lived on.
    pub chain: Option<String>,
    /// The secret of a dead golem, so that anyone can check.
    pub revealed_secret: Option<String>,
}

/// Check everything that can be checked.
pub fn verify(place: &Place, home: &Home) -> Result<VerifyReport, Fail> {
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
    if !told.ok {
        return Ok(told);
    }
    let reader = Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    told.commitment_ok = origin.secret.commitment() == origin.birth.commitment;
    let rolls = Arc::new(Mutex::new(Rolls::default()));
    let (seen, recorded) = (rolls.clone(), recorded_hazards(&reader)?);
    let report = replay(&place.dir, None, |origin| {
        let genesis = genesis(origin).map_err(|e| e.to_string())?;
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
    Ok(told)
}

/// Live the recorded life again, up to a turn or to its end.
pub fn relive(place: &Place, until: Option<Tick>) -> Result<ReplayReport, Fail> {
    Ok(replay_life(&place.dir, until, |origin| {
        let genesis = genesis(origin).map_err(|e| e.to_string())?;
        Ok(Life::born(&genesis, &origin.secret))
    })?)
}

/// What `golem replay --diff --json` prints; others rely on these names.
#[derive(Debug, Serialize)]
pub struct PartedWays {
    pub ticks: Tick,
    pub ok: bool,
    pub first_difference: Option<Difference>,
}

/// Where two records part ways.
pub fn parted(one: &Place, other: &Place) -> Result<PartedWays, Fail> {
    let first_difference = diff(&one.dir, &other.dir)?;
    let (ticks, _) = Reader::open(&one.dir)?.tip()?;
    Ok(PartedWays { ticks, ok: first_difference.is_none(), first_difference })
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
fn chain_problem(reader: &Reader, origin: &Origin, home: &Home) -> Result<Option<String>, Fail> {
    let file = settings_of(origin)?;
    if file.chain.kind != ChainWord::Embedded {
        return Ok(None);
    }
    let fits = chains::fits(&file, home, origin.birth.name.as_str(), &reader.anchor()?);
    Ok(fits.err().map(|e| e.to_string()))
}
