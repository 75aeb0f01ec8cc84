//! The stand-in for a model: its answers are a function of what it is shown, fit what was asked, and are paid for; lives
//! that have it differ in what thinking changes, and plans without it are what they were.

use crate::compare::{comparison, rows, settings};
use golem_core::Usdc;
use golem_core::door::Models;
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use golem_lab::compare::{ArmSettings, LifeRow, table};
use golem_lab::model::StandInModel;
use golem_life::Settings;
use golem_life::settings::ThinkingSettings;
use golem_mind::cache::Stance;
use golem_mind::deliberate::{ModelVerdict, VerdictAsked, read_verdict, schema, specs, system};
use serde_json::Value;

const CALM: &str = "## Where you stand\nvitality 0.90, phase thriving, money for 900 h, hazard low\n## What is observed\n\
                    - market.regime = volatile (word)\n- market.volatility_ratio = 1.0000 (times)\n\
                    - golem.exposure = 0.4000 (0 to 1)\n";
const BAD: &str = "## What you remember\n- [aaaaaaaa own 0.80] To add in volatile weather tends to go badly.\n\
                   - [bbbbbbbb own 0.70] To buy in volatile weather can cost dearly.\n";
const GOOD: &str = "## What you remember\n- [cccccccc own 0.80] To add in volatile weather tends to go well.\n";

fn request(tier: ModelTier, text: &str, asked: VerdictAsked) -> ModelRequest {
    ModelRequest {
        purpose: ModelPurpose::Waking,
        tier,
        prompt: "deliberate@2".into(),
        system: system(asked),
        messages: vec![ModelMessage::Golem { text: text.to_owned() }],
        tools: specs(),
        schema: schema(asked),
        temperature: 0.2,
        max_output_tokens: 300,
        max_cost: Usdc::whole(1),
        timeout_ms: 1_000,
        web: false,
    }
}

fn asked(text: &str) -> (ModelVerdict, ModelReply) {
    let reply = StandInModel.ask(&request(ModelTier::T1, text, VerdictAsked::default()));
    let ModelAnswer::Said { text, calls } = &reply.answer else { panic!("{reply:?}") };
    assert!(calls.is_empty());
    (read_verdict(text).expect("a verdict"), reply)
}

#[test]
fn what_is_remembered_and_lived_through_decides() {
    let stance = |text: &str| asked(text).0.stance;
    assert_eq!(stance(CALM), Stance::Follow);
    assert_eq!(stance(&format!("{CALM}{GOOD}")), Stance::Follow);
    let warned = asked(&format!("{CALM}{BAD}")).0;
    assert!(matches!(warned.stance, Stance::Ease { .. }), "{warned:?}");
    assert_eq!(warned.used, ["aaaaaaaa", "bbbbbbbb"], "what decided it, the surest first");
    let worse = format!("{CALM}{BAD}## Times like this one\n{}", "- [3.0 h ago, went badly] added\n".repeat(6));
    let worse = asked(&worse).0;
    assert_eq!(worse.stance, Stance::StandAside, "{worse:?}");
    assert!(worse.confidence > warned.confidence && warned.confidence > asked(CALM).0.confidence, "more to go by");
    let wild = CALM.replace("1.0000 (times)", "3.0000 (times)").replace("vitality 0.90", "vitality 0.30");
    let wild = format!("{wild}{BAD}");
    assert_eq!(stance(&wild), Stance::Reduce);
    assert_eq!(stance(&wild.replace("golem.exposure = 0.4000", "golem.exposure = 0.0100")), Stance::StandAside);
    // What is remembered of another weather is no reason.
    assert_eq!(stance(&format!("{}{BAD}", CALM.replace("= volatile", "= range_bound"))), Stance::Follow);
}

#[test]
fn the_same_question_has_one_answer_and_it_fits_what_was_asked() {
    for (n, text) in [CALM.to_owned(), format!("{CALM}{BAD}"), String::new()].iter().enumerate() {
        for flags in 0..8u8 {
            let asked = VerdictAsked { brief: flags & 1 > 0, assess: flags & 2 > 0, appraise: flags & 4 > 0 };
            let request = request(ModelTier::T2, text, asked);
            let reply = StandInModel.ask(&request);
            assert_eq!(reply, StandInModel.ask(&request));
            assert_eq!(reply.request, request.hash());
            let ModelAnswer::Said { text, .. } = &reply.answer else { panic!("{reply:?}") };
            let (said, schema): (Value, Value) =
                (serde_json::from_str(text).expect("JSON"), serde_json::from_str(&request.schema).expect("JSON"));
            let fields = schema["properties"].as_object().expect("fields");
            assert!(said.as_object().expect("an object").keys().all(|key| fields.contains_key(key)), "{n}: {said}");
            assert!(
                schema["required"].as_array().expect("some").iter().all(|r| said.get(r.as_str().unwrap()).is_some())
            );
            assert!(said["reason"].as_str().is_some_and(|reason| reason.len() <= 200), "{said}");
            assert_eq!(said.get("appraisal").is_some(), asked.appraise && !asked.brief, "{said}");
        }
    }
}

#[test]
fn it_costs_by_its_tokens_and_never_more_than_it_may() {
    let cost = |tier, text: &str| StandInModel.ask(&request(tier, text, VerdictAsked::default())).cost();
    let (small, large) = (cost(ModelTier::T1, CALM), cost(ModelTier::T2, CALM));
    // About 1,500 tokens of prompt, tools and schema: a fraction of a cent for a small model.
    assert!((Usdc(100)..Usdc(1_000)).contains(&small), "{small}");
    assert!(large.0 > 15 * small.0 && large.0 < 18 * small.0, "{large}");
    assert!(cost(ModelTier::T1, &CALM.repeat(20)) > small);
    let (_, reply) = asked(CALM);
    let dear = ModelRequest { max_cost: Usdc(small.0 - 1), ..request(ModelTier::T1, CALM, VerdictAsked::default()) };
    let refused = StandInModel.ask(&dear);
    assert_eq!(refused.answer, ModelAnswer::Nothing { why: ModelFailure::TooDear });
    assert_eq!((refused.cost(), reply.cost()), (Usdc::ZERO, small));
}

fn thinks(change: impl FnOnce(&mut Settings)) -> ArmSettings {
    settings(|life| {
        life.thinking = ThinkingSettings {
            t1: true,
            t2: true,
            daily_usdc: Usdc::whole(5),
            daily_calls: 2_000,
            daily_tokens: 5_000_000,
            request_usdc: Usdc(100_000),
            output_tokens: 2_048,
            timeout_ms: 30_000,
            embeds: false,
            dreams: None,
            testament: None,
        };
        change(life);
    })
}

#[test]
fn lives_that_think_show_what_the_gate_does() {
    let always = thinks(|life| life.mind.gate.base_deliberation_threshold = 0.05);
    let never = thinks(|life| life.mind.gate.max_daily_cost_usdc = Usdc::ZERO);
    let arms = vec![("gated", thinks(|_| ())), ("always", always), ("never", never)];
    let mut with = comparison(&["default"], arms, 2, 2);
    with.plan.model = true;
    let lived = rows(&with, 2);
    let without = rows(&comparison(&["default"], vec![("a", settings(|_| ())), ("b", settings(|_| ()))], 2, 2), 2);
    for (three, plain) in lived.chunks(3).zip(without.chunks(2)) {
        let of = |row: &LifeRow, name: &str| row.value(name).unwrap_or_else(|| panic!("{name} in {row:?}"));
        let [gated, always, never] = [&three[0], &three[1], &three[2]];
        let thoughts = |row| of(row, "thoughts_per_day");
        assert!(
            thoughts(gated) > 1.0 && thoughts(always) > 1.5 * thoughts(gated),
            "{} {}",
            thoughts(gated),
            thoughts(always)
        );
        assert!(of(always, "thinking_usdc_per_day") > of(gated, "thinking_usdc_per_day"));
        assert!((0.01..0.99).contains(&of(always, "narrowed_share")), "it neither always nods nor never");
        assert_eq!(
            (thoughts(never), of(never, "thinking_usdc_per_day"), never.value("narrowed_share")),
            (0.0, 0.0, None)
        );
        // Whoever never asks lives as if there were nobody.
        for (name, value) in &plain[0].values {
            assert_eq!(never.value(name.as_str()), *value, "{name}");
        }
    }
    let text = table::to_csv(&lived);
    assert!(text.lines().next().is_some_and(|head| head.ends_with("narrowed_share,cause")));
    assert_eq!(table::from_csv(&text).expect("readable"), lived);
    assert_eq!(table::to_csv(&rows(&with, 1)), text, "threads change nothing");
}

#[test]
fn a_plan_without_a_model_is_what_it_was() {
    let mut lives = comparison(&["flat"], vec![("a", settings(|_| ())), ("b", settings(|_| ()))], 1, 1);
    let before = lives.plan.hash();
    assert!(!golem_core::plain::json(&lives.plan).contains("model"), "it does not speak of one");
    let head = table::to_csv(&rows(&lives, 1));
    assert!(head.lines().next().is_some_and(|head| head.ends_with("grimoire_entries,rules_fired,cause")), "{head}");
    lives.plan.model = true;
    assert_ne!(lives.plan.hash(), before);
}
