//! Experts and their entries: what is found in the residuals becomes an entry, and what reality says of an expert moves the
//! standing of the entry behind it.

use super::Grimoire;
use crate::admission::{Ruling, admit};
use crate::credit::{self, UNPROVEN_BP};
use crate::decay::MAX_CONFIDENCE_BP;
use crate::entry::{DecayClass, Entry, EntryBody, EntryId, EntryKind, Provenance};
use crate::experts::{Advised, ExpertNews, ExpertVerdict, Experts, FoundExpert, SaidByPanel};
use crate::retrieval::Nearby;
use crate::standing::{EntryStatus, Expectation, Support};
use crate::subject::{FOUND_TAG, SIGN_TAG, TURN_TAG};
use golem_core::VirtualTime;
use golem_core::observed::Snapshot;
use golem_mortality::{Domain, SettledForecast};

#[cfg(test)]
mod tests;

/// What a proven finding is believed at least, in basis points.
const PROVEN_BP: u16 = 7_000;

impl Grimoire {
    /// What is seen before this turn's forecasts: experts go by it.
    pub fn look(&mut self, now: VirtualTime, seen: &Snapshot) {
        self.experts.see(now, seen);
    }
    /// What a panel's forecast becomes when experts are heard.
    pub fn advise(&mut self, said: &SaidByPanel) -> Advised {
        self.experts.advise(said)
    }
    /// Forecasts have come due.
    pub fn settle_forecasts(&mut self, settled: &[SettledForecast], learns: bool) {
        settled.iter().for_each(|one| self.experts.settle(one, learns));
    }
    /// Who speaks beside the panels.
    #[must_use]
    pub fn experts(&self) -> &Experts {
        &self.experts
    }

    /// Every curator's cycle: entries hear of their experts, findings become entries, and who speaks is chosen anew.
    pub(super) fn hear_experts(&mut self, now: VirtualTime) {
        for news in self.experts.news() {
            self.tell_entry(&news, now);
        }
        for found in self.experts.found() {
            self.enter_found(&found, now);
        }
        self.experts.choose(&self.shelf, &self.series, now, true);
    }

    fn tell_entry(&mut self, news: &ExpertNews, now: VirtualTime) {
        let expects = Expectation { milli: libm::round(news.expects.0 * 1e3) as i32, blocks: news.expects.1 };
        self.shelf.stand(news.entry, |s| {
            s.uses = s.uses.saturating_add(1);
            s.expects = Some(expects);
            match news.what {
                ExpertVerdict::Proven => {
                    credit::validate(s, now);
                    s.confidence_bp = s.confidence_bp.max(PROVEN_BP);
                    if s.status == EntryStatus::Candidate {
                        s.status = EntryStatus::Active;
                    }
                }
                ExpertVerdict::Better => credit::confirm(s, now),
                ExpertVerdict::Useful => {}
                ExpertVerdict::NoBetter => credit::contradict(s),
                ExpertVerdict::Wrong => {
                    credit::contradict(s);
                    (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now));
                }
            }
        });
    }

    fn enter_found(&mut self, found: &FoundExpert, now: VirtualTime) {
        let body = self.found_body(found, now);
        // What was right once and is so again comes back; everything else passes the gate.
        let own = |e: &&Entry| e.body.provenance == Provenance::SelfGenerated;
        let aside = |e: &Entry| matches!(e.standing.status, EntryStatus::Quarantined(_));
        // What is kept aside waits for its proof, and nothing that says the same comes in beside it.
        if !found.proven && self.shelf.saying(&body).filter(own).any(aside) {
            return;
        }
        let known: Option<EntryId> = self.shelf.saying(&body).filter(own).map(|e| e.id).next();
        let support = Support { confirmed: found.record.0, contradicted: found.record.1.min(found.record.0) };
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        let id = known.or_else(|| match admit(&mut self.shelf, body, support, &near, now) {
            (verdict, Some(id)) if matches!(verdict.ruling, Ruling::Admit { .. }) => Some(id),
            _ => None,
        });
        let Some(id) = id else { return };
        let expects =
            Expectation { milli: libm::round(found.slope * 1e3) as i32, blocks: found.record.0 + found.record.1 };
        self.shelf.stand(id, |s| {
            (s.true_until, s.last_validated, s.low_cycles, s.expects) = (None, now, 0, Some(expects));
            if found.proven {
                s.status = EntryStatus::Active;
                s.confidence_bp = found.learner.confidence_bp().clamp(PROVEN_BP, MAX_CONFIDENCE_BP);
                s.own_validation = true;
                s.validators = s.validators.max(1);
            } else if s.status != EntryStatus::Active {
                // On trial, and no surer than what is on trial can be.
                (s.status, s.confidence_bp) = (EntryStatus::Candidate, s.confidence_bp.min(UNPROVEN_BP));
            }
        });
        if let Some(entry) = self.shelf.entry(id) {
            self.experts.adopt(entry, found);
        }
    }

    fn found_body(&self, found: &FoundExpert, now: VirtualTime) -> EntryBody {
        let text = found_words(found);
        let sign = format!("{SIGN_TAG}{}", if found.up { "rises" } else { "falls" });
        let mut tags = vec![FOUND_TAG.into()];
        if found.edge.is_some() {
            tags.push(sign);
            tags.extend(found.turned_by.map(|by| format!("{TURN_TAG}{by}")));
        }
        EntryBody {
            kind: if found.edge.is_some() { EntryKind::CausalLink } else { EntryKind::Insight },
            text,
            claim: found.claim.clone(),
            action: None,
            edge: found.edge.clone(),
            severity: None,
            time_to_live: None,
            decay_class: DecayClass::Regime,
            domain: Some(found.domain),
            regime: None,
            provenance: Provenance::SelfGenerated,
            origin: self.origin,
            is_bloodstain: false,
            is_question: false,
            tags,
            prototype: None,
            true_from: now,
            learnt_at: now,
            episodes: Vec::new(),
            parents: Vec::new(),
        }
    }
}

/// What was found, as a sentence: what will be how, and when, beside what would be forecast without it.
fn found_words(found: &FoundExpert) -> String {
    let (what, way) = (effect_words(found.domain), if found.up { "higher" } else { "lower" });
    let minutes = libm::round(found.domain.horizon().as_days() * 1_440.0) as u64;
    let later = match minutes {
        60 => "in an hour".to_owned(),
        whole if whole % 60 == 0 => format!("in {} hours", whole / 60),
        _ => format!("in {minutes} minutes"),
    };
    let when = found.claim.as_ref().map_or(String::new(), |c| format!("When {}, ", c.when));
    let cause = found.edge.as_deref().and_then(|e| e.split_once('>')).map(|(from, _)| from);
    let Some(from) = cause else {
        return format!("{when}{what} {later} will be {way} than the forecast without this.");
    };
    let turned =
        found.turned_by.map_or(String::new(), |by| format!(" The other way round while {by} is below what is usual."));
    let the = if when.is_empty() { "The" } else { "the" };
    format!("{when}{the} more of {from}, the {way} {what} {later}, beside the forecast without this.{turned}")
}

/// What a domain is about, in a word for people.
fn effect_words(domain: Domain) -> &'static str {
    match domain {
        Domain::PriceDirection => "the price",
        Domain::VolatilityRegime => "volatility",
        Domain::YieldTrend => "the fee yield",
        Domain::GasCondition => "gas",
        Domain::ProtocolState => "the protocol",
        Domain::ActionOutcome => "what an action brings",
    }
}
