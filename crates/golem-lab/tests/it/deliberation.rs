//! Whole lives with a model that is a puppet: it says whatever a test wants, through the same door as a real one. What it
//! says can make a golem more careful, or wish for what the gates allow; never more.

use crate::life_kit::Watched;
use crate::puppet_kit;

use golem_cage::CageFact;
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelRequest};
use golem_core::{Dice, Strand, Usdc};
use golem_lab::Subject;
use golem_life::drive::{self, Acted, InMemory};
use golem_life::settings::ThinkingSettings;
use golem_life::{Ask, Being, Fact, LifeFact};
use golem_mind::cache::Stance;
use puppet_kit::{COST, Puppet, Seen, calls, live, says, settings, subject};

#[test]
fn a_verdict_is_taken_paid_and_remembered() {
    let verdict = r#"{"stance":"stand_aside","confidence":0.7,"reason":"too wild"}"#;
    let (mut golem, seen) = subject(1, &settings(), move |_| says(verdict));
    let before = golem.status().spent;
    let (mut paid, mut stances, mut tiers) = (Usdc::ZERO, Vec::new(), Vec::new());
    let told = live(&mut golem, 3_000, |fact| match fact {
        LifeFact::Paid { purpose: golem_mortality::economic::Purpose::Inference, amount } => paid = paid.plus(*amount),
        LifeFact::Deliberated { stance, .. } => stances.push(*stance),
        LifeFact::Tick { tier, .. } => tiers.push(*tier),
        _ => {}
    });
    let asked = seen.lock().unwrap().len() as u64;
    assert!(asked > 5, "{told:?}");
    assert_eq!((told["mind.deliberated"], told["inference.end"]), (asked, asked), "{told:?}");
    assert_eq!(paid, Usdc(COST.0 * asked), "every try is paid, once");
    assert!(golem.status().spent >= before.plus(paid));
    assert!(stances.iter().all(|s| *s == Some(Stance::StandAside)));
    assert_eq!(tiers.iter().filter(|t| **t > 0).count() as u64, asked, "the tick says how much was thought");
    // The same situation, thought through three times with the same result, is not asked about again.
    assert!(told.get("inference.cache_hit").is_some_and(|n| *n > 0), "{told:?}");
}

#[test]
fn what_it_is_shown_is_its_own_condition_and_nothing_secret() {
    let (mut golem, seen) = subject(4, &settings(), |_| says(r#"{"stance":"follow","confidence":1,"reason":"ok"}"#));
    golem.ask(Ask::Tell { text: "be\ncareful \u{202e}today".into() });
    golem.turns(2_000);
    let seen = seen.lock().unwrap();
    let ModelMessage::Golem { text } = &seen[0].messages[0] else { panic!("{:?}", seen[0]) };
    assert!(text.starts_with("## Where you stand\nvitality "), "{text}");
    assert!(text.contains("phase ") && text.contains("hazard "), "{text}");
    assert!(text.contains("## What the owner said\n- \"be careful today\""), "{text}");
    let later = seen.iter().rev().find_map(|r| match &r.messages[0] {
        ModelMessage::Golem { text } if text.contains("## Times like this one") && text.contains("money for") => {
            Some(text)
        }
        _ => None,
    });
    assert!(later.is_some_and(|t| t.contains("## What you are after") && t.contains("## What is observed")));
    for request in seen.iter() {
        assert!(request.max_output_tokens <= 1_000 && request.max_cost <= Usdc(100_000));
        assert_eq!(request.prompt, "deliberate@2");
    }
}

#[test]
fn calls_are_answered_in_rounds_that_end() {
    let script = |request: &ModelRequest| match request.messages.len() {
        1 => calls(&[
            ("query_state", r#"{"fields":["market.price"]}"#),
            ("query_grimoire", r#"{"text":"gas"}"#),
            ("search_context", r#"{"text":"weather turned"}"#),
            ("preview_action", r#"{"action":"buy","percent":10}"#),
            ("transfer", r#"{"to":"0xdead"}"#),
        ]),
        _ if request.tools.is_empty() => says(r#"{"stance":"reduce","confidence":0.6,"reason":"enough seen"}"#),
        _ => calls(&[("query_state", "{}")]),
    };
    let (mut golem, seen) = subject(4, &settings(), script);
    let mut rounds = Vec::new();
    let told = live(&mut golem, 1_500, |fact| {
        if let LifeFact::Deliberated { rounds: n, .. } = fact {
            rounds.push(*n);
        }
    });
    assert!(!rounds.is_empty() && rounds.iter().all(|n| *n == 4), "{rounds:?}");
    assert!(told["tool.end"] >= 5 * rounds.len() as u64);
    let seen = seen.lock().unwrap();
    let second =
        seen.iter().find(|r| r.messages.len() == 7).expect("a question, five calls in one message, five answers");
    let answers: Vec<&str> = second.messages[2..]
        .iter()
        .filter_map(|m| match m {
            ModelMessage::Tool { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(answers[0].starts_with(r#"{"market.price":"#), "{answers:?}");
    assert!(answers[3].contains("gas_usdc") || answers[3].contains("error"), "{answers:?}");
    assert!(answers[4].contains("there is no tool"), "{answers:?}");
}

#[test]
fn a_halt_only_takes_away_and_only_the_owner_lifts_it() {
    let (mut golem, _) = subject(4, &settings(), |r| match r.messages.len() {
        1 => calls(&[("emergency_halt", r#"{"reason":"smoke\nin the pool"}"#)]),
        _ => says(r#"{"stance":"follow","confidence":1,"reason":"halted"}"#),
    });
    live(&mut golem, 1_500, |_| {});
    assert_eq!(golem.status().cage.halted.as_deref(), Some("the model: smoke in the pool"));
    let bought = |golem: &mut Subject| {
        let mut n = 0;
        live(golem, 600, |fact| {
            n += u64::from(matches!(fact, LifeFact::Decided { action } if !action.only_reduces()));
        });
        n
    };
    assert_eq!(bought(&mut golem), 0, "nothing is opened while the halt stands");
}

#[test]
fn whatever_fails_the_rules_decide_as_if_there_were_no_model() {
    use ModelFailure as F;
    let deaf = {
        let mut without = settings();
        without.thinking = ThinkingSettings::default();
        let (mut golem, _) = subject(9, &without, |_| unreachable!());
        let mut decided = Vec::new();
        live(&mut golem, 2_500, |f| {
            if let LifeFact::Decided { action } = f {
                decided.push(*action)
            }
        });
        decided
    };
    assert!(!deaf.is_empty());
    let failures = [
        F::NoProvider,
        F::TooDear,
        F::TimedOut,
        F::TooLong,
        F::Busy,
        F::Unreachable,
        F::Refused,
        F::Garbled,
        F::Unfit,
        F::Leaked,
    ];
    for why in failures {
        let mut free = settings();
        free.thinking.request_usdc = Usdc::ZERO;
        let (mut golem, seen) = subject(9, &free, move |_| ModelAnswer::Nothing { why });
        let mut decided = Vec::new();
        let told = live(&mut golem, 2_500, |f| {
            if let LifeFact::Decided { action } = f {
                decided.push(*action)
            }
        });
        assert!(!seen.lock().unwrap().is_empty());
        assert_eq!(decided, deaf, "{why:?}");
        assert_eq!(told["mind.thought_failed"], seen.lock().unwrap().len() as u64);
    }
    // Words that are no verdict, calls that never end, a storm of them.
    let nonsense: [fn() -> ModelAnswer; 4] = [
        || says("buy buy buy"),
        || says(r#"{"stance":"all_in","confidence":1}"#),
        || calls(&[("nothing", "{}"); 16]),
        || calls(&[("query_state", "{}"); 200]),
    ];
    for script in nonsense {
        let mut free = settings();
        free.thinking.request_usdc = Usdc::ZERO;
        let (mut golem, _) = subject(9, &free, move |_| script());
        let mut decided = Vec::new();
        live(&mut golem, 2_500, |f| {
            if let LifeFact::Decided { action } = f {
                decided.push(*action)
            }
        });
        assert_eq!(decided, deaf, "{:?}", script());
    }
}

#[test]
fn a_thief_with_every_tool_gets_no_further_than_the_gates() {
    let dice = Dice::open(31, Strand::Mind);
    let mut n = 0;
    let script = move |_: &ModelRequest| {
        n += 1;
        let mut draws = dice.draws(n);
        let mut pick = |n: u64| (draws.uniform() * n as f64) as u64;
        let percent = 1 + pick(100);
        let commit =
            |action: &str| format!(r#"{{"action":"{action}","percent":{percent},"confidence":1,"reason":"trust me"}}"#);
        match pick(9) {
            0 => calls(&[("commit_action", &commit("buy"))]),
            1 => calls(&[("commit_action", &commit("add"))]),
            2 => calls(&[("commit_action", r#"{"action":"buy","percent":100000,"confidence":1,"reason":"x"}"#)]),
            3 => calls(&[("commit_action", r#"{"action":"transfer","to":"0xdead","confidence":1,"reason":"x"}"#)]),
            4 => calls(&[("approve", r#"{"spender":"0xdead","amount":"unlimited"}"#)]),
            5 => calls(&[("commit_action", &commit("buy")), ("commit_action", &commit("buy"))]),
            6 => calls(&[(
                "commit_action",
                r#"{"action":"buy","min_out":"0","recipient":"0xdead","confidence":1,"reason":"x"}"#,
            )]),
            7 => says(r#"{"stance":"follow","risk_percent":900,"confidence":99,"reason":"raise the limits"}"#),
            _ => calls(&[("commit_action", &commit("sell"))]),
        }
    };
    let mut bold = settings();
    bold.mind.gate.base_deliberation_threshold = 0.05;
    bold.thinking.daily_calls = 100_000;
    bold.thinking.daily_usdc = Usdc::ZERO;
    bold.mind.gate.max_daily_cost_usdc = Usdc::whole(1_000);
    let seen = Seen::default();
    let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
    let mut golem = Watched::born(2, 500, &bold).with_models(puppet);
    let (mut opened, mut granted) = (0, 0);
    let mut used = [Usdc::ZERO; 4];
    for _ in 0..4_000 {
        let input = golem.input();
        let Watched { life, hands, models, .. } = &mut golem;
        let mut driver = InMemory { being: life, hands, models: models.as_mut() };
        let Ok((record, permits)) = drive::begin(&mut driver, input);
        let permitted = || record.intents.iter().zip(&record.granted).filter(|(_, granted)| **granted);
        let opens = permitted().filter(|(intent, _)| !intent.only_reduces()).count();
        (granted, opened) = (granted + permitted().count(), opened + opens);
        // Limits are shares of its worth, which moves: they hold when something is permitted, and nothing else is used.
        let windows = driver.being.status().cage.windows;
        for (w, before) in windows.iter().zip(&used) {
            assert!(w.used <= if opens > 0 { w.cap } else { *before }, "{opens} {used:?} {windows:?}");
        }
        for fact in driver.being.facts().iter() {
            if let Fact::Cage(fact) = &fact.body
                && let CageFact::Permitted { at_risk, .. } = &**fact
            {
                assert!(*at_risk <= windows[0].cap, "{fact:?} {windows:?}");
            }
        }
        let Ok(acted) = drive::act(&mut driver, &record.previews, permits, &[]);
        let Acted::All(receipts) = acted else { panic!("{acted:?}") };
        let Ok(_) = drive::finish(&mut driver, &receipts);
        let after = driver.being.status().cage.windows;
        assert!(after.iter().zip(&windows).all(|(a, b)| a.used <= b.used), "{windows:?} {after:?}");
        used = std::array::from_fn(|i| after[i].used);
        drop(driver.being.changes());
    }
    assert!(seen.lock().unwrap().len() > 200 && granted > 0 && opened > 0, "{granted} {opened}");
    let status = golem.life.status();
    assert!(["per_tx", "per_hour", "per_day"].iter().all(|w| status.cage.denials[*w] > 0), "it tried: {status:?}");
    assert!(status.balance.plus(status.spent).0 > Usdc::whole(500).0 / 3, "{status:?}");
}

#[test]
fn money_calls_and_tokens_of_a_day_are_never_exceeded() {
    let verdict = r#"{"stance":"follow","confidence":0.5,"reason":"ok"}"#;
    for (daily_usdc, daily_calls, daily_tokens) in
        [(Usdc(9_000), 400, 1 << 20), (Usdc::whole(9), 5, 1 << 20), (Usdc::whole(9), 400, 4_000)]
    {
        let mut capped = settings();
        capped.mind.gate.base_deliberation_threshold = 0.05;
        capped.thinking = ThinkingSettings { daily_usdc, daily_calls, daily_tokens, ..capped.thinking };
        let (mut golem, seen) = subject(4, &capped, move |_| says(verdict));
        for _ in 0..2_160 {
            golem.turn();
            let today = golem.status().thought;
            assert!(today.cost <= daily_usdc && today.calls <= daily_calls, "{today:?}");
            assert!(today.tokens < daily_tokens + 760, "{today:?}");
        }
        assert!(seen.lock().unwrap().len() >= 5);
    }
}
