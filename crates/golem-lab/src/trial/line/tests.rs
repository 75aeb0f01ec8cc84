//! What crosses from life to life in a line of the trial, and what its deaths are deaths of.

use super::super::cell::TrialCell;
use super::super::plan::Tuning;
use super::super::{Contrast, TrialData};
use super::*;
use golem_core::VirtualTime;
use golem_grimoire::change::NamedTable;
use golem_grimoire::staging::{Proposal, ProposalStatus, UnfinishedHypothesis};
use golem_grimoire::{Claim, EntryKind, EntryOrigin, Grimoire};
use golem_life::LifeStanding;
use golem_mortality::DeathCause;
use std::collections::BTreeMap;

#[test]
fn what_is_flat_is_left_at_two_fifths() {
    assert_eq!(golem_grimoire::decay::crossed(FLAT_BEFORE_CROSSING_BP, 1, 0), 4_000);
}

fn plan(days: u64) -> TrialPlan {
    TrialPlan {
        hypotheses: TrialPlan::hypotheses(),
        arms: TrialArm::ALL.to_vec(),
        contrasts: Contrast::ALL.to_vec(),
        cells: vec![TrialCell::Turning { law: "gas-hours".to_owned(), days: 60 }],
        paths: 1,
        first_seed: 1,
        days,
        budget: Usdc::whole(1_000),
        costs: true,
        frozen_after_days: 5,
        recovery_days: 5,
        tuning: Tuning { paths: 0, tried: Vec::new(), memory_days: 20 },
        primary: "forecast_loss".to_owned(),
        margins: BTreeMap::new(),
        level: 0.95,
        resamples: 400,
        sets: Vec::new(),
        settings: Settings::default().hash(),
        data: BTreeMap::new(),
        binary: Hash::of(b"this program"),
    }
}

fn terms<'a>(plan: &'a TrialPlan, path: &'a TrialPath, arm: TrialArm, base: &Settings) -> LineTerms<'a> {
    let settings = arm.settings(base, plan.frozen_after_days, plan.tuning.memory_days);
    LineTerms { plan, arm, settings, path, seed: 1, endings: Endings::ByClocks, stranger: &[], is_stranger: false }
}

impl LivingLine<'_> {
    /// Until an age, or its death.
    fn until(&mut self, days: f64) {
        while self.subject.age_days() < days && self.subject.turn() {}
    }
    /// It is ended here and now, and dies.
    fn dies(mut self) -> Self {
        let hour = self.hour_of(self.subject.life().age().age());
        self = self.ended(hour);
        while self.subject.turn() {}
        assert_eq!(self.subject.life().standing(), LifeStanding::Dead);
        self
    }
    fn cause(&self) -> DeathCause {
        self.subject.life().mortality().death.as_ref().expect("a death on record").cause.clone()
    }
}

/// A hypothesis that an heir has tested and refuted is finished: its own heir is not left it again, though it was left it itself.
#[test]
fn what_an_heir_has_refuted_does_not_cross_again() {
    let (plan, data) = (plan(60), TrialData::read(&[] as &[std::path::PathBuf], 1).expect("made"));
    let path = plan.cells[0].path(0, 1, plan.days, &data).expect("a path");
    let terms = terms(&plan, &path, TrialArm::Inherits, &Settings::default());
    let mut line = terms.begin().expect("a line");
    line.until(2.0);
    let mut left = line.heirloom();
    let untested = |gas: &str| UnfinishedHypothesis {
        text: format!("When gas is {gas} times its usual, fees follow."),
        kind: EntryKind::Insight,
        claim: Claim {
            when: format!("market.gas_ratio > {gas}"),
            then: "market.fee_yield_ratio > 1.5".to_owned(),
            unless: None,
            after_ticks: 90,
        },
        hits: 1,
        misses: 1,
    };
    left.hypotheses = vec![untested("2.0"), untested("3.0")];
    (line.genesis, line.secret) = terms.born(1, 0, plan.budget, Some(left.clone()));
    line.subject = put(&line.genesis, &line.secret, &line.floor, 0);
    let crossing = |line: &LivingLine<'_>| line.heirloom().hypotheses.into_iter().map(|h| h.claim).collect::<Vec<_>>();
    assert_eq!(crossing(&line).len(), 2, "what it never came to is left again");
    // Its file says that it tested one of them.
    let heir = EntryOrigin { golem: line.genesis.birth.id, generation: 1 };
    let mut staging = Grimoire::new(line.genesis.birth.name.clone(), heir);
    staging.stage_from_elsewhere(left.hypotheses[0].draft(0.5, heir, VirtualTime(0)), VirtualTime(0));
    let proposal = staging.staging().proposals().next().expect("it is staged").clone();
    let refuted = Proposal { status: ProposalStatus::Refuted(VirtualTime(1)), ..proposal };
    line.subject.note(NamedTable::Proposal, "1", serde_json::to_string(&refuted).expect("plain"));
    assert_eq!(crossing(&line), [untested("3.0").claim]);
}

/// Lives of a line keep what their heirs read.
#[test]
fn a_line_keeps_the_pages_of_its_dead() {
    let (plan, data) = (plan(60), TrialData::read(&[] as &[std::path::PathBuf], 1).expect("made"));
    let path = plan.cells[0].path(0, 1, plan.days, &data).expect("a path");
    let terms = terms(&plan, &path, TrialArm::Inherits, &Settings::default());
    let mut line = terms.begin().expect("a line");
    line.until(2.0);
    let line = line.dies();
    assert!(line.subject.written().any(|(table, ..)| table == NamedTable::Testament), "and its testament among them");
}

/// Whoever dies by its clocks dies of what they have on record; a sham, and whoever dies at somebody else's time before its own
/// clocks say anything, dies by an order.
#[test]
fn a_death_by_the_clocks_has_their_cause() {
    let (plan, data) = (plan(60), TrialData::read(&[] as &[std::path::PathBuf], 1).expect("made"));
    let path = plan.cells[0].path(0, 1, plan.days, &data).expect("a path");
    let mut young = Settings::default();
    young.mortality.stochastic.base_hazard_rate = 4e-5;
    for (arm, own) in [
        (TrialArm::Inherits, true),
        (TrialArm::NoInheritance, true),
        (TrialArm::PermutedDeaths, true),
        (TrialArm::ShamDeath, false),
    ] {
        let terms = terms(&plan, &path, arm, &young);
        let mut line = terms.begin().expect("a line");
        while line.subject.life().mortality().would_have_died_at.is_none() {
            assert!(line.subject.turn(), "a hazard like this ends it within sixty days");
        }
        let recorded =
            line.subject.life().mortality().would_have_died_at.clone().expect("a death that was written down");
        let line = line.dies();
        let own_cause = line.cause() == recorded.cause;
        assert_eq!(own_cause, own, "{arm:?}: {:?}", line.cause());
        assert_eq!(matches!(line.cause(), DeathCause::OwnerKill { .. }), !own, "{arm:?}");
        // Nothing on record, nothing to die of.
        let mut early = terms.begin().expect("a line");
        early.until(1.0);
        let early = early.dies();
        assert!(matches!(early.cause(), DeathCause::OwnerKill { .. }), "{arm:?}: {:?}", early.cause());
    }
}

/// A death by ignorance leaves its questions, as it does where clocks kill by themselves: an heir of the trial knows what its
/// predecessor died of.
#[test]
fn a_death_of_the_trial_teaches_what_its_cause_teaches() {
    let (plan, data) = (plan(60), TrialData::read(&[] as &[std::path::PathBuf], 1).expect("made"));
    let path = plan.cells[0].path(0, 1, plan.days, &data).expect("a path");
    let mut settings = Settings::default();
    settings.mortality.stochastic.enabled = false;
    let terms = terms(&plan, &path, TrialArm::Inherits, &settings);
    // Poor from the first day on: the money is gone before anything else.
    let poor = TrialPlan { budget: Usdc::whole(4), ..plan.clone() };
    let terms = LineTerms { plan: &poor, ..terms };
    let mut line = terms.begin().expect("a line");
    while line.subject.life().mortality().would_have_died_at.is_none() {
        assert!(line.subject.turn(), "four dollars do not last for sixty days");
    }
    let line = line.dies();
    assert!(matches!(line.cause(), DeathCause::Economic { .. }), "{:?}", line.cause());
    let death = line.subject.life().mortality().death.clone().expect("on record");
    assert_eq!(death.tick, line.subject.life().mortality().would_have_died_at.as_ref().expect("as recorded").tick);
}
