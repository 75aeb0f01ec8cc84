//! What is measured of a life, in the one order in which rows and pages give it: what each figure means, which way is
//! better, and the difference below which nobody need care unless a plan says otherwise.

use super::row::OutcomeName;
use golem_mortality::Domain;

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preferred {
    More,
    Less,
    /// A description: neither way is better by itself.
    Neither,
}

/// One measured thing.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeKind {
    pub name: OutcomeName,
    /// What it is, for people.
    pub about: String,
    pub preferred: Preferred,
    /// A difference within this either way is no difference, unless the plan gives another margin.
    pub margin: f64,
    /// Whether it is a share, which people read in percent.
    pub share: bool,
}

fn plain(name: &str, preferred: Preferred, margin: f64, share: bool, about: &str) -> OutcomeKind {
    OutcomeKind { name: name.into(), about: about.to_owned(), preferred, margin, share }
}

/// All outcomes of lives that have a model to ask: those of any life, and what thinking came to.
#[must_use]
pub fn kinds_with_model() -> Vec<OutcomeKind> {
    use Preferred::{Less, Neither};
    let mut all = kinds();
    all.extend([
        plain("thoughts_per_day", Neither, 2.0, false, "turns a day that were thought through by a model"),
        plain("thinking_usdc_per_day", Less, 0.005, false, "what that cost a day, in USDC"),
        plain("large_share", Neither, 0.05, true, "share of them that a large model had"),
        plain("narrowed_share", Neither, 0.05, true, "share of them that came to less than what the policy wanted"),
    ]);
    all
}

/// All outcomes of any life, in their order.
#[must_use]
pub fn kinds() -> Vec<OutcomeKind> {
    use Preferred::{Less, More, Neither};
    let mut all = vec![
        plain(
            "worth_vs_nothing",
            More,
            0.003,
            true,
            "final worth less funding that paid the same rent and did nothing else, of funding",
        ),
        plain(
            "worth_vs_holding",
            More,
            0.003,
            true,
            "final worth less what buying with everything and paying the same rent came to, of funding",
        ),
    ];
    for domain in Domain::ALL {
        let about = format!("life-long skill of {}: 1 less its loss over the naive loss", domain.name());
        all.push(plain(&format!("skill.{}", domain.name()), More, 0.01, false, &about));
    }
    all.extend([
        plain("max_drawdown", Less, 0.01, true, "the deepest fall of worth from an earlier height"),
        plain("exposure", Neither, 0.02, true, "mean share of worth that follows the price"),
        plain("rent", Neither, 0.001, true, "paid for living, of funding"),
        plain("gas", Less, 0.001, true, "paid for gas, of funding"),
        plain("fees", Less, 0.001, true, "paid to the pool for swaps, of funding"),
        plain("models", Less, 0.001, true, "paid for models, of funding"),
        plain("trades", Neither, 5.0, false, "actions carried out"),
        plain("turnover", Neither, 0.5, false, "what was bought and sold, in fundings"),
    ]);
    for domain in Domain::ALL {
        let about = format!(
            "nominal ticks until the skill of {} reached its level and stayed there, or until the end",
            domain.name()
        );
        all.push(plain(&format!("ticks_to_skill.{}", domain.name()), Less, 500.0, false, &about));
    }
    let about = "nominal ticks until a rule of its playbook said what is true of this world, or until the end";
    all.push(plain("ticks_to_truth", Less, 500.0, false, about));
    let about =
        "what the first crash, drain or gas war of its life cost, per unit of what was exposed in the day before";
    all.push(plain("blow_loss", Less, 0.01, true, about));
    all.extend([
        plain("lifespan_days", More, 1.0, false, "age at the first death, or days lived where there was none"),
        plain("died", Neither, 0.05, true, "whether a clock would have ended it"),
        plain("phase_changes_per_5_days", Less, 0.5, false, "changes of phase in five days"),
        plain("senescent_share", Less, 0.02, true, "share of time in which it had fallen behind the world"),
        plain("suffering_onsets", Neither, 0.5, false, "stressors that began"),
        plain("grimoire_entries", Neither, 5.0, false, "entries it held at the end"),
        plain("rules_fired", Neither, 50.0, false, "turns in which rules of the playbook were in force, by rule"),
    ]);
    all
}
