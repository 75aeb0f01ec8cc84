//! `bardo golem list`.

use crate::fail::Fail;
use crate::home::Home;
use crate::obituary::parse;
use crate::out::Out;
use crate::show;
use golem_life::{Standing, Status};
use golem_runtime::Reader;
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
            problem: None,
        };
        let status = Reader::open(&place.dir).and_then(|r| r.status()).map_err(Fail::from);
        match status.and_then(|s| s.map(|s| parse(&s.body)).transpose()) {
            Ok(Some(s)) => fill(&mut row, &s),
            Ok(None) => {}
            // One damaged file must not hide the others.
            Err(e) => row.problem = Some(e.to_string()),
        }
        rows.push(row);
    }
    out.result(&rows, || {
        if rows.is_empty() {
            return format!("no golems in {}\ncreate one: bardo golem create NAME", home.path().display());
        }
        let mut lines =
            vec![format!("{:<20} {:<10} {:<14} {:>9} {:>12} {:>12}", "name", "id", "state", "turn", "age", "USDC")];
        for r in &rows {
            let state = r
                .problem
                .as_ref()
                .map_or_else(|| r.phase.clone().unwrap_or_else(|| r.standing.clone()), |_| "damaged".into());
            let money = r.balance_micro_usdc.map_or_else(String::new, |m| format!("{:.2}", m as f64 / 1e6));
            lines.push(format!(
                "{:<20} {:<10} {state:<14} {:>9} {:>12} {money:>12}",
                r.name,
                &r.id[..8],
                r.tick,
                show::age(r.age_days)
            ));
        }
        lines.join("\n")
    })
}

fn fill(row: &mut Row, s: &Status) {
    row.standing = s.standing.name().to_owned();
    row.phase = Some(if s.standing == Standing::Alive { s.phase.to_string() } else { row.standing.clone() });
    row.tick = s.tick.0;
    row.age_days = s.age_days;
    row.balance_micro_usdc = Some(s.balance.0);
}
