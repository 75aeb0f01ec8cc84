//! What is closed to a living golem, whoever wants it: a model's tool, an owner's order, a wish in the dark, a question that
//! is too long.

use crate::life_kit;
use crate::puppet_kit;

use golem_core::door::{Hands as _, NoModels};
use golem_core::fact::FactBody;
use golem_core::model::{ModelAnswer, ModelMessage, ModelRequest};
use golem_core::{Asset, Intent, Observation, Usdc};
use golem_daimon::gate::GateFact;
use golem_grimoire::retrieval::tokens;
use golem_life::fact::DaimonFact;
use golem_life::{Ask, Being, Fact, LifeFact, LifeStanding, Settings, Step, TickInput};
use golem_mortality::BehavioralPhase;
use life_kit::{Turn, Watched};
use puppet_kit::{Puppet, Seen, calls, says};

/// A golem that counts as senescent from its first days and is spared the end: its load only grows, and it does nothing
/// about it by itself, or it would ask no model and open nothing.
fn threatened() -> Settings {
    let mut settings = puppet_kit::settings();
    settings.thinking.request_usdc = Usdc::ZERO;
    settings.suffering.remedies = false;
    settings.mortality.epistemic.measure = golem_mortality::config::Measure::RSquared;
    settings.mortality.epistemic.senescence_threshold = 0.60;
    settings.mortality.epistemic.recovery_threshold = 0.90;
    settings
}

fn with_puppet(golem: Watched, script: impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static) -> (Watched, Seen) {
    let seen = Seen::default();
    let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
    (golem.with_models(puppet), seen)
}

/// Words of the owner: whoever hears them thinks, however calm the world.
fn words() -> Vec<Ask> {
    vec![Ask::Tell { text: "think".into() }]
}

/// What the gate told: of what, and why.
fn denials(turn: &Turn) -> Vec<(String, serde_json::Value)> {
    let of = |fact: &DaimonFact| match fact {
        DaimonFact::Gate(GateFact::Denied { what, denied }) => {
            Some((what.to_string(), serde_json::to_value(denied).unwrap()))
        }
        _ => None,
    };
    turn.facts.iter().filter_map(|f| if let Fact::Daimon(fact) = &f.body { of(fact) } else { None }).collect()
}

/// What the tools answered in the last question of a conversation.
fn answers(seen: &Seen) -> Vec<serde_json::Value> {
    let seen = seen.lock().unwrap();
    let read = |m: &ModelMessage| match m {
        ModelMessage::Tool { text, .. } => Some(serde_json::from_str(text).unwrap()),
        _ => None,
    };
    seen.last().unwrap().messages.iter().filter_map(read).collect()
}

/// Commits an action, and lets the policy do what it wants when it is told no.
fn wishes_for(action: &'static str) -> impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static {
    let arguments = format!(r#"{{"action":"{action}","percent":20,"confidence":1,"reason":"now"}}"#);
    move |request| match request.messages.len() {
        1 => calls(&[("commit_action", &arguments)]),
        _ => says(r#"{"stance":"follow","confidence":0.6,"reason":"then not"}"#),
    }
}

fn wish(turn: &Turn) -> Option<golem_mind::policy::Act> {
    turn.told().find_map(|f| match f {
        LifeFact::Deliberated { wish, .. } => wish.map(|(act, _)| act),
        _ => None,
    })
}

fn opened(turn: &Turn) -> usize {
    turn.told().filter(|f| matches!(f, LifeFact::Decided { action } if !action.only_reduces())).count()
}

#[test]
fn a_model_that_opens_under_a_high_load_is_told_why_not_and_nothing_comes_of_it() {
    let mut golem = Watched::born(5, 500, &threatened());
    while golem.life.status().load.unwrap() < 0.3 {
        golem.turn();
    }
    let (mut golem, _) = with_puppet(golem, wishes_for("buy"));
    let turn = golem.asked(words());
    assert_eq!((wish(&turn), denials(&turn).len()), (Some(golem_mind::policy::Act::Buy), 0), "a light load");

    let mut golem = golem.with_models(NoModels);
    while golem.life.status().load.unwrap() < 0.55 {
        golem.turn();
    }
    let (mut golem, seen) = with_puppet(golem, wishes_for("buy"));
    let turn = golem.asked(words());
    let [answer] = &answers(&seen)[..] else { panic!("{:?}", seen.lock().unwrap()) };
    assert_eq!(answer["error"], "open is closed: suffering is high");
    assert!(answer["lifted_by"].as_str().is_some_and(|t| t.contains("below 0.55")), "{answer}");
    let [(what, denied)] = &denials(&turn)[..] else { panic!("{:?}", denials(&turn)) };
    assert_eq!(
        (what.as_str(), &denied["denial"], &denied["class"]),
        ("commit_action", &"suffering".into(), &"open".into())
    );
    assert!(turn.told().any(|f| matches!(f, LifeFact::ToolCalled { tool, ok: false } if tool == "commit_action")));
    assert_eq!((wish(&turn), opened(&turn)), (None, 0));

    let (mut golem, _) = with_puppet(golem, wishes_for("sell"));
    let turn = golem.asked(words());
    assert_eq!(wish(&turn), Some(golem_mind::policy::Act::Sell), "taking risk away stays open");
}

#[test]
fn every_order_comes_too_late_for_the_dying_and_none_before() {
    let asks = || {
        vec![
            Ask::Feed { amount: Usdc::whole(7) },
            Ask::Learn { entries: vec!["{}".into()] },
            Ask::Suffer { text: "{}".into() },
            Ask::Halt { reason: "enough".into() },
            Ask::Resume,
            Ask::Peer { from: "sibling".into(), text: "farewell".into(), died: false, at: golem_core::Timestamp(0) },
            Ask::Tell { text: "farewell".into() },
        ]
    };
    let late = |turn: &Turn| -> Vec<u64> {
        let refused = |id: &u64| turn.reply(*id) == Some("refused: it is past the point of return");
        assert_eq!(turn.end.replies.len(), 7, "{:?}", turn.end.replies);
        (1..=7).filter(refused).collect()
    };
    for phase in [BehavioralPhase::Stable, BehavioralPhase::Declining, BehavioralPhase::Terminal] {
        let mut golem = Watched::born(3, 500, &in_phase(phase));
        golem.turn();
        assert_eq!(golem.life.status().phase, phase);
        let fed = golem.life.ledger().fed;
        assert_eq!(late(&golem.asked(asks())), [0; 0], "in {phase} it is not too late");
        assert_eq!(golem.life.ledger().fed, fed.plus(Usdc::whole(7)));

        golem.asked(vec![Ask::Kill { reason: "over".into() }]);
        assert_eq!(golem.life.standing(), LifeStanding::Dying, "death is on record, and its turns have begun");
        let (before, told) = (golem.life.status(), golem.life.ledger().clone());
        let turn = golem.asked(asks());
        assert_eq!(late(&turn), [1, 2, 3, 4, 5, 6, 7]);
        let mut accepted = told.clone();
        accepted.purses = [Usdc::ZERO, Usdc::ZERO, Usdc::ZERO, told.operating()];
        assert_eq!(golem.life.ledger(), &accepted, "nothing is fed or paid, and all credit is legacy");
        let after = golem.life.status();
        assert_eq!((after.trades, after.death), (before.trades, before.death));
        assert!(turn.end.peers.is_empty(), "the farewell comes last");
        golem.turns(4);
        let last = golem.turn();
        assert_eq!(golem.life.standing(), LifeStanding::Dead);
        let [word] = &last.end.peers[..] else { panic!("{:?}", last.end.peers) };
        assert!(word.died && word.text.contains("owner_kill"), "{word:?}");
        let facts: Vec<_> = last.facts.iter().map(|f| f.body.name()).collect();
        assert_eq!(facts, ["mortality.dying_stage", "mortality.dead"]);
    }
}

/// A life in one phase for as long as it lasts: fitness counts for little there, and nothing kills it.
fn in_phase(phase: BehavioralPhase) -> Settings {
    let mut settings = puppet_kit::settings();
    settings.mortality.immortal = false;
    settings.mortality.stochastic.enabled = false;
    settings.thinking.request_usdc = Usdc::ZERO;
    if phase < BehavioralPhase::Stable {
        settings.mortality.vitality.epistemic_steepness = 1.0;
        settings.mortality.vitality.epistemic_center = if phase == BehavioralPhase::Terminal { 4.0 } else { 1.7 };
    }
    settings
}

#[test]
fn whoever_sees_no_price_takes_no_new_risk() {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    for blind in [false, true] {
        let mut golem = Watched::born(3, 500, &settings);
        while golem.life.status().trades == 0 || golem.life.holdings().asset == Asset::ZERO {
            golem.turn();
        }
        let price = golem.life.status().price.unwrap();
        let input = golem.input();
        let seen = if blind { Observation { price: None, ..input.seen } } else { input.seen };
        let Step::Wishes(_) = golem.life.begin(&TickInput { seen, ..input }) else { panic!("no model") };
        let stale = golem.life.status().locked.iter().any(|l| l.starts_with("open") && l.contains("stale"));
        assert_eq!(stale, blind, "{:?}", golem.life.status().locked);

        let held = golem.life.holdings();
        let buy = Intent::Buy { pay: Usdc::whole(2), min_out: Asset::of_whole(2.0 * 0.993 / price) };
        let give = Asset(held.asset.0 / 10);
        let sell = Intent::Sell { give, min_out: Usdc((give.as_f64() * price * 0.993e6) as u64) };
        let previews = golem.hands.preview(&[sell, buy], &held);
        let granted = golem.life.consider(&previews);
        let facts = std::mem::take(golem.life.facts());
        assert_eq!(granted.iter().map(Option::is_some).collect::<Vec<_>>(), [true, !blind], "{facts:?}");
        let told = facts.iter().any(|f| match &f.body {
            Fact::Daimon(fact) => matches!(&**fact, DaimonFact::Gate(GateFact::Denied { what, denied })
                if what.as_str() == "buy" && denied.to_string() == "open takes on risk, and its view of the world is stale"),
            _ => false,
        });
        assert_eq!(told, blind);
    }
}

/// Everything of a request that is paid for.
fn all_tokens(request: &ModelRequest) -> u32 {
    let said = |m: &ModelMessage| match m {
        ModelMessage::Golem { text } | ModelMessage::Tool { text, .. } => tokens(text),
        ModelMessage::Model { text, calls } => {
            tokens(text) + calls.iter().map(|c| tokens(&c.name) + tokens(&c.arguments)).sum::<u32>()
        }
    };
    let spoken: u32 = request.messages.iter().map(said).sum();
    tokens(&request.system) + tokens(&request.schema) + spoken + request.max_output_tokens
}

/// What a declining golem asks in twenty turns in which its owner speaks at length, and in which nothing but its limit keeps
/// it from asking.
fn asked_in_decline(
    limit: u32,
    script: impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static,
) -> Vec<ModelRequest> {
    let mut settings = in_phase(BehavioralPhase::Declining);
    settings.mind.gate.declining_max_tokens = limit;
    settings.suffering.remedies = false;
    let (mut golem, seen) = with_puppet(Watched::born(3, 500, &settings), script);
    golem.turns(200);
    seen.lock().unwrap().clear();
    for _ in 0..20 {
        golem.asked(vec![Ask::Tell { text: "tell me everything that you know of this. ".repeat(9) }]);
        assert_eq!(golem.life.status().phase, BehavioralPhase::Declining);
    }
    let all = seen.lock().unwrap().clone();
    for request in &all {
        assert!(request.tools.is_empty() && request.max_output_tokens <= 150, "{request:?}");
        assert!(all_tokens(request) <= limit, "{} of {limit}: {request:?}", all_tokens(request));
    }
    all
}

#[test]
fn a_declining_golem_keeps_its_hard_limit_of_tokens_or_asks_nobody() {
    for (limit, times) in [(100_000, 20), (800, 20), (740, 20), (300, 0)] {
        let asked = asked_in_decline(limit, |_| says(r#"{"stance":"follow","confidence":0.6,"reason":"ok"}"#));
        assert_eq!(asked.len(), times, "{limit}");
    }
}

#[test]
fn a_model_that_calls_what_it_was_not_offered_is_not_asked_beyond_the_limit() {
    let script = |_: &ModelRequest| calls(&[("query_state", "{}"), ("query_grimoire", r#"{"text":"gas"}"#)]);
    assert_eq!(asked_in_decline(800, script).len(), 20);
}
