//! `bardo golem verify ID`: is the record whole, and was the life lived as told?

use crate::birth;
use crate::commands::witness::{Rolls, Witness};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_life::Standing;
use golem_runtime::{Reader, replay, verify_chain};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Serialize)]
struct Told {
    id: String,
    ticks: u64,
    ok: bool,
    first_difference: Option<golem_runtime::Difference>,
    hash: String,
    commitment_ok: bool,
    rolls: Rolls,
    /// The secret of a dead golem, so that anyone can check.
    revealed_secret: Option<String>,
}

/// Check everything that can be checked.
pub fn run(id: &str, home: &Home, out: &Out) -> Result<ExitCode, Fail> {
    let place = home.golem(id)?;
    let chain = verify_chain(&place.dir)?;
    let mut told = Told {
        id: place.id.to_string(),
        ticks: chain.ticks,
        ok: chain.damage.is_none(),
        first_difference: chain.damage,
        hash: chain.head.to_string(),
        commitment_ok: false,
        rolls: Rolls::default(),
        revealed_secret: None,
    };
    if told.ok {
        let reader = Reader::open(&place.dir)?;
        let origin = reader.origin()?;
        let dead = reader.status()?.is_some_and(|s| s.standing == Standing::Dead);
        told.commitment_ok = origin.secret.commitment() == origin.birth.commitment;
        told.revealed_secret = dead.then(|| golem_core::Hash(origin.secret.reveal()).to_string());
        let rolls = Arc::new(Mutex::new(Rolls::default()));
        let seen = rolls.clone();
        let report = replay(&place.dir, None, |origin| {
            let genesis = birth::genesis(origin).map_err(|e| e.to_string())?;
            Ok(Witness::new(&genesis, &origin.secret, seen))
        })?;
        told.rolls = rolls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        told.first_difference = report.first_difference;
        told.ok = report.ok && told.commitment_ok && told.rolls.wrong.is_empty();
    }
    out.result(&told, || text(&told))?;
    Ok(if told.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text(t: &Told) -> String {
    let mut lines = Vec::new();
    match &t.first_difference {
        Some(d) => lines.push(format!("NOT as told, from turn {}: {}", d.tick, d.what)),
        None => lines.push(format!("{} turns form one unbroken chain and were lived as told", t.ticks)),
    }
    lines.push(format!("  head of the chain  {}", t.hash));
    if t.first_difference.is_none() {
        let seal =
            if t.commitment_ok { "is the one committed to at birth" } else { "is NOT the one committed to at birth" };
        lines.push(format!("  the secret         {seal}"));
        let near =
            t.rolls.closest.map_or_else(String::new, |c| format!("; the closest call was {c:.1} times its chance"));
        lines.push(format!("  death rolls        {} recomputed, {} wrong{near}", t.rolls.checked, t.rolls.wrong.len()));
        if let Some(secret) = &t.revealed_secret {
            lines.push(format!("  revealed at death  {secret}"));
        }
    }
    lines.join("\n")
}
