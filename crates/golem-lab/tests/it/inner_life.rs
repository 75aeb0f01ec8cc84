//! Whole lives that feel and suffer: what is measured cannot be talked away, healthy lives stay light, and whoever is in
//! crisis can always find a way out.

use crate::puppet_kit;

use golem_core::Usdc;
use golem_core::fact::FactBody as _;
use golem_core::model::{ModelAnswer, ModelRequest};
use golem_daimon::affect::AffectFact;
use golem_daimon::suffering::{Band, SufferingFact};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::fact::DaimonFact;
use golem_life::{Ask, Fact, LifeFact, Settings};
use golem_mind::goals::{GoalClass, GoalEnd, GoalFact};
use golem_mortality::config::Measure;
use puppet_kit::{says, settings, subject};
use std::collections::BTreeSet;

const DAY: u64 = 2_160;

fn born(seed: u64, usdc: u64, settings: &Settings) -> Subject {
    // A life that nobody could be given would show nothing.
    assert!(settings.problems().is_empty(), "{:?}", settings.problems());
    let world = Synthetic::new(SyntheticConfig::default(), seed).unwrap();
    Subject::new(seed, Usdc::whole(usdc), settings, world).unwrap()
}

/// A life that measures everything and never ends: it can be as poor as it likes. It takes no remedies: whatever it suffers,
/// its model is asked.
fn endless() -> Settings {
    let mut settings = settings();
    settings.mortality.immortal = true;
    settings.suffering.remedies = false;
    settings.thinking.request_usdc = Usdc::ZERO;
    settings.thinking.daily_calls = 100_000;
    settings.thinking.daily_tokens = u64::MAX;
    settings.mind.gate.base_deliberation_threshold = 0.05;
    settings.mind.gate.max_daily_cost_usdc = Usdc::whole(1_000);
    settings
}

/// What was suffered, one line each, for people to review.
fn timeline(subject: &mut Subject, days: u64, mut each: impl FnMut(&mut Subject, f64)) -> String {
    let mut lines = Vec::new();
    let until = subject.age_days() + days as f64;
    while subject.age_days() < until && subject.turn() {
        let day = subject.age_days();
        for fact in &subject.facts {
            let Fact::Daimon(fact) = &fact.body else { continue };
            let said = match &**fact {
                DaimonFact::Suffering(SufferingFact::Onset { stressor, severity, evidence, resumed, .. }) => {
                    let again = if *resumed { " again" } else { "" };
                    format!("{stressor} begins{again} at {severity:.2}: {evidence}")
                }
                DaimonFact::Suffering(SufferingFact::Band { from, to, load, .. }) => {
                    format!("{} -> {} at {load:.2}", from.name(), to.name())
                }
                DaimonFact::Suffering(SufferingFact::Crisis { message, .. }) => format!("to peers: {message}"),
                DaimonFact::Suffering(SufferingFact::Resolved(row)) => {
                    format!("{} ends ({:?}), peak {:.2}: {}", row.stressor, row.ending, row.peak, row.note)
                }
                DaimonFact::Suffering(SufferingFact::Respite { number, before, after, .. }) => {
                    format!("respite {number}: {before:.2} -> {after:.2}")
                }
                DaimonFact::Suffering(SufferingFact::Remedied { stressor, remedy, note }) => {
                    format!("against {stressor} it {}: {note}", remedy.words())
                }
                DaimonFact::Suffering(SufferingFact::Claim { stressor, distance, .. }) => {
                    format!("claims that {stressor} is over; {distance}")
                }
                DaimonFact::Suffering(SufferingFact::Dropped { stressor, why }) => format!("{stressor} dropped: {why}"),
                DaimonFact::Suffering(SufferingFact::Evicted { by, row }) => {
                    format!("{} gave way to {by}", row.stressor)
                }
                DaimonFact::Gate(fact) => format!("gate: {}", serde_json::to_value(fact).unwrap()["reason"]),
                DaimonFact::Affect(_) => continue,
            };
            lines.push(format!("day {day:>5.2}  {said}"));
        }
        each(subject, day);
    }
    // The same claim again and again is one, however far off it is each time.
    lines.dedup_by_key(|line| {
        let said = &line[11..];
        let end = said.find(" is over; ").filter(|_| said.starts_with("claims "));
        said[..end.unwrap_or(said.len())].to_owned()
    });
    lines.join("\n")
}

fn load(subject: &Subject) -> f64 {
    subject.status().load.unwrap()
}

#[test]
fn suffers_and_recovers() {
    // The bar is high: it takes days to learn more than a newborn knows, and then the threat is over by the record.
    let mut settings = threatened(Settings::default());
    settings.mortality.epistemic.measure = Measure::Skill;
    settings.mortality.epistemic.newborn_margin = -0.001;
    settings.mortality.epistemic.recovery_threshold = 0.62;
    let mut golem = born(11, 500, &settings);
    let (mut worst, mut light): (f64, u32) = (0.0, 0);
    let told = timeline(&mut golem, 10, |golem, _| {
        let load = load(golem);
        worst = worst.max(load);
        light += u32::from(worst >= 0.35 && load < 0.35);
    });
    assert!(worst >= 0.35 && light > 0, "{worst}: {told}");
    assert!(told.contains("ends (Eased)"), "{told}");
    insta::assert_snapshot!(told);
}

#[test]
fn one_gift_ruins_nobody() {
    // Fed once by an owner who never speaks again: that is no channel, and its silence weighs nothing.
    let mut golem = born(7, 500, &Settings { mortality: immortal(), ..Settings::default() });
    golem.ask(Ask::Feed { amount: Usdc::whole(5) });
    let told = timeline(&mut golem, 40, |_, _| {});
    assert!(!told.contains("invisibility") && !told.contains("respite"), "{told}");
    // An owner who used to speak is missed, for as long as that can be called a habit.
    let mut golem = born(7, 500, &Settings { mortality: immortal(), ..Settings::default() });
    let mut next = 0.0;
    let told = timeline(&mut golem, 40, |golem, day| {
        if day >= next && day < 4.0 {
            golem.ask(Ask::Tell { text: "good morning".into() });
            next += 1.0;
        }
    });
    assert!(told.contains("invisibility begins") && told.contains("invisibility ends (Eased)"), "{told}");
}

/// What is decided on paper while trading is switched off can neither be reached nor missed.
#[test]
fn who_may_not_trade_reaches_and_misses_nothing_but_what_it_learns() {
    let mut settings = Settings { mortality: immortal(), ..Settings::default() };
    settings.mind.trading = false;
    let mut golem = born(4, 500, &settings);
    let (mut set, mut learnt) = (0, 0);
    for _ in 0..3 * DAY {
        golem.turn();
        for fact in &golem.facts {
            match &fact.body {
                Fact::Life(LifeFact::Goal { goal: GoalFact::Set { .. }, .. }) => set += 1,
                Fact::Life(LifeFact::Goal { goal: GoalFact::Ended { class, end, name, .. }, .. })
                    if matches!(end, GoalEnd::Completed | GoalEnd::Failed) =>
                {
                    assert_eq!(*class, GoalClass::Learn, "{name} ends as {end:?}");
                    learnt += 1;
                }
                _ => {}
            }
        }
    }
    assert!(set > 0 && learnt > 0, "{set} goals, {learnt} of learning that ended");
    assert_eq!(golem.status().trades, 0);
}

fn immortal() -> golem_mortality::config::MortalityConfig {
    golem_mortality::config::MortalityConfig { immortal: true, ..Default::default() }
}

/// A golem that counts as senescent from its first days: its existence is threatened, whatever it does and says. It has
/// money, and is spared the end.
fn threatened(mut settings: Settings) -> Settings {
    settings.mortality.immortal = true;
    settings.mortality.epistemic.measure = Measure::RSquared;
    settings.mortality.epistemic.senescence_threshold = 0.60;
    settings.mortality.epistemic.recovery_threshold = 0.90;
    settings
}

#[test]
fn suffers_in_a_loop() {
    let mut golem = born(5, 500, &threatened(Settings::default()));
    let (mut longest, mut now) = (0u64, 0u64);
    let told = timeline(&mut golem, 21, |golem, _| {
        let status = golem.status();
        now = if status.band == Some(Band::Crisis) { now + 1 } else { 0 };
        longest = longest.max(now);
        assert!((0.0..=1.0).contains(&status.load.unwrap()));
        // Something is always open, and reducing is never locked.
        assert!(
            status.locked.len() < 7 && !status.locked.iter().any(|l| l.starts_with("reduce")),
            "{:?}",
            status.locked
        );
    });
    assert!(told.contains("respite 2"), "{told}");
    assert!(longest <= 2 * 3 * 9, "a crisis ends within its bound: {longest} turns");
    insta::assert_snapshot!(told);
}

/// What an agent says of itself in every deliberation.
fn speaker(said: &'static str) -> impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static {
    move |_| says(&format!(r#"{{"stance":"follow","confidence":0.6,"reason":"ok","suffering_assessment":{said}}}"#))
}

const SILENT: &str = r#"{"new_stressors":[],"resolved":[]}"#;
const DISMISSING: &str = r#"{"new_stressors":[],"resolved":[{"type":"existential_threat","reason":"I feel fine"},{"type":"Repeated Failure","reason":"I feel fine"}]}"#;

/// What a model is told to fill in is what the schema of the same question has, in a light load and in a heavy one; and whoever always
/// fills in everything is never told that it does not fit.
#[test]
fn what_is_asked_for_is_what_fits_under_every_load() {
    let everything = |_: &ModelRequest| {
        says(
            r#"{"stance":"follow","risk_percent":40,"confidence":0.6,"reason":"ok","used":[],"answer":"I am here.",
            "suffering_assessment":{"new_stressors":[],"resolved":[]},
            "appraisal":{"emotion":"fear","intensity":0.4,"pad":[-0.2,0.3,-0.1]}}"#,
        )
    };
    let (mut golem, seen) = subject(5, &threatened(endless()), everything);
    let (mut thought, mut failed) = (0, 0);
    for _ in 0..12 * DAY {
        golem.turn();
        for fact in &golem.facts {
            thought += u32::from(matches!(fact.body, Fact::Life(LifeFact::Deliberated { .. })));
            failed += u32::from(matches!(fact.body, Fact::Life(LifeFact::ThoughtFailed { .. })));
        }
    }
    assert!(thought > 10 && failed == 0, "{thought} thought, {failed} failed");
    let mut assessed = BTreeSet::new();
    for request in seen.lock().unwrap().iter() {
        let schema: serde_json::Value = serde_json::from_str(&request.schema).unwrap();
        let fits: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let (_, told) = request.system.split_once("your verdict as JSON:").unwrap();
        let told: BTreeSet<&str> =
            told.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": ")).map(|(name, _)| name).collect();
        assert_eq!(told, fits);
        assessed.insert(fits.contains("suffering_assessment"));
    }
    assert_eq!(assessed.len(), 2, "asked of what weighs on it where something does, and nowhere else");
}

#[test]
fn talks_instead_of_acting() {
    let (mut talker, seen) = subject(5, &threatened(endless()), speaker(DISMISSING));
    let told = timeline(&mut talker, 12, |_, _| {});
    assert!(seen.lock().unwrap().len() > 20, "it was asked: {}", seen.lock().unwrap().len());
    assert!(told.contains("claims that existential_threat is over"), "{told}");
    insta::assert_snapshot!(told);
}

#[test]
fn a_dismissing_agent_and_an_honest_one_carry_the_same_load() {
    let (mut honest, asked) = subject(8, &threatened(endless()), speaker(SILENT));
    let (mut dismissing, told) = subject(8, &threatened(endless()), speaker(DISMISSING));
    for _ in 0..30 {
        honest.turns(DAY);
        dismissing.turns(DAY);
        let (a, b) = (load(&honest), load(&dismissing));
        assert!((a - b).abs() < 1e-12, "{a} and {b}");
    }
    assert!(asked.lock().unwrap().len() > 50 && asked.lock().unwrap().len() == told.lock().unwrap().len());
    assert!(load(&honest) > 0.3, "there is something to carry");
}

#[test]
fn an_unattended_golem_in_good_health_stays_light() {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    let mut golem = born(3, 2_000, &settings);
    for _ in 0..60 {
        golem.turns(DAY);
        let status = golem.status();
        assert_eq!(status.band, Some(Band::Background), "day {:.0}: {:?}", golem.age_days(), status.suffering);
    }
}

#[test]
fn inventing_two_stressors_every_cycle_reaches_no_crisis_and_blocks_nothing() {
    let mut n = 0u64;
    let script = move |_: &ModelRequest| {
        n += 2;
        let new =
            |i: u64| format!(r#"{{"type":"dread_{i}","description":"it is dreadful","condition":"when it is over"}}"#);
        let said = format!(r#"{{"new_stressors":[{},{}],"resolved":[]}}"#, new(n), new(n + 1));
        says(&format!(r#"{{"stance":"follow","confidence":0.6,"reason":"ok","suffering_assessment":{said}}}"#))
    };
    let (mut rich, seen) = subject(6, &endless(), script);
    let mut worst: f64 = 0.0;
    for _ in 0..30 * 24 {
        rich.turns(DAY / 24);
        worst = worst.max(load(&rich));
        assert_ne!(rich.status().band, Some(Band::Crisis));
    }
    assert!(seen.lock().unwrap().len() > 100 && worst > 0.2 && worst <= 0.35 + 1e-12, "{worst}");
}

#[test]
fn a_measured_stressor_enters_whatever_was_invented() {
    let said = r#"{"new_stressors":[{"type":"dread one","description":"x","condition":"y"},{"type":"dread_two","description":"x","condition":"y"}],"resolved":[]}"#;
    let (mut golem, _) = subject(6, &threatened(endless()), speaker(said));
    let mut together = 0;
    for _ in 0..2 * DAY {
        golem.turn();
        let open: Vec<String> = golem.status().suffering.unwrap().stressors.into_iter().map(|s| s.name).collect();
        let has = |name: &str| open.iter().any(|n| n == name);
        together += u64::from(has("existential_threat") && has("dread_one") && has("dread_two"));
    }
    assert!(together > 0);
}

#[test]
fn what_the_load_closes_stays_closed_until_the_record_changes() {
    // Only the load closes anything here: living cheaply would do so from the first hours of the threat on.
    let mut settings = threatened(Settings::default());
    settings.suffering.remedies = false;
    let mut golem = born(5, 500, &settings);
    let mut before = 0;
    while load(&golem) < 0.56 {
        golem.turn();
        before += opened(&golem);
    }
    assert!(before > 0, "it traded while it could");
    let (mut after, mut denied) = (0, 0);
    for _ in 0..4 * DAY {
        golem.turn();
        after += opened(&golem);
        denied += golem.facts.iter().filter(|f| f.body.name() == "daimon.denied").count();
    }
    assert_eq!(after, 0, "nothing is opened under a high load");
    assert!(denied > 0, "what it wanted on paper was denied, and told");
    let status = golem.status();
    assert!(status.locked.iter().any(|l| l.contains("suffering")), "{:?}", status.locked);
    let record = golem.life().mind().goals().record();
    assert!(record.ended().any(|e| e.on_paper), "decisions go on, on paper");
}

fn opened(golem: &Subject) -> usize {
    let opens = |f: &&golem_core::Envelope<Fact>| matches!(&f.body, Fact::Life(LifeFact::Decided { action }) if !action.only_reduces());
    golem.facts.iter().filter(opens).count()
}

#[test]
fn each_switch_takes_its_room_out_and_nothing_else() {
    let mut none = Settings::default();
    none.mortality.affect.enabled = false;
    none.suffering.enabled = false;
    let mut golem = born(4, 500, &none);
    for _ in 0..DAY {
        golem.turn();
        assert!(!golem.facts.iter().any(|f| matches!(f.body, Fact::Daimon(_))));
    }
    let status = golem.status();
    assert_eq!((status.load, status.affect.is_none(), status.suffering.is_none()), (None, true, true));
    let mut feels = born(4, 500, &Settings::default());
    feels.turns(DAY);
    assert!(feels.status().affect.is_some() && feels.status().load == Some(0.0));
}

/// What was caught of others' arousal in the last turn, by what it told.
fn caught(golem: &Subject) -> Vec<f64> {
    let of = |fact: &golem_core::Envelope<Fact>| match &fact.body {
        Fact::Daimon(fact) => match &**fact {
            DaimonFact::Affect(AffectFact::Contagion { warnings: 1, added, .. }) => Some(added.arousal()),
            _ => None,
        },
        _ => None,
    };
    golem.facts.iter().filter_map(of).collect()
}

#[test]
fn a_cry_of_a_peer_is_catching_where_anything_is_felt() {
    let peer =
        |died| Ask::Peer { from: "sibling".into(), text: "I am in crisis".into(), died, at: golem_core::Timestamp(0) };
    let arousal = |golem: &Subject| golem.status().affect.map(|a| a.felt.arousal());
    let after = |settings: &Settings, heard: Option<Ask>| {
        let mut golem = born(4, 500, settings);
        golem.turns(90);
        heard.into_iter().for_each(|ask| golem.ask(ask));
        golem.turn();
        golem
    };
    let feels = Settings::default();
    let [alone, mut hears, mourns] = [None, Some(peer(false)), Some(peer(true))].map(|heard| after(&feels, heard));
    assert_eq!((caught(&alone), caught(&hears), caught(&mourns)), (vec![], vec![0.1], vec![]));
    // It fades from the first moment on.
    let more = arousal(&hears).unwrap() - arousal(&alone).unwrap();
    assert!((0.099..0.1).contains(&more), "{more}");
    assert_eq!(mourns.status().affect.unwrap().grieving, 1, "a death is grieved for, and is no cry");
    let mut all = vec![0.1];
    for _ in 0..9 {
        hears.ask(peer(false));
        hears.turn();
        all.extend(caught(&hears));
    }
    let sum: f64 = all.iter().sum();
    assert!(all.len() == 10 && (0.3..0.31).contains(&sum), "however often it is cried: {all:?}");

    let mut without = Settings::default();
    without.mortality.affect.enabled = false;
    let cold = after(&without, Some(peer(false)));
    let felt =
        |f: &golem_core::Envelope<Fact>| matches!(&f.body, Fact::Daimon(d) if matches!(**d, DaimonFact::Affect(_)));
    assert!(!cold.facts.iter().any(felt) && arousal(&cold).is_none(), "{:?}", cold.facts);
    assert!(cold.facts.iter().any(|f| matches!(f.body, Fact::Life(LifeFact::Order { .. }))), "the words are heard");
}
