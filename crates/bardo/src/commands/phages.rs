//! `bardo golem phages ID`: a golem's short-lived children, what they tried, and what that says of its health.

use crate::commands::status;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_dreams::phage::PhageStats;

/// Beliefs that are shown to people.
const MOST_SHOWN: usize = 6;

/// Run it.
pub fn run(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let read = status::read(&home.golem(id)?)?;
    let Some(phages) = &read.phages else {
        // Nothing is wrong with asking: it has none, and that is the answer.
        let words = format!(
            "{} has no phages: they were off at birth\na golem has them with: bardo golem create NAME --set phages.enabled=true",
            read.name
        );
        return out.result(&None::<PhageStats>, || folded(&words));
    };
    out.result(phages, || lines(phages).join("\n"))
}

fn lines(p: &PhageStats) -> Vec<String> {
    let (c, s) = (&p.counts, &p.signals);
    let early = if s.early_warning { "; the latest have all failed" } else { "" };
    let mut lines = vec![
        format!("  born        {} phages, {} replicants; {} alive", c.born, c.replicants, p.alive.len()),
        format!(
            "  ended       {} survived, {} failed, {} made no difference, {} untested",
            c.survived, c.failed, c.indifferent, c.untested
        ),
        format!(
            "  health      {}: {:.0} % of the latest {} failed, diversity {:.2}{early}",
            s.health.name(),
            s.death_rate * 100.0,
            s.judged,
            s.failure_diversity
        ),
        format!("  felt        {:.3} of fitness", p.felt),
        format!("  tried       {} runs on copies of the chain, {} ticks", c.runs, c.shadow_ticks),
    ];
    let mut put = |what: &str, text: String| {
        lines.extend(folded(&format!("  {what:<11} {text}")).lines().map(ToOwned::to_owned));
    };
    for one in &p.alive {
        put("alive", format!("{}: {} ({} turns left)", one.id, one.hypothesis, one.turns_left));
    }
    for one in &p.ends {
        put("died", format!("{}: {}: {}", one.id, one.hypothesis, one.verdict.words()));
    }
    for one in p.tried.iter().take(MOST_SHOWN) {
        let r = &one.record;
        put("believes", format!("{:.2} {} ({} of {} survived)", r.belief, one.hypothesis, r.survived, r.trials));
    }
    lines
}
