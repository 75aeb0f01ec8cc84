//! `bardo golem list`.

use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::stored::parse;
use golem_core::Usdc;
use golem_life::{LifeStanding, Status};
use golem_mortality::DeathCause;
use golem_runtime::Reader;
use golem_view::wrap::cut;
use golem_view::{money, time};
use serde::Serialize;
use std::time::Duration;

#[derive(Debug, Serialize)]
struct Row {
    id: String,
    name: String,
    standing: String,
    phase: Option<String>,
    tick: u64,
    age_days: f64,
    balance_micro_usdc: Option<u64>,
    safe_mode: bool,
    /// Of what it died.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    #[serde(skip)]
    died_of: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// All golems of this home, once or again and again.
pub fn run(watch: bool, home: &Home, out: &Out) -> Result<(), Fail> {
    loop {
        once(home, out)?;
        if !watch {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn once(home: &Home, out: &Out) -> Result<(), Fail> {
    let mut rows = Vec::new();
    for place in home.golems()? {
        let mut row = Row {
            id: place.id.to_string(),
            name: place.name.to_string(),
            standing: "newborn".to_owned(),
            phase: None,
            tick: 0,
            age_days: 0.0,
            balance_micro_usdc: None,
            safe_mode: false,
            cause: None,
            died_of: None,
            problem: None,
        };
        let reader = Reader::open(&place.dir);
        row.safe_mode = reader.as_ref().is_ok_and(|r| r.is_safe_mode().unwrap_or(false));
        let status = reader.and_then(|r| r.status()).map_err(Fail::from);
        match status.and_then(|s| s.map(|s| parse(&s.body)).transpose()) {
            Ok(Some(s)) => fill(&mut row, &s),
            Ok(None) => {}
            // One damaged file must not hide the others.
            Err(e) => row.problem = Some(e.to_string()),
        }
        row.problem = home.is_at_home(&place).err().map(|e| e.to_string()).or(row.problem);
        rows.push(row);
    }
    out.result(&rows, || {
        if rows.is_empty() {
            return format!("no golems in {}\ncreate one: bardo golem create NAME", home.path().display());
        }
        let mut lines =
            vec![format!("{:<16} {:<8} {:<20} {:>9} {:>10} {:>12}", "name", "id", "state", "turn", "age", "USDC")];
        for r in &rows {
            let state = r
                .problem
                .as_ref()
                .map_or_else(|| r.phase.clone().unwrap_or_else(|| r.standing.clone()), |_| "damaged".into());
            let state = if r.safe_mode { format!("{state}, safe") } else { state };
            let state = r.died_of.map_or(state, |of| format!("dead of {of}"));
            let money = r.balance_micro_usdc.map_or_else(String::new, |m| money::usdc(Usdc(m)));
            lines.push(format!(
                "{:<16} {:<8} {:<20} {:>9} {:>10} {money:>12}",
                cut(&r.name, 16),
                &r.id[..8],
                cut(&state, 20),
                r.tick,
                time::age(r.age_days)
            ));
        }
        lines.join("\n")
    })
}

/// Of what it died, in a word or two.
pub(super) fn in_a_word(cause: &DeathCause) -> &'static str {
    match cause {
        DeathCause::Economic { .. } => "poverty",
        DeathCause::EpistemicSenescence { .. } => "ignorance",
        DeathCause::Stochastic { .. } => "chance",
        DeathCause::OwnerKill { .. } => "its owner's will",
        DeathCause::KillSwitch { .. } => "its switch",
    }
}

fn fill(row: &mut Row, s: &Status) {
    row.standing = s.standing.name().to_owned();
    row.phase = Some(if s.standing == LifeStanding::Alive { s.phase.to_string() } else { row.standing.clone() });
    row.tick = s.tick.0;
    // Turns of dying are no part of a life's length.
    row.age_days = s.death.as_ref().map_or(s.age_days, |death| death.age.age().as_days());
    row.cause = s.death.as_ref().map(|death| death.cause.name().to_owned());
    row.died_of = s.death.as_ref().map(|death| in_a_word(&death.cause));
    row.balance_micro_usdc = Some(if s.death.is_some() { s.worth().0 } else { s.balance.0 });
}
