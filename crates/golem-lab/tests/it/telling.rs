//! A model tells a testament: what is kept of its words, what it costs and who pays, and that nothing it says or fails to
//! say takes anything from what the rules wrote.

use crate::life_kit::{Turn, Watched};
use crate::puppet_kit::{self, COST, Puppet, Seen, calls, says};
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelPurpose, ModelRequest, ModelTier};
use golem_core::{Asset, Usdc};
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::{HomeReport, Testament, TestamentSection};
use golem_life::{Ask, Being, LifeFact, LifeStanding, Settings};
use golem_mind::policy::Template;
use golem_mortality::dying::DeathTier;
use golem_mortality::economic::Purpose;
use golem_mortality::{DyingStage, MortalityFact};
use serde_json::{Value, json};

const FOLLOW: &str = r#"{"stance":"follow","confidence":0.6,"reason":"as usual"}"#;

fn settings() -> Settings {
    let mut settings = puppet_kit::settings();
    settings.mortality.immortal = false;
    settings.mortality.stochastic.enabled = false;
    settings.policy.template = Template::EthDca;
    settings
}

/// A golem that holds something, with somebody who answers what is asked of its testament.
fn holding(
    usdc: u64,
    settings: &Settings,
    mut teller: impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static,
) -> (Watched, Seen) {
    let seen = Seen::default();
    let script = move |request: &ModelRequest| match request.purpose {
        ModelPurpose::Reflection => teller(request),
        _ => says(FOLLOW),
    };
    let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
    let mut golem = Watched::born(3, usdc, settings).with_models(puppet);
    for _ in 0..20_000 {
        golem.turn();
        if golem.life.holdings().asset > Asset::ZERO {
            break;
        }
    }
    (golem, seen)
}

fn die(golem: &mut Watched) -> Vec<Turn> {
    let mut turns = vec![golem.asked(vec![Ask::Kill { reason: "enough".into() }])];
    while golem.life.standing() != LifeStanding::Dead {
        turns.push(golem.turn());
        assert!(turns.len() < 100, "it never ends");
    }
    turns
}

fn testament(turns: &[Turn]) -> Testament {
    let rows: Vec<_> = turns.iter().flat_map(|t| t.rows(NamedTable::Testament)).collect();
    let [(_, body)] = &rows[..] else { panic!("one testament: {}", rows.len()) };
    serde_json::from_str(body).unwrap()
}

fn home(turns: &[Turn]) -> HomeReport {
    let of = |f: &LifeFact| if let LifeFact::WentHome { report } = f { Some((**report).clone()) } else { None };
    turns.iter().flat_map(Turn::told).find_map(of).unwrap()
}

/// What was told of the telling: who was asked, kept, dropped, its cost, and why nothing came of it.
type Told = (Option<ModelTier>, u32, u32, Usdc, Option<String>);

fn told(turns: &[Turn]) -> Vec<Told> {
    let of = |f: &LifeFact| match f {
        LifeFact::TestamentTold { tier, kept, dropped, cost, why } => {
            Some((*tier, *kept, *dropped, *cost, why.clone()))
        }
        _ => None,
    };
    turns.iter().flat_map(Turn::told).filter_map(of).collect()
}

fn outcome(turns: &[Turn], stage: DyingStage) -> String {
    let facts = turns.iter().flat_map(|t| &t.facts);
    let of = |f: &golem_life::Fact| match f {
        golem_life::Fact::Mortality(MortalityFact::DyingStage { stage: s, outcome }) if *s == stage => {
            Some(outcome.clone())
        }
        _ => None,
    };
    facts.filter_map(|f| of(&f.body)).next().unwrap()
}

/// The lines that a model was shown: part, labels, text.
fn lines(request: &ModelRequest) -> Vec<(String, Vec<String>, String)> {
    let ModelMessage::Golem { text } = &request.messages[0] else { panic!("not the golem's") };
    let read = |line: &str| {
        let (part, rest) = line.strip_prefix("- ").unwrap().split_once(" [").unwrap();
        let (labels, said) = rest.split_once("] ").unwrap();
        (part.to_owned(), labels.split(' ').map(ToOwned::to_owned).collect(), said.to_owned())
    };
    text.lines().map(read).collect()
}

/// Says all that it was shown once more, word for word, with the records of each line.
fn echo(request: &ModelRequest) -> Value {
    let all = lines(request);
    let of = |part: &str| -> Vec<Value> {
        let mine = all.iter().filter(|(p, ..)| p == part);
        mine.take(4).map(|(_, labels, text)| json!({ "text": text, "rests_on": labels })).collect()
    };
    let sections: serde_json::Map<String, Value> = TestamentSection::ALL
        .iter()
        .map(|section| (golem_core::plain::word(section), Value::Array(of(&golem_core::plain::word(section)))))
        .collect();
    json!({ "narrative": of("life"), "sections": sections, "last_words": of("last_words")[0] })
}

/// Money after a death: the books balance, nothing is left in them, and what went home is what was not spent.
fn books_hold(golem: &Watched, turns: &[Turn]) {
    let (ledger, status) = (golem.life.ledger(), golem.life.status());
    assert!(ledger.balances(), "every micro-USDC is somewhere: {ledger:?}");
    assert_eq!((ledger.liquid(), golem.life.holdings().on_chain), (Usdc::ZERO, Usdc::ZERO), "nothing is left");
    let (home, said) = (status.home.unwrap(), testament(turns));
    assert_eq!(home.usdc.minus(home.spent_before), ledger.bequeathed);
    assert_eq!(home.spent_before, ledger.spent, "all that went and was not its own any more had been spent");
    assert_eq!(said.home.spent_before, home.spent_before, "and the testament says so");
    assert_eq!(said.statistics.final_nav, status.worth());
}

#[test]
fn what_is_borne_out_is_kept_beside_what_the_rules_wrote_and_paid_for() {
    let (mut golem, seen) = holding(500, &settings(), |request| {
        let mut said = echo(request);
        let label = said["narrative"][0]["rests_on"][0].clone();
        let odd = json!([
            { "text": "I rest on nothing.", "rests_on": [] },
            { "text": "I rest on something unknown.", "rests_on": [label, "r9999"] },
            { "text": "I was worth 777777.77 USDC.", "rests_on": [label] },
            { "text": "I won nine hundred times.", "rests_on": [label] },
            { "text": "I rest on a word.", "rests_on": "r1" },
            { "rests_on": [label] },
            { "text": "x".repeat(500), "rests_on": [label] },
            "I am no sentence at all",
        ]);
        said["sections"]["suspect"] = odd;
        says(&said.to_string())
    });
    let turns = die(&mut golem);
    let asked: Vec<_> =
        seen.lock().unwrap().iter().filter(|r| r.purpose == ModelPurpose::Reflection).cloned().collect();
    let [request] = &asked[..] else { panic!("it is asked once: {}", asked.len()) };
    assert_eq!((request.prompt.as_str(), request.tier, request.tools.len()), ("testament@1", ModelTier::T2, 0));
    let said = testament(&turns);
    assert!(said.is_whole());
    let retold = said.told.clone().expect("it was told");
    let kept = retold.sentences().count() as u32;
    assert!(retold.sections.suspect.is_empty(), "{:?}", retold.sections.suspect);
    assert!(retold.narrative.len() >= 3 && retold.sections.killed_me.len() == 1, "{retold:?}");
    assert_eq!(told(&turns), [(Some(ModelTier::T2), kept, retold.dropped, COST, None)]);
    // What rounding and the price of the telling itself moved is dropped with them, and nothing else.
    assert!((8..=10).contains(&retold.dropped), "{}", retold.dropped);
    let known: Vec<_> = said.sentences().flat_map(|s| s.rests_on()).collect();
    assert!(retold.sentences().all(|s| s.rests_on().iter().all(|source| known.contains(&source))));
    assert!(outcome(&turns, DyingStage::Reflection).contains(&format!("a model told {kept} of them")));
    let spent = |purpose: Purpose| golem.life.ledger().by_purpose[purpose.index()];
    assert_eq!(spent(Purpose::Reflection), COST);
    books_hold(&golem, &turns);
    // The rules' own sentences are what they are where nobody answers.
    let (mut silent, _) = holding(500, &settings(), |_| ModelAnswer::Nothing { why: ModelFailure::TimedOut });
    let other = testament(&die(&mut silent));
    assert_eq!((said.sections, said.successor_recommendations), (other.sections, other.successor_recommendations));
    assert_eq!(other.told, None);
}

#[test]
fn whatever_goes_wrong_the_rules_have_spoken_and_it_is_said() {
    let nothing = |why| ModelAnswer::Nothing { why };
    let table: Vec<(ModelAnswer, &str)> = vec![
        (nothing(ModelFailure::NoProvider), "nobody to ask"),
        (nothing(ModelFailure::TimedOut), "no answer came in time"),
        (nothing(ModelFailure::Refused), "it refused"),
        (nothing(ModelFailure::Unfit), "does not fit"),
        (nothing(ModelFailure::Leaked), "a secret"),
        (calls(&[("commit_action", "{}")]), "it calls tools"),
        (says("I would rather not."), "could not be read"),
        (says("{}"), "could not be read"),
        (says("[1, 2]"), "could not be read"),
        (says(&"{\"narrative\":[".repeat(9_000)), "could not be read"),
        (says(r#"{"narrative":[{"text":"I was great.","rests_on":["r0"]}]}"#), "none of its 1 sentences"),
        (says(r#"{"last_words":{"text":"Goodbye."}}"#), "none of its 1 sentences"),
    ];
    for (answer, why) in table {
        let said = answer.clone();
        let (mut golem, _) = holding(500, &settings(), move |_| answer.clone());
        let turns = die(&mut golem);
        let left = testament(&turns);
        assert!(left.told.is_none() && left.is_whole() && left.narrative.len() >= 3, "{said:?}");
        let [(tier, kept, _, cost, told)] = &told(&turns)[..] else { panic!("it is said once: {said:?}") };
        assert_eq!((*tier, *kept, *cost), (Some(ModelTier::T2), 0, COST), "{said:?}");
        assert!(told.as_ref().is_some_and(|told| told.contains(why)), "{told:?}, not {why}");
        assert!(outcome(&turns, DyingStage::Reflection).contains(why));
        books_hold(&golem, &turns);
    }
}

#[test]
fn who_is_asked_follows_from_what_there_is_to_die_with() {
    let poor = |settings: &mut Settings| settings.mortality.economic.death_reserve_floor_usdc = Usdc(50_000);
    let small = |settings: &mut Settings| settings.thinking.t2 = false;
    let large = |settings: &mut Settings| settings.thinking.t1 = false;
    let nobody = |settings: &mut Settings| settings.thinking.testament = Some([false, false]);
    let private = |settings: &mut Settings| settings.thinking.testament = Some([true, false]);
    type Change<'a> = &'a dyn Fn(&mut Settings);
    let table: [(u64, Change<'_>, DeathTier, Option<ModelTier>); 7] = [
        (2, &poor, DeathTier::Necrotic, None),
        (6, &|_| (), DeathTier::Standard, Some(ModelTier::T1)),
        (6, &large, DeathTier::Standard, Some(ModelTier::T2)),
        (500, &|_| (), DeathTier::Rich, Some(ModelTier::T2)),
        (500, &small, DeathTier::Rich, Some(ModelTier::T1)),
        (500, &private, DeathTier::Rich, Some(ModelTier::T1)),
        (500, &nobody, DeathTier::Rich, None),
    ];
    for (n, (usdc, change, tier, asked)) in table.into_iter().enumerate() {
        let mut settings = settings();
        settings.mind.trading = false;
        change(&mut settings);
        let seen = Seen::default();
        let script = |request: &ModelRequest| match request.purpose {
            ModelPurpose::Reflection => says(&echo(request).to_string()),
            _ => says(FOLLOW),
        };
        let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
        let mut golem = Watched::born(3, usdc, &settings).with_models(puppet);
        golem.turns(50);
        let turns = die(&mut golem);
        let said = testament(&turns);
        let budget = said.budget.unwrap();
        assert_eq!(budget.tier, tier, "{n}: {budget:?}");
        let request = seen.lock().unwrap().iter().find(|r| r.purpose == ModelPurpose::Reflection).cloned();
        assert_eq!(request.as_ref().map(|r| r.tier), asked, "{n}");
        if let Some(request) = request {
            assert!(request.max_cost > Usdc::ZERO && request.max_cost <= budget.reflection, "{n}: {budget:?}");
            assert!(request.max_cost <= settings.thinking.request_usdc);
        }
        let facts = told(&turns);
        match (asked, n) {
            (Some(_), _) => assert!(said.told.is_some() && facts.len() == 1, "{n}: {facts:?}"),
            (None, 0) => assert!(facts[0].4.as_ref().unwrap().contains("too little left"), "{facts:?}"),
            (None, _) => assert_eq!(facts, [], "who has nobody to ask says nothing of it"),
        }
        books_hold(&golem, &turns);
    }
}

#[test]
fn a_day_that_has_thought_enough_tells_nothing() {
    let mut settings = settings();
    settings.thinking.daily_calls = 0;
    let (mut golem, seen) = holding(500, &settings, |request| says(&echo(request).to_string()));
    let turns = die(&mut golem);
    assert!(seen.lock().unwrap().iter().all(|r| r.purpose != ModelPurpose::Reflection));
    assert_eq!(told(&turns).len(), 1);
    assert!(told(&turns)[0].4.as_ref().unwrap().contains("in a day"), "{:?}", told(&turns));
    books_hold(&golem, &turns);
}

#[test]
fn what_was_kept_for_it_goes_home_in_the_books_too_and_a_sum_that_cannot_go_pays_all_the_same() {
    let (mut golem, _) = holding(500, &settings(), |request| says(&echo(request).to_string()));
    let turns = die(&mut golem);
    let (went, said) = (home(&turns), testament(&turns).home);
    assert_eq!(said.spent_before, went.spent_before.plus(COST), "what told it was paid after the way home");
    assert_eq!((said.sent, said.failed), (went.sent, went.failed));
    let mut settings = settings();
    settings.mortality.dying.home_turns = 0;
    let (mut stranded, _) = holding(500, &settings, |request| says(&echo(request).to_string()));
    let turns = die(&mut stranded);
    assert!(stranded.life.ledger().balances() && testament(&turns).told.is_some());
}

#[test]
fn saved_and_restored_in_any_turn_of_dying_it_is_told_the_same() {
    let live = |restore_at: Option<usize>| {
        let mut settings = settings();
        settings.grimoire.enabled = false;
        let (mut golem, seen) = holding(500, &settings, |request| says(&echo(request).to_string()));
        golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        let mut rows = Vec::new();
        for n in 0.. {
            if golem.life.standing() == LifeStanding::Dead {
                let asked = seen.lock().unwrap().iter().filter(|r| r.purpose == ModelPurpose::Reflection).count();
                return (golem.life.digest(), golem.life.ledger().clone(), rows, asked);
            }
            if restore_at == Some(n) {
                golem = golem.remembering(golem_grimoire::Remembered::default());
            }
            let turn = golem.turn();
            rows.extend(turn.rows(NamedTable::Testament).map(|(key, body)| (key.to_owned(), body.to_owned())));
        }
        unreachable!()
    };
    let once = live(None);
    assert_eq!((once.2.len(), once.3), (1, 1));
    for n in 0..8 {
        assert_eq!(live(Some(n)), once, "restored before turn {n} of dying");
    }
}
