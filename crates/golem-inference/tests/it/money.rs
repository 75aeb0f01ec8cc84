//! Money: nothing is sent that could cost too much, and what cannot be believed is charged upwards.

use crate::kit::{
    Act, PRICE, Server, door, ok, open, provider, request, said, settings, status, used, with_schema, worst,
};
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure};
use golem_inference::ProviderKind;
use serde_json::{Value, json};

fn nothing(answer: &ModelAnswer) -> Option<ModelFailure> {
    match answer {
        ModelAnswer::Nothing { why } => Some(*why),
        ModelAnswer::Said { .. } => None,
    }
}

#[test]
fn a_question_that_could_cost_too_much_is_not_sent() {
    let server = Server::start(vec![said("yes", used(30, 1))]);
    let mut asked = request();
    asked.max_output_tokens = 1_000;
    // Learn what it can cost at most from what is really sent.
    assert_eq!(nothing(&door(&[&server]).ask(&asked).answer), None);
    let most = worst(&server.seen()[0], 1_000);
    for (cap, sent) in [(most, true), (most.minus(Usdc(1)), false), (Usdc::ZERO, false)] {
        let before = server.seen().len();
        asked.max_cost = cap;
        let reply = door(&[&server]).ask(&asked);
        assert_eq!(server.seen().len() - before, usize::from(sent));
        assert_eq!(nothing(&reply.answer), (!sent).then_some(ModelFailure::TooDear));
        assert!(sent || reply.cost() == Usdc::ZERO);
    }
    let mut config = settings(vec![provider("a", ProviderKind::Openai, &server.url)]);
    config.max_request_usdc = most.minus(Usdc(1));
    asked.max_cost = Usdc(u64::MAX);
    assert_eq!(nothing(&open(&config).ask(&asked).answer), Some(ModelFailure::TooDear), "the owner's cap counts too");
}

#[test]
fn a_dear_provider_is_passed_over_for_a_cheap_one() {
    let (dear, cheap) =
        (Server::start(vec![said("dear", used(30, 1))]), Server::start(vec![said("cheap", used(30, 1))]));
    let mut a = provider("a", ProviderKind::Openai, &dear.url);
    a.price_t1.as_mut().unwrap().output_usdc_per_mtok = Usdc::whole(1_000);
    let reply = open(&settings(vec![a, provider("b", ProviderKind::Openai, &cheap.url)])).ask(&request());
    assert!(matches!(reply.answer, ModelAnswer::Said { ref text, .. } if text == "cheap"));
    assert_eq!(reply.attempts[0].failed, Some(ModelFailure::TooDear));
    assert_eq!((dear.seen().len(), reply.cost()), (0, Usdc(34)));
}

#[test]
fn what_was_spent_counts_against_the_next_try() {
    // Room for one worst case and a half: after a charged failure there is none for another provider.
    let (a, b) = (Server::start(vec![Act::Close]), Server::start(vec![said("yes", used(30, 1))]));
    let mut asked = request();
    door(&[&a]).ask(&asked);
    let one = worst(&a.seen()[0], 100);
    asked.max_cost = one.plus(Usdc(one.0 / 2));
    let reply = door(&[&a, &b]).ask(&asked);
    assert_eq!(nothing(&reply.answer), Some(ModelFailure::TooDear));
    assert_eq!((b.seen().len(), reply.cost()), (0, one));
    // A try that was not charged takes no room.
    let (a, b) = (Server::start(vec![status(500)]), Server::start(vec![said("yes", used(30, 1))]));
    assert_eq!(nothing(&door(&[&a, &b]).ask(&asked).answer), None);
}

#[test]
fn a_repair_that_could_cost_too_much_is_not_tried() {
    let server = Server::start(vec![said("no JSON", used(2_000, 100))]);
    let mut asked = with_schema();
    let one = {
        door(&[&server]).ask(&asked);
        worst(&server.seen()[0], 100)
    };
    asked.max_cost = one;
    let before = server.seen().len();
    let reply = door(&[&server]).ask(&asked);
    assert_eq!((nothing(&reply.answer), server.seen().len() - before), (Some(ModelFailure::Unfit), 1));
    assert_eq!(reply.attempts.last().unwrap().failed, Some(ModelFailure::TooDear));
    assert_eq!(reply.cost(), PRICE.cost(2_000, 100));
}

#[test]
fn a_count_that_cannot_be_true_is_taken_at_its_worst() {
    let cases: Vec<(Value, bool, bool)> = vec![
        (json!({ "prompt_tokens": 40, "completion_tokens": 2 }), true, true),
        (json!({ "prompt_tokens": 40.0, "completion_tokens": 2.0 }), true, true),
        (json!(null), false, false),
        (json!({}), false, false),
        (json!("free"), false, false),
        (json!({ "prompt_tokens": -40, "completion_tokens": 2 }), false, true),
        (json!({ "prompt_tokens": 40, "completion_tokens": -2 }), true, false),
        (json!({ "prompt_tokens": "NaN", "completion_tokens": null }), false, false),
        (json!({ "prompt_tokens": 40.5, "completion_tokens": 1e300 }), false, false),
        (json!({ "prompt_tokens": 0, "completion_tokens": 0 }), false, false),
        (json!({ "prompt_tokens": 4_000_000_000u64, "completion_tokens": 2 }), false, true),
        (json!({ "prompt_tokens": 40, "completion_tokens": u64::MAX }), true, false),
    ];
    for (usage, input, output) in cases {
        let server = Server::start(vec![said("yes", usage.clone())]);
        let reply = door(&[&server]).ask(&request());
        assert_eq!(nothing(&reply.answer), None, "{usage}");
        let bytes = server.seen()[0].text.len() as u64;
        let attempt = &reply.attempts[0];
        assert_eq!(attempt.input_tokens, if input { 40 } else { bytes.div_ceil(3) }, "{usage}");
        assert_eq!(attempt.output_tokens, if output { 2 } else { 100 }, "{usage}");
        assert_eq!(attempt.estimated, !(input && output), "{usage}");
        assert_eq!(attempt.cost, PRICE.cost(attempt.input_tokens, attempt.output_tokens), "{usage}");
    }
}

#[test]
fn tools_and_schema_are_part_of_the_estimate() {
    let server = Server::start(vec![ok(&json!({ "choices": [{ "message": { "content": "{}" } }] }))]);
    let plain = door(&[&server]).ask(&request()).attempts[0].input_tokens;
    let bound = door(&[&server]).ask(&with_schema()).attempts[0].input_tokens;
    assert!(bound >= plain + crate::kit::SCHEMA.len() as u64 / 3, "{plain} {bound}");
}
