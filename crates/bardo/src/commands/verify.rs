//! `bardo golem verify ID`: is the record whole, and was the life lived as told?

use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_home::record::{VerifyReport, verify};
use std::process::ExitCode;

/// Check everything that can be checked.
pub fn run(id: &str, home: &Home, out: &Out) -> Result<ExitCode, Fail> {
    let told = verify(&home.golem(id)?, home)?;
    out.result(&told, || text(&told))?;
    Ok(if told.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
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
