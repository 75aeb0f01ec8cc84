//! Reading what golems have come to know: a playbook and the entries it uses most, held against each other, against the
//! world's written truth, and against what anybody could do with them.

use crate::world::{Agreement, Truth, forecast_by};
use golem_core::observed::Field;
use golem_grimoire::experts::{ExpertSpec, told_by};
use golem_grimoire::family::ClaimFamily;
use golem_grimoire::playbook::lint;
use golem_grimoire::subject::{SIGN_TAG, TURN_TAG, same_statement};
use golem_grimoire::{Claim, Entry, EntryBody, EntryId, EntryKind, EntryStatus, Grimoire};
use golem_mortality::Domain;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// Entries that are read, the most used first.
pub const MOST_READ: usize = 20;

/// What is wrong with something that a golem knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeFaultKind {
    /// The playbook's own check complains about a rule.
    Lint,
    /// It says what another entry says, or differs from it in a bound or a lag only.
    Duplicate,
    /// The world has the opposite, or nothing of the kind.
    Untrue,
    /// No forecast and no decision could use it.
    Useless,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnowledgeFault {
    /// What kind of thing.
    pub kind: KnowledgeFaultKind,
    /// About what, in its own words.
    pub what: String,
}

/// What was read, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct KnowledgeReading {
    /// Rules of the playbook.
    pub rules: usize,
    /// Entries.
    pub entries: usize,
    /// Claims that the truth says are so.
    pub proven_true: usize,
    /// Hunches that the truth says are not so: they are heard by their record, and nobody has taken them for proven.
    pub untrue_on_trial: usize,
    /// Everything that is wrong.
    pub faults: Vec<KnowledgeFault>,
}

impl fmt::Display for KnowledgeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            KnowledgeFaultKind::Lint => "playbook lint",
            KnowledgeFaultKind::Duplicate => "said twice",
            KnowledgeFaultKind::Untrue => "untrue",
            KnowledgeFaultKind::Useless => "of no use",
        };
        write!(f, "{kind}: {}", self.what)
    }
}

/// Read a golem's playbook and the entries that it uses most. `parameters` are those of its template.
#[must_use]
pub fn read_knowledge(grimoire: &Grimoire, parameters: &[&str], truth: &Truth) -> KnowledgeReading {
    let mut used: Vec<&Entry> =
        grimoire.shelf().in_use().filter(|e| e.standing.uses > 0 && !e.body.is_question).collect();
    used.sort_by_key(|e| (std::cmp::Reverse(e.standing.uses), e.id));
    used.truncate(MOST_READ);
    let mut reading =
        KnowledgeReading { rules: grimoire.playbook().rules().count(), entries: used.len(), ..Default::default() };
    let (mut proven_true, mut untrue_on_trial) = (0, 0);
    let mut fault = |kind, what: String| reading.faults.push(KnowledgeFault { kind, what });
    for finding in lint(grimoire.playbook(), parameters) {
        fault(KnowledgeFaultKind::Lint, finding.to_string());
    }
    for (n, entry) in used.iter().enumerate() {
        if used[..n].iter().any(|earlier| is_said_twice(earlier, entry)) {
            fault(KnowledgeFaultKind::Duplicate, entry.body.text.clone());
        }
        if !can_be_used(entry) {
            fault(KnowledgeFaultKind::Useless, entry.body.text.clone());
        }
        match said_by(&entry.body, truth) {
            Some(Agreement::False) if is_on_trial(entry) => untrue_on_trial += 1,
            Some(Agreement::False) => fault(KnowledgeFaultKind::Untrue, entry.body.text.clone()),
            Some(Agreement::True) => proven_true += 1,
            Some(Agreement::Unknown) | None => {}
        }
    }
    // What a rule rests on is read too, however seldom it was used.
    let rests_on = grimoire.playbook().rules().filter_map(|rule| grimoire.shelf().entry(rule.id().entry()?));
    let read: BTreeSet<EntryId> = used.iter().map(|entry| entry.id).collect();
    for entry in rests_on.filter(|entry| !read.contains(&entry.id)) {
        if said_by(&entry.body, truth) == Some(Agreement::False) {
            fault(KnowledgeFaultKind::Untrue, entry.body.text.clone());
        }
    }
    KnowledgeReading { proven_true, untrue_on_trial, ..reading }
}

/// Heard by its record alone, or a link that waits for its first confirmation.
fn is_on_trial(entry: &Entry) -> bool {
    let is_link = entry.body.claim.is_none();
    entry.is_hunch() || (is_link && entry.standing.status == EntryStatus::Candidate)
}

/// True when a rule of its playbook says something that is so.
#[must_use]
pub fn lives_by_the_truth(grimoire: &Grimoire, truth: &Truth) -> bool {
    let claims =
        grimoire.playbook().rules().filter_map(|rule| grimoire.shelf().entry(rule.id().entry()?)?.body.claim.as_ref());
    claims.into_iter().any(|claim| agreement(claim, truth) == Some(Agreement::True))
}

fn is_said_twice(a: &Entry, b: &Entry) -> bool {
    let family = |e: &Entry| e.body.claim.as_ref().and_then(ClaimFamily::of);
    let kin = a.body.kind == b.body.kind && a.body.regime == b.body.regime && family(a).is_some();
    same_statement(&a.body, &b.body) || (kin && family(a) == family(b))
}

/// True when a forecast hears it, a decision minds it, or a deliberation can be told of an action by it.
fn can_be_used(entry: &Entry) -> bool {
    let body = &entry.body;
    let guides = matches!(body.kind, EntryKind::Heuristic | EntryKind::Warning | EntryKind::StrategyFragment);
    let of_action = golem_grimoire::subject::action_of(body).is_some();
    guides || of_action || body.edge.is_some() || ExpertSpec::of(body).is_some()
}

/// What the truth says of what a body says: of its link where it has one, which is what is gone by then, or of its claim.
fn said_by(body: &EntryBody, truth: &Truth) -> Option<Agreement> {
    match &body.edge {
        Some(edge) => of_edge(edge, body, truth),
        None => agreement(body.claim.as_ref()?, truth),
    }
}

/// `from>to@lag`, with a tag for the way it goes and one for the mood in which it goes the other way.
fn of_edge(edge: &str, body: &EntryBody, truth: &Truth) -> Option<Agreement> {
    let (from, rest) = edge.split_once('>')?;
    let (to, lag) = rest.split_once('@')?;
    let (cause, (effect, panel)) = (Field::named(from)?, foretold(Field::named(to)?));
    let lag: u64 = lag.parse().ok()?;
    let tagged = |tag: &'static str| body.tags.iter().find_map(|t| t.strip_prefix(tag));
    let sign = if tagged(SIGN_TAG)? == "rises" { 1 } else { -1 };
    let said = match tagged(TURN_TAG) {
        Some(mood) => truth.agrees_in_moods(cause, Field::named(mood)?, effect, sign),
        None => truth.agrees(cause, effect, sign, lag),
    };
    Some(panel.map_or(said, |domain| truth.of_panel(said, cause, domain)))
}

/// The series that a field is about; where it says how far a panel was off, the one that the panel forecasts.
fn foretold(field: Field) -> (Field, Option<Domain>) {
    match told_by(field) {
        Some((domain, true)) => (forecast_by(domain).unwrap_or(field), Some(domain)),
        _ => (field, None),
    }
}

/// What the truth says of a claim; none where it is no plain comparison of two fields.
#[must_use]
pub fn agreement(claim: &Claim, truth: &Truth) -> Option<Agreement> {
    let ((effect, to), lag) = (end(&claim.then)?, u64::from(claim.after_ticks));
    let (effect, panel) = foretold(effect);
    let (cause, said) = match stretch(&claim.when) {
        Some((cause @ Field::MarketHour, stretch)) => (cause, truth.agrees_within(cause, stretch, effect, to, lag)),
        Some((cause, stretch)) => (cause, truth.agrees_since(cause, stretch, effect, to, lag)),
        None => {
            let (cause, from) = end(&claim.when)?;
            (cause, truth.agrees(cause, effect, from * to, lag))
        }
    };
    Some(panel.map_or(said, |domain| truth.of_panel(said, cause, domain)))
}

/// A stretch of the day, `market.hour >= 22.0 || market.hour < 4.0`, or of the time since a spike.
fn stretch(when: &str) -> Option<(Field, (f64, f64))> {
    let mut ends = [" && ", " || "].iter().find_map(|joined| when.split_once(joined)).into_iter();
    let (first, second) = ends.next()?;
    let bound = |text: &str, operator: &str| {
        let (field, value) = text.split_once(operator)?;
        Some((Field::named(field)?, value.parse::<f64>().ok()?))
    };
    let ((field, from), (same, to)) = (bound(first, " >= ")?, bound(second, " < ")?);
    (field == same && matches!(field, Field::MarketHour | Field::MarketGasSpikeTicks)).then_some((field, (from, to)))
}

/// The field of a plain comparison with a number, and which way it lies.
fn end(comparison: &str) -> Option<(Field, i8)> {
    let mut parts = comparison.split(' ');
    let (field, operator, value) = (Field::named(parts.next()?)?, parts.next()?, parts.next()?);
    let _number: f64 = value.parse().ok()?;
    match (operator, parts.next()) {
        (">" | ">=", None) => Some((field, 1)),
        ("<" | "<=", None) => Some((field, -1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{TrueLink, place};
    use golem_core::{GolemId, VirtualTime};
    use golem_grimoire::EntryOrigin;

    fn truth(world: &str, seed: u64) -> Truth {
        place(world, seed).expect("a world").truth
    }

    fn body(kind: EntryKind) -> EntryBody {
        let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
        EntryBody::own(kind, "It is so.".to_owned(), origin, VirtualTime(0))
    }

    fn claims(when: &str, then: &str, after_ticks: u32) -> EntryBody {
        let claim = Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks };
        EntryBody { claim: Some(claim), ..body(EntryKind::Insight) }
    }

    fn links(edge: &str, tags: &[&str]) -> EntryBody {
        let tags = tags.iter().map(ToString::to_string).collect();
        EntryBody { edge: Some(edge.to_owned()), tags, ..body(EntryKind::CausalLink) }
    }

    /// What experts say is about the errors of panels, and what the graph says is an edge: both are held against the truth.
    #[test]
    fn what_experts_and_links_say_is_held_against_the_truth() {
        use Agreement::{False, True, Unknown};
        let (up, down) = ("forecast.yield_error > 0.0", "forecast.yield_error < 0.0");
        let (spike, age) =
            ("market.gas_ratio > 2.0", "market.gas_spike_ticks >= 30.0 && market.gas_spike_ticks < 90.0");
        let lead = "market.lead_return>forecast.return_error@90";
        for (world, said, found) in [
            ("fee-bursts", claims(spike, up, 270), True),
            // A panel that has heard of the burst is off the other way: that is no lie.
            ("fee-bursts", claims(spike, down, 270), Unknown),
            ("fee-bursts", claims(age, up, 270), True),
            ("fee-bursts", claims("market.hour >= 4.0 && market.hour < 8.0", up, 270), False),
            ("flat", claims(spike, up, 270), False),
            ("flat", claims(age, up, 270), False),
            ("flat", claims("market.volume_ratio > 2.0", up, 270), Unknown),
            ("flat", claims("market.hour >= 4.0 && market.hour < 8.0", "forecast.gas_error > 0.0", 15), False),
            ("flat", claims(spike, "forecast.return_error > 0.0", 90), False),
            ("contagion", links(lead, &["sign:rises"]), True),
            ("contagion", links(lead, &["sign:falls"]), False),
            ("contagion", links("market.gas_ratio>forecast.return_error@90", &["sign:rises"]), False),
            ("flat", links("market.gas_ratio>market.fee_yield_ratio@20", &["sign:rises"]), False),
            ("flat", links("market.volatility>forecast.yield_error@270", &["sign:rises"]), Unknown),
            ("default", claims(spike, up, 270), Unknown),
        ] {
            assert_eq!(said_by(&said, &truth(world, 3)), Some(found), "{world}: {said:?}");
        }
        // What turns with a mood is told by one series and not by another.
        let turning = truth("turning", 3);
        let teller = turning.links.iter().find_map(|link: &TrueLink| link.told_by).expect("a series tells of it");
        let edge = "market.return_90>forecast.return_error@90";
        for (mood, sign, found) in [
            (teller, "sign:rises", True),
            (teller, "sign:falls", False),
            (Field::MarketVolatilityRatio, "sign:rises", Unknown),
        ] {
            let tags = [sign.to_owned(), format!("{TURN_TAG}{mood}")];
            let said = links(edge, &tags.each_ref().map(String::as_str));
            assert_eq!(said_by(&said, &turning), Some(found), "{mood} {sign}");
        }
    }
}
