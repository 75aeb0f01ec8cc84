//! Short-lived children as sentences.

use golem_dreams::phage::{ChildKind, PhageFact};

pub(super) fn words(fact: &PhageFact) -> String {
    match fact {
        PhageFact::Born { id, kind, hypothesis, lives_turns, .. } => {
            format!("{} {id} is born for {lives_turns} turns, to try: {hypothesis}", child(*kind))
        }
        PhageFact::Died { id, kind, hypothesis, verdict, .. } => {
            format!("{} {id} {} ({hypothesis})", child(*kind), verdict.words())
        }
        PhageFact::Health { signals } => {
            let early = if signals.early_warning { "; the latest have all failed" } else { "" };
            format!(
                "what its children say of it: {}, {:.0} % fail, diversity {:.2}, fitness loses {:.3}{early}",
                signals.health.name(),
                signals.death_rate * 100.0,
                signals.failure_diversity,
                signals.felt
            )
        }
        PhageFact::Report { id, text, came, .. } => format!("replicant {id} reports, {came}: {text}"),
    }
}

fn child(kind: ChildKind) -> &'static str {
    match kind {
        ChildKind::Phage => "phage",
        ChildKind::Replicant => "replicant",
    }
}

/// Whoever watches wants to hear when all of them fail alike or one after the other, and what replicants bring.
pub(super) fn is_event(fact: &PhageFact) -> bool {
    match fact {
        PhageFact::Health { signals } => signals.felt > 0.0 || signals.early_warning,
        PhageFact::Report { .. } => true,
        PhageFact::Born { .. } | PhageFact::Died { .. } => false,
    }
}
