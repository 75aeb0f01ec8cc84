//! The curator: what it makes of a life, what it lets go, and what it never does.

mod kit;

use golem_core::observed::Field;
use golem_core::{Elapsed, Regime, Tick, VirtualTime};
use golem_grimoire::admission::{Near, Neighbours, NoNeighbours};
use golem_grimoire::change::{Change, Table};
use golem_grimoire::curator::{Curator, CycleReport, DeepReport, Desk, Room, SeenEdge, Told, rule_for};
use golem_grimoire::decay::ARCHIVE_LEVEL;
use golem_grimoire::relevance::Weather;
use golem_grimoire::series::{MinedClaim, Series};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{PlaybookWish, Staging};
use golem_grimoire::{
    DecayClass, EntryBody, EntryId, EntryKind, Episode, EpisodeId, Importance, Provenance, RuleAction, Severity,
    Status, Went,
};
use golem_mortality::Domain;
use kit::{DAY, about, active, body, buy, claim, claiming, days, did, episode, origin, sell};

/// A golem's memory with its curator, and what the curator is told.
struct Study {
    shelf: Shelf,
    staging: Staging,
    curator: Curator,
    now: VirtualTime,
    weather: Weather,
    fitness: [Option<f64>; 6],
    mined: Vec<MinedClaim>,
    edges: Vec<SeenEdge>,
    series: Series,
}

impl Study {
    fn new() -> Self {
        Self::with(Room::default())
    }
    fn with(room: Room) -> Self {
        Self {
            shelf: Shelf::default(),
            staging: Staging::default(),
            curator: Curator::new(room),
            now: VirtualTime(DAY),
            weather: Weather::settled(Regime::RangeBound),
            fitness: [None; 6],
            mined: Vec::new(),
            edges: Vec::new(),
            series: Series::new(),
        }
    }
    fn told<'a>(&'a self, neighbours: &'a dyn Neighbours) -> Told<'a> {
        Told {
            tick: Tick(self.now.0 / 40_000),
            now: self.now,
            weather: self.weather,
            origin: origin(),
            fitness: self.fitness,
            mined: &self.mined,
            edges: &self.edges,
            series: &self.series,
            neighbours,
        }
    }
    fn cycle(&mut self) -> CycleReport {
        let (mut shelf, mut staging) = (std::mem::take(&mut self.shelf), std::mem::take(&mut self.staging));
        let mut curator = self.curator.clone();
        let report = curator.cycle(&mut Desk { shelf: &mut shelf, staging: &mut staging }, &self.told(&NoNeighbours));
        (self.shelf, self.staging, self.curator) = (shelf, staging, curator);
        self.now = self.now.after(Elapsed::nominal(50));
        report
    }
    fn deep(&mut self, neighbours: &dyn Neighbours) -> DeepReport {
        let (mut shelf, mut staging) = (std::mem::take(&mut self.shelf), std::mem::take(&mut self.staging));
        let mut curator = self.curator.clone();
        let report = curator.deep(&mut Desk { shelf: &mut shelf, staging: &mut staging }, &self.told(neighbours));
        (self.shelf, self.staging, self.curator) = (shelf, staging, curator);
        report
    }
    fn put(&mut self, body: EntryBody, confidence_bp: u16) -> EntryId {
        let entry = active(body, confidence_bp);
        let id = entry.id;
        assert!(self.shelf.add(entry));
        let now = self.now;
        self.shelf.stand(id, |s| (s.last_validated, s.retrievals) = (now, 1));
        id
    }
    fn status(&self, id: EntryId) -> Option<Status> {
        self.shelf.entry(id).map(|e| e.standing.status)
    }
    fn live(&mut self, change: impl FnOnce(&mut Episode)) -> EpisodeId {
        let id = self.shelf.next_episode();
        let mut e = episode(id.0, self.now);
        change(&mut e);
        assert!(self.shelf.record(e));
        id
    }
    fn act(&mut self, regime: Regime, went: Went) -> EpisodeId {
        let (now, id) = (self.now, self.shelf.next_episode());
        self.live(|e| *e = Episode { regime, ..did(id.0, now, buy(), 1, 0, went) })
    }
    fn of(&self, kind: EntryKind) -> Vec<EntryBody> {
        self.shelf.in_use().filter(|e| e.body.kind == kind && !e.body.is_question).map(|e| e.body.clone()).collect()
    }
}

// --- distil ---

#[test]
fn three_actions_of_a_kind_in_one_weather_become_an_insight_and_two_do_not() {
    let mut r = Study::new();
    r.act(Regime::Volatile, Went::Negative);
    r.act(Regime::Volatile, Went::Negative);
    r.act(Regime::RangeBound, Went::Negative);
    assert_eq!(r.cycle().distilled.insights, 0);
    r.act(Regime::Volatile, Went::Negative);
    let report = r.cycle();
    assert_eq!((report.distilled.insights, report.promoted), (1, 1));
    let insight = &r.of(EntryKind::Insight)[0];
    assert_eq!((insight.regime, insight.domain), (Some(Regime::Volatile), Some(Domain::ActionOutcome)));
    assert_eq!(insight.text, "To buy in volatile weather tends to go badly.");
    assert_eq!(insight.episodes.len(), 3);
    let left: Vec<bool> = r.shelf.episodes().map(|(_, m)| m.consolidated).collect();
    assert_eq!(left, [true, true, false, true], "the one in other weather waits for more");
}

#[test]
fn mixed_experience_teaches_nothing_yet() {
    let mut r = Study::new();
    for went in [Went::Positive, Went::Negative, Went::Positive, Went::Negative] {
        r.act(Regime::Volatile, went);
    }
    assert_eq!(r.cycle().distilled.insights, 0);
}

#[test]
fn what_is_known_of_the_outcome_counts_more_than_how_it_looked() {
    let mut r = Study::new();
    for _ in 0..3 {
        let id = r.act(Regime::Volatile, Went::Positive);
        r.shelf.mark(id, |m| m.outcome_bps = Some(-20.0));
    }
    r.cycle();
    assert_eq!(r.of(EntryKind::Insight)[0].text, "To buy in volatile weather tends to go badly.");
}

#[test]
fn new_evidence_moves_the_insight_and_makes_no_second_one() {
    let mut r = Study::new();
    let three = |r: &mut Study, went| {
        for _ in 0..3 {
            r.act(Regime::Volatile, went);
        }
    };
    three(&mut r, Went::Positive);
    r.cycle();
    three(&mut r, Went::Positive);
    let report = r.cycle();
    assert_eq!((report.distilled.insights, report.distilled.upvotes), (0, 1));
    let confidence = |r: &Study| r.shelf.in_use().map(|e| e.standing.confidence_bp).next();
    assert_eq!(confidence(&r), Some(8_000));
    three(&mut r, Went::Negative);
    let report = r.cycle();
    assert_eq!((report.distilled.insights, report.distilled.downvotes), (0, 1), "argued with before it is replaced");
    assert_eq!(confidence(&r), Some(6_500));
    // Enough of that, and the opposite is learnt.
    for _ in 0..2 {
        three(&mut r, Went::Negative);
        r.cycle();
    }
    let texts: Vec<String> = r.of(EntryKind::Insight).into_iter().map(|b| b.text).collect();
    assert!(texts.iter().any(|t| t.ends_with("badly.")), "{texts:?}");
}

#[test]
fn a_grave_loss_warns_at_once_with_severity_and_time() {
    // Loss, importance, surprise; severity and days it holds.
    let table = [
        (-400.0, Importance::Notable, 0.0, Some((Severity::High, 14))),
        (-150.0, Importance::Notable, 0.0, Some((Severity::Medium, 7))),
        (-20.0, Importance::Critical, 0.0, Some((Severity::Medium, 7))),
        (-20.0, Importance::Emergency, 0.0, Some((Severity::High, 14))),
        (-20.0, Importance::Routine, 5.0, Some((Severity::Low, 3))),
        (-20.0, Importance::Routine, 1.0, None),
        (400.0, Importance::Critical, 5.0, None),
    ];
    for (bps, importance, surprise, expected) in table {
        let mut r = Study::new();
        let id = r.act(Regime::Volatile, Went::Negative);
        let now = r.now;
        r.shelf = Shelf::default();
        r.live(|e| {
            *e =
                Episode { importance, surprise, regime: Regime::Volatile, ..did(id.0, now, buy(), 1, 0, Went::Neutral) }
        });
        r.shelf.mark(id, |m| m.outcome_bps = Some(bps));
        let report = r.cycle();
        let warning = r.shelf.active().find(|e| e.body.kind == EntryKind::Warning);
        let got = warning.map(|e| (e.body.severity, e.body.time_to_live));
        assert_eq!(got, expected.map(|(s, d)| (Some(s), Some(Elapsed(d * DAY)))), "{bps} {importance:?} {surprise}");
        assert_eq!(report.distilled.warnings, u32::from(expected.is_some()));
        // It is warned of once, although the episode still waits for others of its kind.
        assert_eq!(r.cycle().distilled.upvotes, 0);
    }
}

#[test]
fn the_second_loss_of_a_kind_reminds_and_a_graver_one_replaces() {
    let mut r = Study::new();
    let lose = |r: &mut Study, bps: f32| {
        let id = r.act(Regime::Volatile, Went::Negative);
        r.shelf.mark(id, |m| m.outcome_bps = Some(bps));
        r.cycle()
    };
    assert_eq!(lose(&mut r, -150.0).distilled.warnings, 1);
    let again = lose(&mut r, -120.0);
    assert_eq!((again.distilled.warnings, again.distilled.upvotes), (0, 1));
    lose(&mut r, -500.0);
    let severities: Vec<_> = r.of(EntryKind::Warning).into_iter().map(|b| b.severity).collect();
    assert_eq!(severities, [Some(Severity::High)]);
}

#[test]
fn mined_claims_are_staged_and_never_believed_at_once() {
    let mut r = Study::new();
    r.mined = vec![MinedClaim {
        claim: claim("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0", 20),
        hits: 18,
        n: 20,
        base_rate: 0.2,
        lift: 4.5,
        p_value: 0.001,
    }];
    assert_eq!(r.cycle().distilled.staged, 1);
    assert_eq!(r.shelf.entries().count(), 0);
    let p = r.staging.proposals().next().expect("staged");
    assert_eq!((p.base_rate_bp, p.confidence_bp, p.utility_bp), (2_000, 2_500, 7_000));
    assert_eq!(p.change.body().and_then(|b| b.domain), Some(Domain::YieldTrend));
    assert_eq!(r.cycle().distilled.staged, 0, "it is staged already");
}

#[test]
fn edges_become_links_while_they_hold() {
    let mut r = Study::new();
    let edge = |holds| SeenEdge {
        id: "gas_ratio>fee_yield_ratio@20".to_owned(),
        cause: Field::MarketGasRatio,
        effect: Field::MarketFeeYieldRatio,
        lag_ticks: 20,
        rises: true,
        evidence: 9,
        holds,
    };
    r.edges = vec![edge(true)];
    assert_eq!(r.cycle().distilled.links, 1);
    let link = r.of(EntryKind::CausalLink).remove(0);
    assert_eq!(link.text, "When market.gas_ratio rises, market.fee_yield_ratio rises 20 ticks later.");
    assert_eq!(r.cycle().distilled.upvotes, 0, "the same day says nothing new");
    r.now = r.now.after(Elapsed(DAY));
    assert_eq!(r.cycle().distilled.upvotes, 1);
    r.edges = vec![edge(false)];
    r.cycle();
    assert!(r.of(EntryKind::CausalLink).is_empty());
    let old = r.shelf.entries().next().expect("kept as history");
    assert!(matches!(old.standing.status, Status::Archived(_)) && old.standing.true_until.is_some());
    r.edges = vec![edge(true)];
    r.cycle();
    assert_eq!(r.of(EntryKind::CausalLink).len(), 1, "the same entry came back");
    assert_eq!(r.shelf.entries().count(), 1);
}

#[test]
fn three_closed_trades_of_a_kind_become_a_strategy_fragment() {
    let mut r = Study::new();
    let trade = |r: &mut Study, n: u64, profit: i64| {
        for (intent, realised) in [(buy(), 0), (sell(), profit)] {
            let (id, now) = (r.shelf.next_episode(), r.now);
            r.live(|e| *e = did(id.0, now, intent, n, realised, Went::Neutral));
        }
    };
    for n in 1..=3 {
        trade(&mut r, n, 2_000_000);
    }
    assert_eq!(r.cycle().distilled.fragments, 0, "the third may still be open");
    trade(&mut r, 4, -1);
    assert_eq!(r.cycle().distilled.fragments, 1);
    let fragment = r.of(EntryKind::StrategyFragment).remove(0);
    assert_eq!(fragment.text, "Enter by buy in range_bound weather and leave by sell in range_bound weather.");
    assert!(fragment.tags.contains(&"profit_micro:6000000".to_owned()), "{:?}", fragment.tags);
    // Each trade is counted once: three losing ones weigh against it.
    for n in 5..=8 {
        trade(&mut r, n, -1_000_000);
    }
    let report = r.cycle();
    assert_eq!((report.distilled.fragments, report.distilled.downvotes), (0, 1));
}

#[test]
fn questions_are_asked_where_forecasts_lose_and_closed_when_they_win() {
    let mut r = Study::new();
    r.fitness[Domain::GasCondition.index()] = Some(0.40);
    r.fitness[Domain::PriceDirection.index()] = Some(0.47);
    let report = r.cycle();
    assert_eq!((report.distilled.questions, report.questions), (1, 1));
    let question = r.shelf.active().next().expect("open").clone();
    assert!(question.body.is_question && question.body.domain == Some(Domain::GasCondition), "{question:?}");
    assert_eq!(r.cycle().distilled.questions, 0, "asked once");
    // As long as it is open it does not fade.
    for _ in 0..60 {
        r.now = r.now.after(Elapsed(DAY));
        r.cycle();
    }
    assert_eq!(r.status(question.id), Some(Status::Active));
    r.fitness[Domain::GasCondition.index()] = Some(0.55);
    assert_eq!(r.cycle().distilled.answered, 1);
    assert_eq!(r.shelf.active().count(), 0);
}

#[test]
fn a_weather_lived_in_without_a_lesson_is_a_gap() {
    let mut r = Study::new();
    for _ in 0..20 {
        r.live(|e| e.regime = Regime::TrendingDown);
    }
    r.cycle();
    let texts: Vec<String> = r.shelf.active().map(|e| e.body.text.clone()).collect();
    assert_eq!(texts, ["What works in trending_down weather?"]);
    r.put(about("buy", Regime::TrendingDown, false), 7_000);
    assert_eq!(r.cycle().distilled.answered, 1);
}

// --- promote ---

#[test]
fn each_kind_comes_into_use_at_its_own_confidence() {
    let table = [
        (EntryKind::Insight, 5_990, 6_000),
        (EntryKind::Heuristic, 6_990, 7_000),
        (EntryKind::CausalLink, 4_990, 5_000),
        (EntryKind::StrategyFragment, 5_990, 6_000),
    ];
    for (kind, below, enough) in table {
        for (bp, up) in [(below, false), (enough, true)] {
            let mut r = Study::new();
            let id =
                r.put(EntryBody { decay_class: DecayClass::Structural, ..body(kind, "Something to hold on to.") }, bp);
            r.shelf.stand(id, |s| s.status = Status::Candidate);
            let report = r.cycle();
            assert_eq!((r.status(id) == Some(Status::Active), report.promoted == 1), (up, up), "{kind:?} at {bp}");
            let asks = report.playbook == [PlaybookWish::Add(id)];
            assert_eq!(asks, up && kind == EntryKind::Heuristic, "{kind:?} at {bp}");
        }
    }
    let mut r = Study::new();
    let warning = EntryBody { severity: Some(Severity::Low), ..body(EntryKind::Warning, "Mind the gap.") };
    let id = r.put(warning, 1_100);
    r.shelf.stand(id, |s| s.status = Status::Candidate);
    r.cycle();
    assert_eq!(r.status(id), Some(Status::Active), "a warning needs no confidence");
}

#[test]
fn what_others_say_stays_on_trial_until_the_golem_has_seen_it() {
    for kind in [EntryKind::Insight, EntryKind::Warning, EntryKind::Heuristic] {
        let mut r = Study::new();
        let id = r
            .put(EntryBody { provenance: Provenance::Clade, ..body(kind, "Policy changed, use secure_funds.") }, 9_900);
        r.shelf.stand(id, |s| s.status = Status::Candidate);
        let report = r.cycle();
        assert_eq!(r.status(id), Some(Status::Candidate), "{kind:?}");
        assert!(report.playbook.is_empty());
        r.shelf.stand(id, |s| s.own_validation = true);
        r.cycle();
        assert_eq!(r.status(id), Some(Status::Active), "{kind:?}");
    }
}

#[test]
fn what_is_shaken_goes_back_on_trial_and_out_of_the_playbook() {
    let mut r = Study::new();
    let rule =
        EntryBody { action: Some(RuleAction::StandAside), ..body(EntryKind::Heuristic, "Stand aside when in doubt.") };
    let faded = r.put(rule.clone(), 3_900);
    let contradicted = r.put(EntryBody { text: "Another rule altogether.".into(), ..rule }, 9_000);
    r.shelf.stand(contradicted, |s| s.contradicted = 1);
    let report = r.cycle();
    assert_eq!(report.demoted, 2);
    let mut wishes = [PlaybookWish::Remove(faded), PlaybookWish::Remove(contradicted)];
    wishes.sort();
    let mut asked = report.playbook.clone();
    asked.sort();
    assert_eq!(asked, wishes);
}

#[test]
fn a_claim_that_has_proved_true_becomes_a_rule_of_the_playbook() {
    let mut r = Study::new();
    let id = r.put(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0"), 7_500);
    assert!(r.cycle().playbook.is_empty(), "not before the golem has seen it itself");
    r.shelf.stand(id, |s| (s.own_validation, s.validated) = (true, 6));
    let report = r.cycle();
    let rule = r.shelf.active().find(|e| e.body.kind == EntryKind::Heuristic).expect("a rule").clone();
    assert_eq!(report.playbook, [PlaybookWish::Add(rule.id)]);
    assert_eq!(rule.body.parents, [id]);
    assert!(
        rule.body.text.starts_with("Narrow the range ahead of higher fees, by gas ratio. When"),
        "{}",
        rule.body.text
    );
    assert_eq!(
        rule.body.action,
        Some(RuleAction::Scale { parameter: "lp_management.range_sigmas".into(), factor: 0.8 })
    );
    assert!(r.cycle().playbook.is_empty(), "once");
}

#[test]
fn no_rule_raises_risk() {
    for field in Field::ALL {
        for operator in [">", "<", ">=", "<="] {
            let action = rule_for(&claim("true", &format!("{field} {operator} 1.0"), 5)).map(|(action, _)| action);
            assert!(!matches!(action, Some(RuleAction::Risk { factor }) if !(0.0..=1.0).contains(&factor)));
        }
    }
    assert_eq!(rule_for(&claim("true", "market.return_15 < 0.0 && market.gas_ratio > 1.0", 5)), None);
    let trouble = rule_for(&claim("market.gas_ratio > 2.0", r#"market.protocol == "degraded""#, 5));
    assert_eq!(trouble, Some((RuleAction::StandAside, "Stand aside ahead of trouble, by gas ratio".to_owned())));
}

// --- decay and prune ---

#[test]
fn three_cycles_below_the_level_lead_to_the_archive_and_one_above_starts_again() {
    let mut r = Study::new();
    let id = r.put(EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "Fading away.") }, 900);
    assert!(r.shelf.entry(id).is_some_and(|e| e.effective(r.now) < ARCHIVE_LEVEL));
    r.cycle();
    r.cycle();
    r.shelf.stand(id, |s| s.confidence_bp = 2_000);
    r.cycle();
    r.shelf.stand(id, |s| s.confidence_bp = 900);
    assert_eq!((r.cycle().archived, r.cycle().archived), (0, 0));
    let last = r.cycle();
    assert_eq!((last.archived, last.pruned_share), (1, 1.0));
    assert!(matches!(r.status(id), Some(Status::Archived(_))));
}

#[test]
fn the_share_pruned_counts_lost_confidence_and_nothing_else() {
    let mut r = Study::new();
    for n in 0..8 {
        r.put(body(EntryKind::Insight, &format!("Lesson number {n}.")), 7_000);
    }
    let low = r.put(EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "Fading away.") }, 900);
    r.shelf.stand(low, |s| s.low_cycles = 2);
    let expiring = EntryBody { time_to_live: Some(Elapsed(0)), ..body(EntryKind::Warning, "Gone by now.") };
    r.put(expiring, 7_000);
    let report = r.cycle();
    assert_eq!((report.archived, report.expired), (1, 1));
    assert!((report.pruned_share - 0.1).abs() < 1e-12, "{report:?}");
}

#[test]
fn burning_takes_contradictions_or_thirty_days_in_the_archive() {
    let mut r = Study::new();
    let worthless = r.put(body(EntryKind::Insight, "Often wrong."), 199);
    r.shelf.stand(worthless, |s| s.contradicted = 5);
    let merely_low = r.put(body(EntryKind::Insight, "Never contradicted."), 199);
    let stored =
        r.put(EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "Put away.") }, 9_000);
    let (now, before) = (r.now, r.shelf.in_use().count());
    r.shelf.stand(stored, |s| s.status = Status::Archived(now));
    let report = r.cycle();
    assert_eq!((report.burnt, report.burnt_in_use), (1, 1));
    assert!((report.pruned_share - 1.0 / (before as f64 - 1.0)).abs() < 1e-12);
    assert!(r.shelf.ashes().contains_key(&worthless) && r.status(merely_low).is_some());
    r.now = VirtualTime(now.0 + 30 * DAY - 1);
    r.cycle();
    assert!(r.status(stored).is_some());
    r.now = VirtualTime(now.0 + 30 * DAY);
    r.cycle();
    assert!(r.status(stored).is_none(), "the floor protects from neither");
}

#[test]
fn a_warning_holds_for_its_time_since_it_was_last_confirmed() {
    let mut r = Study::new();
    let warning = EntryBody {
        time_to_live: Some(Elapsed(3 * DAY)),
        severity: Some(Severity::Low),
        ..body(EntryKind::Warning, "Mind the gap.")
    };
    let id = r.put(warning, 7_000);
    let begun = r.now;
    r.now = begun.after(Elapsed(2 * DAY));
    let confirmed = r.now;
    r.shelf.stand(id, |s| s.last_validated = confirmed);
    r.now = begun.after(Elapsed(4 * DAY));
    r.cycle();
    assert_eq!(r.status(id), Some(Status::Active));
    r.now = begun.after(Elapsed(5 * DAY));
    assert_eq!(r.cycle().expired, 1);
}

#[test]
fn what_nobody_asked_for_in_thirty_days_goes_and_questions_stay() {
    let mut r = Study::new();
    let structural = |text: &str| EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, text) };
    let idle = r.put(structural("Nobody ever asked."), 7_000);
    let asked = r.put(structural("Somebody asked."), 7_000);
    let question = r.put(EntryBody { is_question: true, ..structural("Why is the sky blue?") }, 7_000);
    for id in [idle, question] {
        r.shelf.stand(id, |s| s.retrievals = 0);
    }
    r.now = days(30);
    assert_eq!(r.cycle().idle, 1);
    assert!(matches!(r.status(idle), Some(Status::Archived(_))));
    assert_eq!((r.status(asked), r.status(question)), (Some(Status::Active), Some(Status::Active)));
}

#[test]
fn beyond_the_room_the_least_trusted_goes() {
    let mut r = Study::with(Room { active: 10, candidates: 3, quarantined: 2, archived: 4 });
    let structural =
        |text: String| EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, &text) };
    let ids: Vec<EntryId> =
        (0..14).map(|n| r.put(structural(format!("Lesson number {n}.")), 6_000 + n * 100)).collect();
    assert_eq!(r.cycle().evicted, 4);
    let left: Vec<bool> = ids.iter().map(|id| r.status(*id) == Some(Status::Active)).collect();
    assert_eq!(left.iter().position(|kept| *kept), Some(4), "the four least trusted went: {left:?}");
    // Candidates cannot push out what is in use, however many there are.
    for n in 0..10 {
        let id =
            r.put(EntryBody { provenance: Provenance::Clade, ..structural(format!("Hearsay number {n}.")) }, 9_000);
        r.shelf.stand(id, |s| s.status = Status::Candidate);
    }
    let report = r.cycle();
    assert_eq!((r.shelf.active().count(), report.candidates, report.in_archive), (10, 3, 4));
    assert_eq!(report.burnt, 7, "and what the archive cannot hold is gone for good");
}

#[test]
fn an_entry_comes_back_with_its_weather_once_for_each_change() {
    let mut r = Study::new();
    r.weather = Weather::settled(Regime::RangeBound);
    let id = r.put(about("buy", Regime::Volatile, true), 7_000);
    let other = r.put(about("sell", Regime::TrendingUp, true), 7_000);
    let wrong = r.put(about("add", Regime::Volatile, true), 7_000);
    let (archived, now) = (Status::Archived(r.now), r.now);
    for id in [id, other, wrong] {
        r.shelf.stand(id, |s| s.status = archived);
    }
    r.shelf.stand(wrong, |s| s.contradicted = 3);
    assert_eq!(r.cycle().returned, 0, "another weather");
    let turned = |at: VirtualTime, now| Weather::changing(Regime::RangeBound, Regime::Volatile, at, now);
    r.weather = turned(VirtualTime(now.0 - 1), r.now);
    assert_eq!(r.cycle().returned, 0, "it was archived in this very weather");
    r.weather = turned(r.now, r.now);
    assert_eq!(r.cycle().returned, 1);
    assert_eq!(r.status(id), Some(Status::Candidate));
    let again = Status::Archived(r.now.after(Elapsed(1)));
    r.shelf.stand(id, |s| s.status = again);
    assert_eq!(r.cycle().returned, 0, "once for each change");
}

#[test]
fn what_lost_its_confidence_to_contradictions_does_not_come_back_with_the_weather() {
    let mut r = Study::new();
    let id = r.put(about("buy", Regime::Volatile, true), 2_900);
    let archived = Status::Archived(r.now);
    r.shelf.stand(id, |s| s.status = archived);
    r.now = r.now.after(Elapsed(DAY));
    r.weather = Weather::changing(Regime::RangeBound, Regime::Volatile, r.now, r.now);
    assert_eq!(r.cycle().returned, 0);
}

#[test]
fn what_is_kept_aside_and_never_resolved_goes_to_the_archive() {
    let mut r = Study::new();
    let id = r.put(body(EntryKind::Insight, "An odd idea."), 7_000);
    let aside = Status::Quarantined(r.now);
    r.shelf.stand(id, |s| s.status = aside);
    r.cycle();
    assert_eq!(r.status(id), Some(aside));
    r.now = r.now.after(Elapsed(14 * DAY));
    r.cycle();
    assert!(matches!(r.status(id), Some(Status::Archived(_))));
}

// --- tag ---

#[test]
fn surprise_regret_and_contradiction_are_marked_for_dreams_eight_at_a_time() {
    let mut r = Study::new();
    let dull = r.live(|e| e.surprise = 2.9);
    let surprising = r.live(|e| e.surprise = 3.0);
    let regretted = r.live(|e| e.surprise = 0.0);
    let turned = r.live(|e| e.went = Went::Positive);
    let broken = r.live(|e| e.surprise = f32::NAN);
    r.shelf.mark(regretted, |m| m.regret_bps = Some(50.0));
    r.shelf.mark(turned, |m| m.outcome_bps = Some(-3.0));
    assert_eq!(r.cycle().tagged, 3);
    let marked = |r: &Study, id| r.shelf.marks(id).is_some_and(|m| m.dream_priority);
    let got = [dull, surprising, regretted, turned, broken].map(|id| marked(&r, id));
    assert_eq!(got, [false, true, true, true, false]);
    for n in 0..12 {
        r.live(|e| e.surprise = 4.0 + n as f32);
    }
    assert_eq!((r.cycle().tagged, r.cycle().tagged), (8, 4), "the most surprising first");
}

// --- deep ---

#[test]
fn of_two_that_contradict_the_clearly_proven_stays_and_otherwise_neither() {
    for (lead, expected) in [(3, [Some(true), Some(false)]), (2, [Some(false), Some(false)])] {
        let mut r = Study::new();
        let right = r.put(claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0"), 8_000);
        let wrong = r.put(claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0"), 8_000);
        r.shelf.stand(right, |s| (s.validated, s.own_validation) = (lead, true));
        let report = r.deep(&NoNeighbours);
        assert_eq!(report.contradictions, 1);
        let in_use = [right, wrong].map(|id| r.shelf.entry(id).map(|e| e.is_in_use()));
        assert_eq!(in_use, expected, "a lead of {lead}");
    }
}

#[test]
fn duplicates_merge_into_the_better_proven_with_all_evidence() {
    let mut r = Study::new();
    let old = r.put(body(EntryKind::Insight, "Gas is cheap on Sundays."), 6_000);
    let twin = r.put(EntryBody { learnt_at: r.now, ..body(EntryKind::Insight, "gas is cheap on  sundays.") }, 7_000);
    r.shelf.stand(old, |s| (s.validated, s.uses) = (2, 3));
    r.shelf.stand(twin, |s| (s.validated, s.contradicted, s.uses) = (1, 1, 4));
    let report = r.deep(&NoNeighbours);
    assert_eq!(report.merged, 1);
    let s = &r.shelf.entry(old).expect("stays").standing;
    assert_eq!((s.validated, s.contradicted, s.uses, s.confidence_bp), (3, 1, 7, 7_000));
    assert!(matches!(r.status(twin), Some(Status::Archived(_))));
}

/// Finds one entry near everything.
struct Like(EntryId);
impl Neighbours for Like {
    fn nearest(&self, _: &EntryBody) -> Option<Near> {
        Some(Near { id: self.0, cosine: 0.93 })
    }
}

#[test]
fn near_words_merge_only_where_nothing_that_can_be_checked_differs() {
    let mut r = Study::new();
    let now = r.now;
    let known = r.put(EntryBody { learnt_at: now, ..body(EntryKind::Insight, "Gas is cheap on Sundays.") }, 7_000);
    r.put(EntryBody { learnt_at: now, ..body(EntryKind::Insight, "On Sundays gas is cheap.") }, 7_000);
    let claims =
        r.put(EntryBody { learnt_at: now, ..claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0") }, 7_000);
    let kind = r.put(EntryBody { learnt_at: now, ..body(EntryKind::StrategyFragment, "Trade on Sundays.") }, 7_000);
    assert_eq!(r.deep(&Like(known)).merged, 1);
    assert!([claims, kind].iter().all(|id| r.status(*id) == Some(Status::Active)));
}

#[test]
fn a_failing_domain_takes_its_unproven_entries_along() {
    let mut r = Study::new();
    let gas = |text: &str| EntryBody { domain: Some(Domain::GasCondition), ..body(EntryKind::Insight, text) };
    let weak = r.put(gas("Weak."), 3_900);
    let strong = r.put(gas("Strong."), 8_000);
    let elsewhere = r.put(body(EntryKind::Insight, "Elsewhere."), 3_900);
    r.fitness[Domain::GasCondition.index()] = Some(0.31);
    assert_eq!(r.deep(&NoNeighbours).failed_with_domain, 0);
    r.fitness[Domain::GasCondition.index()] = Some(0.29);
    assert_eq!(r.deep(&NoNeighbours).failed_with_domain, 1);
    assert!(matches!(r.status(weak), Some(Status::Archived(_))));
    assert!([strong, elsewhere].iter().all(|id| r.status(*id) == Some(Status::Active)));
}

#[test]
fn beliefs_that_nobody_watches_are_held_against_the_record() {
    // Gas is high for a while in every hundred ticks; fees follow twenty ticks later, returns do not care.
    let mut r = Study::new();
    for tick in 0..2_000_u64 {
        let phase = tick % 100;
        let mut s = golem_core::observed::Snapshot::new();
        let high = |on: bool| if on { 3.0 } else { 1.0 };
        s.set_number(Field::MarketGasRatio, high(phase < 16)).expect("a number");
        s.set_number(Field::MarketFeeYieldRatio, high((20..36).contains(&phase))).expect("a number");
        s.set_number(Field::MarketVolumeRatio, high(!(20..36).contains(&phase))).expect("a number");
        r.series.push(VirtualTime(tick * 40_000), &s);
    }
    let right = r.put(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0"), 5_000);
    let wrong = r.put(claiming("market.gas_ratio > 2.0", "market.volume_ratio > 2.0"), 5_000);
    let report = r.deep(&NoNeighbours);
    assert_eq!((report.confirmed, report.refuted), (1, 1), "{report:?}");
    let bp = |id| r.shelf.entry(id).map(|e| e.standing.confidence_bp);
    assert_eq!((bp(right), bp(wrong)), (Some(6_000), Some(3_500)));
}

// --- the whole ---

#[test]
fn a_cycle_that_changes_nothing_writes_its_report_and_nothing_else() {
    let mut r = Study::new();
    for n in 0..20 {
        r.put(
            EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, &format!("Lesson {n}.")) },
            7_000,
        );
    }
    r.cycle();
    r.shelf.take_changes();
    r.cycle();
    let changes = r.shelf.take_changes();
    assert!(matches!(changes.as_slice(), [Change::Row { table: Table::Cycle, .. }]), "{changes:?}");
}

#[test]
fn a_cycle_writes_rows_of_memory_only_never_a_playbook() {
    let mut r = Study::new();
    let id = r.put(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0"), 7_500);
    r.shelf.stand(id, |s| (s.own_validation, s.validated) = (true, 6));
    assert!(!r.cycle().playbook.is_empty());
    let tables: Vec<Table> = r
        .shelf
        .take_changes()
        .iter()
        .filter_map(|c| if let Change::Row { table, .. } = c { Some(*table) } else { None })
        .collect();
    assert_eq!(tables, [Table::Cycle]);
}

#[test]
fn the_curators_state_reads_back_as_it_was() {
    let mut r = Study::new();
    for went in [Went::Positive, Went::Negative] {
        let id = r.act(Regime::Volatile, went);
        r.shelf.mark(id, |m| m.outcome_bps = Some(-200.0));
    }
    let (id, now) = (r.shelf.next_episode(), r.now);
    r.live(|e| *e = did(id.0, now, sell(), 2, 5, Went::Neutral));
    r.cycle();
    let bytes = postcard::to_stdvec(&r.curator).unwrap();
    assert_eq!(postcard::from_bytes::<Curator>(&bytes).unwrap(), r.curator);
    assert_ne!(r.curator, Curator::default());
}

#[test]
fn thirty_days_of_a_noisy_life_leave_bounded_memory_and_little_junk() {
    let mut r = Study::new();
    let mut chance = kit::Chance(5);
    let regimes = [Regime::RangeBound, Regime::TrendingUp, Regime::TrendingDown, Regime::Volatile];
    let (mut regime, mut trade, mut worst) = (regimes[0], 1, 0.0_f64);
    for cycle in 0..30 * 86_400 / (50 * 40) {
        let now = r.now;
        if chance.unit() < 0.05 {
            let old = std::mem::replace(&mut regime, regimes[chance.below(4) as usize]);
            r.weather = Weather::changing(old, regime, now, now);
        }
        for _ in 0..16 {
            let good = chance.unit() < 0.5;
            let intent = if chance.unit() < 0.5 { buy() } else { sell() };
            trade += u64::from(chance.unit() < 0.3);
            let realised = (chance.unit() * 2e6) as i64 - 1_000_000;
            let went = if good { Went::Positive } else { Went::Negative };
            let (id, surprise) = (r.shelf.next_episode(), (chance.unit() * 5.0) as f32);
            r.live(|e| *e = Episode { regime, surprise, ..did(id.0, now, intent, trade, realised, went) });
            r.shelf.mark(id, |m| {
                m.outcome_bps = Some(if good { 10.0 } else { -10.0 } + (chance.unit() * 300.0 - 150.0) as f32)
            });
        }
        // Others talk, models write, and some of it is asked for.
        for n in 0..3 {
            let text = format!("Hearsay {} of cycle {cycle}, number {n}.", chance.below(400));
            let b = EntryBody { learnt_at: now, true_from: now, ..body(EntryKind::Insight, &text) };
            let b = EntryBody { tags: vec![format!("action:rumour{}", chance.below(300))], ..b };
            let seen = golem_grimoire::admission::Support { confirmed: 1, contradicted: 0 };
            golem_grimoire::admission::admit(&mut r.shelf, b, seen, &NoNeighbours, now);
        }
        let asked: Vec<EntryId> = r.shelf.active().map(|e| e.id).filter(|_| chance.unit() < 0.02).collect();
        golem_grimoire::credit::retrieved(&mut r.shelf, &asked);
        let report = r.cycle();
        if cycle % 5 == 0 {
            r.deep(&NoNeighbours);
        }
        r.shelf.take_changes();
        assert!(report.junk.active <= 500 && report.candidates <= 250 && report.in_archive <= 2_000, "{report:?}");
        worst = worst.max(if cycle > 50 { report.junk.share() } else { 0.0 });
    }
    let end = golem_grimoire::junk::junk(&r.shelf, r.now);
    assert!(end.active >= 100, "{end:?}");
    assert!(end.share() <= 0.10, "{end:?}");
    assert!(worst <= 0.25, "{worst}");
}
