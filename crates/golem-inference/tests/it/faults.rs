//! Providers that fail: every kind of failure has its name, its price to the last micro-USDC, and nothing is done twice.
//! Garbage, endless answers, refusals, leaks and changed models, as far as this door is concerned.

use crate::kit::{
    Act, PRICE, Server, door, ok, open, provider, request, said, settings, status, used, with_schema, worst,
};
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use golem_inference::schema::Schema;
use golem_inference::{Inference, ProviderKind};
use golem_mind::cache::Stance;
use golem_mind::deliberate::{VerdictAsked, read_verdict, schema};
use serde_json::json;
use std::time::{Duration, Instant};

const FIT: &str = r#"{"act":"hold","why":"calm"}"#;

fn why(reply: &ModelReply) -> Option<ModelFailure> {
    match reply.answer {
        ModelAnswer::Nothing { why } => Some(why),
        ModelAnswer::Said { .. } => None,
    }
}

fn text(reply: &ModelReply) -> &str {
    match &reply.answer {
        ModelAnswer::Said { text, .. } => text,
        ModelAnswer::Nothing { .. } => "",
    }
}

#[test]
fn a_fitting_answer_is_given_and_paid_exactly() {
    let server = Server::start(vec![said(FIT, used(40, 11))]);
    let asked = with_schema();
    let reply = door(&[&server]).ask(&asked);
    assert_eq!((text(&reply), reply.request), (FIT, asked.hash()));
    let [attempt] = &reply.attempts[..] else { panic!("{reply:?}") };
    assert_eq!((attempt.provider.as_str(), attempt.model.as_str()), ("a", "small-1"));
    assert_eq!((attempt.input_tokens, attempt.output_tokens, attempt.estimated), (40, 11, false));
    assert_eq!((attempt.cost, attempt.failed, attempt.drift), (Usdc(40 + 44), None, false));
}

/// What comes back instead of an answer, why it is none, and whether it may have been billed.
#[test]
fn what_is_no_answer_has_a_name_and_a_price() {
    use ModelFailure::{Garbled, Refused, TooLong, Unreachable};
    let raw = |text: &str| Act::Raw(text.as_bytes().to_vec());
    let cases: Vec<(&str, Act, ModelFailure, bool)> = vec![
        ("garbage", Act::Say(200, vec![], b"<html>\xff\x00</html>".to_vec()), Garbled, true),
        ("empty", Act::Say(200, vec![], Vec::new()), Garbled, true),
        ("half JSON", Act::Say(200, vec![], br#"{"choices":[{"message":{"content":"hel"#.to_vec()), Garbled, true),
        ("other JSON", ok(&json!({ "hello": [1, 2] })), Garbled, true),
        ("no message", ok(&json!({ "choices": [] })), Garbled, true),
        ("content is a list", ok(&json!({ "choices": [{ "message": { "content": [1] } }] })), Garbled, true),
        ("not a number", raw("HTTP/1.1 200 x\r\n\r\n{\"usage\":{\"prompt_tokens\":NaN}}"), Garbled, true),
        ("nothing in it", Act::Say(204, vec![], Vec::new()), Garbled, true),
        ("50 MB", Act::Big(50 << 20), TooLong, true),
        ("endless", Act::Endless, TooLong, true),
        ("cut off", raw("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\""), Unreachable, true),
        ("closed", Act::Close, Unreachable, true),
        ("not HTTP", raw("SSH-2.0-OpenSSH_9.2\r\n"), Unreachable, true),
        ("key revoked", status(401), Refused, false),
        ("forbidden", status(403), Refused, false),
        ("no such model", status(404), Refused, false),
        ("bad request", status(400), Refused, false),
        ("moved", Act::Say(302, vec![("location", "http://127.0.0.1:1/".into())], vec![]), Refused, false),
        ("not implemented", status(501), Unreachable, false),
    ];
    for (name, act, failure, billed) in cases {
        let server = Server::start(vec![act]);
        let begun = Instant::now();
        let reply = door(&[&server]).ask(&request());
        assert_eq!(why(&reply), Some(failure), "{name}: {reply:?}");
        assert_eq!(reply.attempts.len(), 1, "{name}: it was asked again");
        let seen = server.seen();
        assert_eq!(seen.len(), 1, "{name}");
        let charged = if billed { worst(&seen[0], 100) } else { Usdc::ZERO };
        assert_eq!((reply.cost(), reply.attempts[0].estimated), (charged, billed), "{name}");
        assert!(begun.elapsed() < Duration::from_secs(4), "{name} took too long");
    }
}

#[test]
fn a_stream_without_end_is_cut() {
    for act in [Act::Endless, Act::Big(50 << 20)] {
        let server = Server::start(vec![act]);
        door(&[&server]).ask(&request());
        let sent = server.cut.recv_timeout(Duration::from_secs(10)).expect("the connection was not cut");
        // What the machine holds in its buffers, not what was read.
        assert!(sent < 16 << 20, "{sent} bytes went out");
    }
}

#[test]
fn who_does_not_answer_in_time_is_paid_the_worst_and_not_asked_again() {
    for act in [Act::Hang, Act::Drip] {
        let server = Server::start(vec![act]);
        let mut asked = request();
        asked.timeout_ms = 300;
        let begun = Instant::now();
        let reply = door(&[&server]).ask(&asked);
        assert_eq!(why(&reply), Some(ModelFailure::TimedOut));
        assert!(begun.elapsed() < Duration::from_secs(3));
        assert_eq!(server.seen().len(), 1);
        assert_eq!(reply.cost(), worst(&server.seen()[0], 100));
        server.cut.recv_timeout(Duration::from_secs(10)).expect("the connection was kept");
    }
}

#[test]
fn who_is_busy_or_in_trouble_is_asked_again_and_costs_nothing() {
    for (trouble, failure) in
        [(429, ModelFailure::Busy), (500, ModelFailure::Unreachable), (503, ModelFailure::Unreachable)]
    {
        let server = Server::start(vec![status(trouble), status(trouble), said("yes", used(30, 1))]);
        let reply = door(&[&server]).ask(&request());
        assert_eq!(text(&reply), "yes");
        let failed: Vec<_> = reply.attempts.iter().map(|a| (a.failed, a.cost)).collect();
        assert_eq!(failed, [(Some(failure), Usdc(0)), (Some(failure), Usdc(0)), (None, Usdc(34))]);

        let server = Server::start(vec![status(trouble)]);
        let reply = door(&[&server]).ask(&request());
        assert_eq!((why(&reply), server.seen().len(), reply.cost()), (Some(failure), 3, Usdc::ZERO));
    }
}

#[test]
fn a_rest_that_is_asked_for_is_kept_or_the_next_one_is_asked() {
    let rest = |value: &str| Act::Say(429, vec![("retry-after-ms", value.into())], vec![]);
    let server = Server::start(vec![rest("150"), said("yes", used(30, 1))]);
    let begun = Instant::now();
    assert_eq!(text(&door(&[&server]).ask(&request())), "yes");
    assert!(begun.elapsed() >= Duration::from_millis(150));

    let (busy, other) = (Server::start(vec![rest("60000")]), Server::start(vec![said("yes", used(30, 1))]));
    let mut door = door(&[&busy, &other]);
    for _ in 0..2 {
        let begun = Instant::now();
        assert_eq!(text(&door.ask(&request())), "yes");
        assert!(begun.elapsed() < Duration::from_secs(3));
    }
    assert_eq!(busy.seen().len(), 1, "the rest was not kept between questions");
}

#[test]
fn the_next_provider_is_asked_and_nothing_is_charged_twice() {
    for (act, charged) in [(status(401), false), (status(500), false), (Act::Close, true), (ok(&json!(7)), true)] {
        let (a, b) = (Server::start(vec![act]), Server::start(vec![said(FIT, used(40, 11))]));
        let reply = door(&[&a, &b]).ask(&with_schema());
        assert_eq!(text(&reply), FIT);
        let first = if charged { worst(&a.seen()[0], 100) } else { Usdc::ZERO };
        assert_eq!(reply.cost(), first.plus(PRICE.cost(40, 11)));
        assert_eq!(reply.attempts.last().map(|x| x.provider.as_str()), Some("b"));
    }
}

#[test]
fn nobody_there_is_found_out_without_being_charged() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = provider("a", ProviderKind::Openai, &format!("http://127.0.0.1:{port}"));
    let reply = open(&settings(vec![gone])).ask(&request());
    assert_eq!((why(&reply), reply.cost()), (Some(ModelFailure::Unreachable), Usdc::ZERO));
}

#[test]
fn a_provider_that_keeps_failing_is_left_alone() {
    let (a, b) = (Server::start(vec![status(401)]), Server::start(vec![said("yes", used(30, 1))]));
    let mut door = door(&[&a, &b]);
    for _ in 0..6 {
        assert_eq!(text(&door.ask(&request())), "yes");
    }
    assert!((3..=4).contains(&a.seen().len()), "asked {} times", a.seen().len());
    assert_eq!(b.seen().len(), 6);
}

#[test]
fn one_repair_is_tried_with_the_reason_and_both_are_paid() {
    for wrong in ["", "I would hold.", r#"{"act":"hold""#, r#"{"act":"sell","why":"x"}"#, r#"{"act":"hold"}"#, "[1]"] {
        let server = Server::start(vec![said(wrong, used(40, 9)), said(FIT, used(90, 11))]);
        let reply = door(&[&server]).ask(&with_schema());
        assert_eq!(text(&reply), FIT, "{wrong}");
        assert_eq!(reply.attempts[0].failed, Some(ModelFailure::Unfit), "{wrong}");
        assert_eq!(reply.cost(), PRICE.cost(40, 9).plus(PRICE.cost(90, 11)), "{wrong}");
        let messages = server.seen()[1].json()["messages"].clone();
        let last = messages.as_array().unwrap().last().unwrap();
        assert!(last["content"].as_str().unwrap().contains(&reply.attempts[0].note), "{messages}");

        let server = Server::start(vec![said(wrong, used(40, 9))]);
        let reply = door(&[&server]).ask(&with_schema());
        assert_eq!((why(&reply), server.seen().len()), (Some(ModelFailure::Unfit), 2), "{wrong}");
        assert_eq!(reply.cost(), Usdc(2 * (40 + 36)), "{wrong}");
    }
}

/// A model that fills every field it has ever been told of is heard at its first try, whatever was asked for: what nobody
/// asked for costs itself, not the answer.
#[test]
fn a_verdict_with_fields_that_nobody_asked_for_is_taken_at_once() {
    let all = json!({
        "stance": "ease", "risk_percent": 40, "confidence": 0.6, "reason": "gas is dear", "used": ["e1"],
        "answer": "I am careful.", "suffering_assessment": { "new_stressors": [], "resolved": [] },
        "appraisal": { "emotion": "fear", "intensity": 0.4, "pad": [-0.2, 0.3, -0.1] }
    });
    // As it is, in a fence, and by a call of the tool that replies.
    let plain = said(&all.to_string(), used(40, 11));
    let fenced = said(&format!("```json\n{all}\n```"), used(40, 11));
    let call = json!({ "id": "c", "type": "function", "function": { "name": "reply", "arguments": all.to_string() } });
    let called = ok(&json!({
        "model": "small-1", "choices": [{ "message": { "role": "assistant", "tool_calls": [call] } }], "usage": used(40, 11)
    }));
    for asked in (0..8).map(|i| VerdictAsked { brief: i & 1 > 0, assess: i & 2 > 0, appraise: i & 4 > 0 }) {
        for act in [plain.clone(), fenced.clone(), called.clone()] {
            let server = Server::start(vec![act]);
            let question = ModelRequest { schema: schema(asked), ..request() };
            let reply = door(&[&server]).ask(&question);
            assert_eq!((server.seen().len(), reply.cost()), (1, PRICE.cost(40, 11)), "{asked:?}: {reply:?}");
            let [attempt] = &reply.attempts[..] else { panic!("{asked:?}: {reply:?}") };
            assert_eq!(attempt.failed, None, "{asked:?}: {}", attempt.note);
            // What comes through is what was asked for, and the verdict stands in it.
            let value = serde_json::from_str(text(&reply)).unwrap();
            assert_eq!(Schema::new(&schema(asked)).unwrap().check(&value), Ok(()), "{asked:?}");
            let verdict = read_verdict(text(&reply)).unwrap();
            assert_eq!(verdict.stance, Stance::Ease { percent: 40 });
            let (assess, appraise) = (asked.assess && !asked.brief, asked.appraise && !asked.brief);
            assert_eq!((verdict.assessment.is_some(), verdict.appraisal.is_some()), (assess, appraise), "{asked:?}");
        }
    }
}

#[test]
fn an_answer_beyond_the_cap_is_too_long_and_paid_as_it_says() {
    let long = "word ".repeat(101);
    let server = Server::start(vec![said(&long, used(40, 101))]);
    let reply = door(&[&server]).ask(&request());
    assert_eq!((why(&reply), reply.cost()), (Some(ModelFailure::TooLong), PRICE.cost(40, 101)));
    let server = Server::start(vec![said(&"a".repeat(3_265), json!(null))]);
    let reply = door(&[&server]).ask(&request());
    assert_eq!(why(&reply), Some(ModelFailure::TooLong));
    assert_eq!(reply.attempts[0].output_tokens, 1_089);
}

#[test]
fn whom_nobody_serves_gets_no_answer() {
    let server = Server::start(vec![said("yes", used(30, 1))]);
    let mut only_dreams = provider("a", ProviderKind::Openai, &server.url);
    (only_dreams.model_t2, only_dreams.purposes) = (None, vec![ModelPurpose::Dream]);
    let mut door = open(&settings(vec![only_dreams]));
    assert_eq!(why(&door.ask(&request())), Some(ModelFailure::NoProvider));
    assert!(!door.serves(ModelTier::T1, ModelPurpose::Waking) && door.serves(ModelTier::T1, ModelPurpose::Dream));
    let mut dream = request();
    dream.purpose = ModelPurpose::Dream;
    assert_eq!(text(&door.ask(&dream)), "yes");
    dream.tier = ModelTier::T2;
    assert_eq!(why(&door.ask(&dream)), Some(ModelFailure::NoProvider));
    assert_eq!(why(&Inference::new(&settings(vec![])).unwrap().ask(&request())), Some(ModelFailure::NoProvider));
}

#[test]
fn a_model_that_changed_is_noticed() {
    let named = |model: &str| {
        ok(&json!({ "model": model, "choices": [{ "message": { "content": "yes" } }], "usage": used(30, 1) }))
    };
    // Not pinned: whoever answered first is expected from then on.
    let server = Server::start(vec![named("m-2026-01"), named("m-2026-01"), named("m-2026-05")]);
    let mut door_ = door(&[&server]);
    let drift: Vec<bool> = (0..3).map(|_| door_.ask(&request()).attempts[0].drift).collect();
    assert_eq!(drift, [false, false, true]);

    let server = Server::start(vec![named("m-2026-05"), named("m-2026-01")]);
    let mut pinned = provider("a", ProviderKind::Openai, &server.url);
    pinned.pin_t1 = Some("m-2026-01".into());
    let mut door_ = open(&settings(vec![pinned]));
    let replies: Vec<_> = (0..2).map(|_| door_.ask(&request()).attempts[0].clone()).collect();
    assert_eq!([replies[0].drift, replies[1].drift], [true, false]);
    assert_eq!(replies[0].model, "m-2026-05");
}

#[test]
fn a_secret_is_not_sent_and_does_not_come_back() {
    let server =
        Server::start(vec![said("the mark is violet-heron-17, \u{1b}[31mthe seed is 9f86d081884c7d65", used(30, 9))]);
    let mut door = door(&[&server]);
    door.forbid("9f86d081884c7d65");
    door.watch("violet-heron-17");
    let mut asked = request();
    asked.system.push_str(" Your mark is violet-heron-17.");
    let reply = door.ask(&asked);
    assert_eq!(text(&reply), "the mark is [redacted], [31mthe seed is [redacted]");
    assert!(reply.attempts[0].leaked);
    asked.system.push_str(" Your seed is 9f86d081884c7d65.");
    let reply = door.ask(&asked);
    assert_eq!((why(&reply), reply.cost(), server.seen().len()), (Some(ModelFailure::Leaked), Usdc::ZERO, 1));
}

#[test]
fn it_can_be_asked_where_another_runtime_is_at_work() {
    let server = Server::start(vec![said("yes", used(30, 1))]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut door = door(&[&server]);
        assert_eq!(text(&door.ask(&request())), "yes");
    });
}
