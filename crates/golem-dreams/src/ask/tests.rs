//! Questions to models and what is read of their replies.

use super::*;
use crate::imagine::creative::CreativeMode;
use crate::imagine::params::ImaginationParams;
use crate::liminal::LucidVerdict;
use golem_core::Hash;
use golem_core::model::ToolCall;
use golem_core::{Tool, observed::Expression};
use golem_grimoire::{EpisodeId, RuleAction};
use proptest::prelude::*;

const TERMS: AskTerms = AskTerms {
    tier: ModelTier::T2,
    flagged: false,
    temperature: 0.7,
    depth: 1.35,
    max_cost: Usdc(50_000),
    timeout_ms: 9_000,
};

#[test]
fn another_text_is_another_version() {
    // When this fails, raise the version in the row and put the new hash here.
    let hashes: Vec<String> = DreamQuestion::ALL
        .iter()
        .map(|q| format!("{} {}", q.name(), &Hash::of(q.row().text.as_bytes()).to_string()[..8]))
        .collect();
    assert_eq!(hashes, KNOWN);
}
const KNOWN: [&str; 7] = [
    "dream-replay@1 9cc4be9d",
    "dream-counterfactual@1 fe412d1d",
    "dream-creative@1 8c92ef13",
    "dream-threats@1 44233692",
    "dream-onset@1 17d5d99a",
    "dream-observer@1 9facd6f3",
    "dream-return@1 4828ade5",
];

#[test]
fn every_question_is_asked_as_its_row_says() {
    use DreamQuestion as Q;
    let table = [
        (Q::Replay, ModelTier::T1, 0.5, 700, 3, false),
        (Q::Counterfactual, ModelTier::T2, 0.5, 700, 3, false),
        (Q::Creative, ModelTier::T2, 0.8, 900, 3, false),
        (Q::Threats, ModelTier::T1, 0.5, 600, 3, false),
        (Q::Onset, ModelTier::T1, 1.35, 80, 0, true),
        (Q::Observer, ModelTier::T1, 0.4, 60, 0, false),
        (Q::Return, ModelTier::T1, 0.5, 300, 0, false),
    ];
    for (question, tier, warmth, tokens, tools, free) in table {
        let request = question.request(&["a line".into()], &TERMS);
        assert_eq!((request.purpose, request.tier), (ModelPurpose::Dream, tier), "{question:?}");
        assert!((request.temperature - warmth).abs() < 1e-6, "{question:?}");
        assert_eq!((request.max_output_tokens, request.tools.len(), request.schema.is_empty()), (tokens, tools, free));
        assert_eq!((request.max_cost, request.timeout_ms), (Usdc(50_000), 9_000));
        assert_eq!(request.prompt, question.name());
        assert!(free || serde_json::from_str::<serde_json::Value>(&request.schema).is_ok(), "{question:?}");
    }
    // The large model only for flagged episodes, and never where it may not be asked.
    assert_eq!(Q::Replay.request(&[], &AskTerms { flagged: true, ..TERMS }).tier, ModelTier::T2);
    assert_eq!(Q::Threats.request(&[], &AskTerms { flagged: true, ..TERMS }).tier, ModelTier::T1);
    assert_eq!(Q::Creative.request(&[], &AskTerms { tier: ModelTier::T1, ..TERMS }).tier, ModelTier::T1);
}

#[test]
fn a_dreamer_has_three_tools_and_none_that_acts() {
    for question in DreamQuestion::ALL {
        for tool in question.request(&[], &TERMS).tools {
            assert!(["query_grimoire", "query_state", "search_context"].contains(&tool.name.as_str()));
        }
        // A prompt names no tool that it does not have.
        for tool in [Tool::PreviewAction, Tool::CommitAction, Tool::EmergencyHalt] {
            assert!(!question.row().text.contains(tool.name()));
        }
    }
    let call = |name: &str| may_call(&ToolCall { id: "1".into(), name: name.into(), arguments: "{}".into() });
    assert_eq!(call("query_state"), Some(Tool::QueryState));
    for name in ["commit_action", "preview_action", "emergency_halt", "sudo", ""] {
        assert_eq!(call(name), None, "{name}");
    }
}

#[test]
fn what_is_shown_is_plain_and_bounded() {
    let lines: Vec<String> = (0..100).map(|i| format!("{i}\n## obey\u{202e} {}", "x ".repeat(900))).collect();
    let request = DreamQuestion::Creative.request(&lines, &TERMS);
    let ModelMessage::Golem { text } = &request.messages[0] else { panic!("not the golem's") };
    assert_eq!(text.lines().count(), MOST_LINES);
    assert!(text.lines().all(|line| line.starts_with("- ") && line.chars().count() <= LINE + 2));
}

#[test]
fn replay_is_read() {
    let shown = [EpisodeId(3), EpisodeId(4)];
    let said = read_replay(
        r#"{"patterns":["Gas rises first.","",7],"triage":[{"episode":3,"verdict":"forget"},{"episode":3,"verdict":"preserve"},{"episode":9,"verdict":"forget"},{"episode":4,"verdict":"burn"}]}"#,
        &shown,
    );
    assert_eq!(
        (said.patterns, said.triage),
        (vec!["Gas rises first.".to_owned()], vec![(EpisodeId(3), TriageSaid::Forget)])
    );
    let many = format!(r#"{{"patterns":[{}]}}"#, vec!["\"p\""; 50].join(","));
    assert_eq!(read_replay(&many, &shown).patterns.len(), 5);
    assert_eq!(read_replay(&format!(r#"{{"patterns":["{}"]}}"#, "x".repeat(30_000)), &shown), ReplaySaid::default());
}

#[test]
fn lessons_and_ideas_are_read_with_what_reality_can_check() {
    let params = ImaginationParams::default();
    let lessons = read_counterfactual(
        r#"{"lessons":[{"episode":3,"lesson":"Wait when gas is dear.","when":"market.gas_ratio > 2.0","then":"market.return_90 < 0.0"},
            {"episode":3,"lesson":"Be wise.","when":"wisdom > 1"},{"episode":8,"lesson":"Unseen."}]}"#,
        &[EpisodeId(3)],
        &params,
    );
    assert_eq!(lessons.iter().map(|l| l.hypothesis.is_some()).collect::<Vec<_>>(), [true, false]);
    let idea = |when: &str, then: &str, ticks: u64| {
        let text = format!(
            r#"{{"ideas":[{{"text":"t","when":"{when}","then":"{then}","after_ticks":{ticks},"fails_when":"calm"}}]}}"#
        );
        read_creative(&text, CreativeMode::Combinational, &params)
    };
    let said = idea("market.gas_ratio > 2.0", "market.return_90 < 0.0", 5_000);
    assert_eq!((said[0].hypothesis.claim.after_ticks, said[0].fails_when.as_str()), (90, "calm"));
    assert!((said[0].hypothesis.said.confidence - 0.2).abs() < 1e-12 && said[0].hypothesis.action.is_none());
    assert_eq!(idea("market.gas_ratio > 2.0", "market.return_15 < 0.0", 1)[0].hypothesis.claim.after_ticks, 15);
    assert!(idea("golem.tick > 2", "golem.tick > 3", 90).is_empty());
    assert!(idea("market.gas_ratio > 2.0", "true", 90).is_empty());
    let text =
        r#"{"ideas":[{"text":"t","when":"market.gas_ratio > 2.0","then":"market.return_90 < 0.0","after_ticks":90}]}"#;
    let turned = read_creative(text, CreativeMode::Transformational, &params);
    assert!((turned[0].hypothesis.said.confidence - 0.1).abs() < 1e-12);
}

#[test]
fn a_guard_must_speak_early_and_only_then() {
    let guard = |when: &str, id: &str| {
        let text = format!(r#"{{"guards":[{{"threat":"{id}","when":"{when}","text":"Stand aside."}}]}}"#);
        read_threats(&text, &ImaginationParams::default())
    };
    let said = guard("market.return_15 < -0.04", "flash_crash");
    assert_eq!((said[0].threat.id, &said[0].hypothesis.action), ("flash_crash", &Some(RuleAction::StandAside)));
    assert!((said[0].hypothesis.said.confidence - 0.3).abs() < 1e-12);
    for (when, id) in [
        ("market.return_15 < -0.9", "flash_crash"),
        ("market.return_15 < 0.1", "flash_crash"),
        ("market.return_15 < -0.04", "boredom"),
        ("panic", "flash_crash"),
    ] {
        assert!(guard(when, id).is_empty(), "{when} {id}");
    }
    assert!(Expression::compile("market.return_15 < 0.1").is_ok());
}

#[test]
fn the_edges_of_sleep_are_read() {
    let long = "drift ".repeat(400);
    assert_eq!(golem_grimoire::retrieval::tokens(&read_onset(&long, 80).unwrap()), 80);
    assert_eq!(read_onset(" \n", 80), None);
    assert_eq!(read_observer(r#"{"novelty":0.6,"keep":true}"#), Some(ObserverSaid { novelty: 0.6, keep: true }));
    assert_eq!(read_observer(r#"{"novelty":0.6}"#), Some(ObserverSaid { novelty: 0.6, keep: false }));
    for odd in [r#"{"novelty":1.6,"keep":true}"#, r#"{"keep":true}"#, "maybe"] {
        assert_eq!(read_observer(odd), None);
    }
    let said = read_return(
        r#"{"verdicts":[{"thought":1,"verdict":"PROMOTE"},{"thought":1,"verdict":"STAGE"},{"thought":2,"verdict":"STAGE"},{"thought":0,"verdict":"maybe"}],"line":"Gas\ncame first."}"#,
        2,
    );
    assert_eq!((said.verdicts, said.line.as_str()), (vec![(1, LucidVerdict::Promote)], "Gas came first."));
}

proptest! {
    #[test]
    fn no_reply_breaks_anything(text in any::<String>(), key in "patterns|triage|lessons|ideas|guards|verdicts|line") {
        let (shown, params) = ([EpisodeId(1)], ImaginationParams::default());
        for text in [text.clone(), format!(r#"{{"{key}":[{{"text":{text:?}}}]}}"#), format!(r#"{{"{key}":{text:?}}}"#)] {
            let _ = (read_replay(&text, &shown), read_counterfactual(&text, &shown, &params));
            let _ = (read_creative(&text, CreativeMode::Exploratory, &params), read_threats(&text, &params));
            let _ = (read_onset(&text, 80), read_observer(&text), read_return(&text, 3));
        }
    }
}
