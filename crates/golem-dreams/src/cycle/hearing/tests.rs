//! What models say, as findings: what a stage takes of it, and what it does not.

use super::*;
use crate::cycle::tests::{BOTH, dreaming};
use crate::cycle::{DreamMemory, DreamModels};
use crate::liminal::OnsetAlarm;
use crate::state::{DreamPhase, DreamTier};
use golem_core::door::ForkReply;
use golem_core::{Hash, Usdc};
use golem_grimoire::{EpisodeId, RuleAction};

/// As if this were asked in its stage.
fn asks(cycle: &mut DreamCycle, phase: DreamPhase, ask: PlannedAsk) {
    cycle.phase = phase;
    cycle.thinking.queue.push_back(ask);
}

fn creative() -> PlannedAsk {
    PlannedAsk { mode: Some(CreativeMode::Combinational), ..PlannedAsk::new(DreamQuestion::Creative, vec!["a".into()]) }
}

fn idea(text: &str, ticks: u32) -> String {
    format!(
        r#"{{"ideas":[{{"text":"{text}","when":"market.gas_ratio > 2.0","then":"market.return_90 < 0.0","after_ticks":{ticks}}}]}}"#
    )
}

/// The first stage has said what it wants, and there is no chain to try it on.
fn asked(cycle: &mut DreamCycle, room: &mut DreamRoom<'_, '_>) -> DreamMemory {
    let nothing = ForkReply { request: Hash::default(), runs: Vec::new() };
    let mut memory = DreamMemory::default();
    cycle.ask(&mut memory, room);
    cycle.take(&mut memory, room, &nothing);
    memory
}

/// Whoever is startled while it falls asleep drifts nowhere, and says so.
#[test]
fn an_alarm_while_it_falls_asleep_ends_the_onset() {
    for (alarm, drifts) in [(None, true), (Some(OnsetAlarm::Move), false)] {
        dreaming(
            |_| {},
            |cycle, room| {
                room.onset_alarm = alarm;
                asked(cycle, room);
                assert_eq!(cycle.findings.fragments.is_empty(), !drifts, "{alarm:?}");
                let why = cycle.findings.because.iter().any(|why| why.contains("while it fell asleep"));
                assert_eq!(why, !drifts);
            },
        );
    }
}

#[test]
fn ideas_become_hypotheses_once() {
    dreaming(
        |_| {},
        |cycle, room| {
            let said = idea("Dear gas comes before a fall.", 60);
            for text in [&said, &said, &idea("Dear gas comes before a fall!", 30)] {
                asks(cycle, DreamPhase::Rem, creative());
                cycle.heard(room, ModelTier::T2, Ok(text));
            }
            let [one] = &cycle.findings.hypotheses[..] else { panic!("{:?}", cycle.findings.hypotheses) };
            assert_eq!((one.said.asked.as_deref(), &one.action), (Some("dream-creative@1"), &None));
            assert_eq!(cycle.journal.phase2_summary.creative_hypotheses.len(), 1);
            assert_eq!((cycle.journal.thoughts.asked, cycle.journal.thoughts.answered), (3, 3));
            let told = room.told.iter().filter(|f| matches!(f, DreamFact::Hypothesis { asked: Some(_), .. })).count();
            assert_eq!(told, 1);
        },
    );
}

#[test]
fn a_guard_can_only_take_risk_away() {
    dreaming(
        |_| {},
        |cycle, room| {
            asks(cycle, DreamPhase::Rem, PlannedAsk::new(DreamQuestion::Threats, Vec::new()));
            let text =
                r#"{"guards":[{"threat":"flash_crash","when":"market.return_15 < -0.04","text":"Buy all of it."}]}"#;
            cycle.heard(room, ModelTier::T1, Ok(text));
            let actions: Vec<_> = cycle.findings.hypotheses.iter().map(|h| h.action.clone()).collect();
            assert_eq!(actions, [Some(RuleAction::StandAside)]);
        },
    );
}

#[test]
fn a_model_may_keep_what_the_rules_let_go_and_nothing_else() {
    dreaming(
        |_| {},
        |cycle, room| {
            let of = |n: u64| EpisodeId(n);
            (cycle.thinking.abstracted, cycle.thinking.forgotten) = (vec![of(1), of(2)], vec![of(3), of(4), of(5)]);
            let counted = &mut cycle.journal.phase1_summary.triage_decisions;
            (counted.preserve, counted.r#abstract, counted.forget) = (1, 2, 3);
            let episodes = (1..=8).map(EpisodeId).collect();
            asks(
                cycle,
                DreamPhase::Nrem,
                PlannedAsk { episodes, ..PlannedAsk::new(DreamQuestion::Replay, Vec::new()) },
            );
            let say = |n: u64, verdict: &str| format!(r#"{{"episode":{n},"verdict":"{verdict}"}}"#);
            let all = [say(1, "preserve"), say(2, "forget"), say(3, "abstract"), say(4, "preserve"), say(7, "forget")];
            let text = format!(r#"{{"patterns":["Gas rises first."],"triage":[{}]}}"#, all.join(","));
            cycle.heard(room, ModelTier::T1, Ok(&text));
            assert_eq!(
                (&cycle.thinking.abstracted[..], &cycle.thinking.forgotten[..]),
                (&[of(2), of(3)][..], &[of(5)][..])
            );
            let counted = cycle.journal.phase1_summary.triage_decisions;
            assert_eq!((counted.preserve, counted.r#abstract, counted.forget), (3, 2, 1));
            assert_eq!(cycle.journal.thoughts.patterns, ["Gas rises first."]);
            cycle.close_stage(&mut DreamMemory::default(), room);
            let gone: Vec<u64> = room.desk.shelf().episodes().filter(|(_, m)| m.let_go).map(|(e, _)| e.id.0).collect();
            assert_eq!((gone, &cycle.findings.forgotten[..]), (vec![2, 3, 5], &[of(5)][..]));
        },
    );
}

#[test]
fn a_thought_takes_the_place_of_what_the_rules_drew_only_if_somebody_finds_it_new() {
    for (watcher, kept) in [
        (r#"{"novelty":0.5,"keep":true}"#, true),
        (r#"{"novelty":0.5,"keep":false}"#, false),
        (r#"{"novelty":0.2,"keep":true}"#, false),
        ("no idea", false),
    ] {
        dreaming(
            |_| {},
            |cycle, room| {
                asked(cycle, room);
                let drawn = cycle.findings.fragments.clone();
                let many = cycle.thinking.queue.len();
                assert_eq!(cycle.thinking.queue.front().map(|a| a.question), Some(DreamQuestion::Onset));
                cycle.heard(room, ModelTier::T1, Ok("a harbour of lanterns"));
                assert_eq!(cycle.thinking.queue.len(), many, "somebody looks at it next");
                assert_eq!(cycle.thinking.queue.front().map(|a| a.question), Some(DreamQuestion::Observer));
                assert_eq!(cycle.findings.fragments, drawn, "nothing is kept before that");
                cycle.heard(room, ModelTier::T1, Ok(watcher));
                let ours = cycle.findings.fragments.iter().find(|f| f.content == "a harbour of lanterns");
                assert_eq!(ours.is_some(), kept, "{watcher}");
                if let Some(ours) = ours {
                    assert!((ours.novelty_score - 0.5).abs() < 1e-12 && ours.provenance == drawn_provenance());
                } else {
                    assert_eq!(cycle.findings.fragments, drawn, "{watcher}");
                }
            },
        );
    }
}

fn drawn_provenance() -> crate::journal::DreamProvenance {
    crate::journal::DreamProvenance::Hypnagogic
}

#[test]
fn on_waking_a_model_may_only_think_less_of_a_thought() {
    use LucidVerdict::{Discard, Promote, Stage};
    dreaming(
        |_| {},
        |cycle, _| {
            cycle.thinking.verdicts = vec![(0, Discard), (1, Promote), (3, Promote), (9, Discard)];
            let verdicts = cycle.with_what_was_said(vec![Promote, Stage, Stage, Discard]);
            assert_eq!(verdicts, [Discard, Stage, Stage, Discard]);
        },
    );
}

#[test]
fn nonsense_leaves_a_remark_and_nothing_else() {
    for question in DreamQuestion::ALL {
        for said in [Ok("{}"), Ok("blah"), Ok(""), Err("it refused")] {
            dreaming(
                |_| {},
                |cycle, room| {
                    asks(cycle, DreamPhase::Rem, PlannedAsk::new(question, Vec::new()));
                    let before = cycle.findings.clone();
                    cycle.booked(Usdc(7), 100, 10);
                    cycle.heard(room, ModelTier::T1, said);
                    assert_eq!((&cycle.findings, cycle.spent), (&before, Usdc(7)), "{question:?} {said:?}");
                    let thoughts = &cycle.journal.thoughts;
                    assert_eq!((thoughts.asked, thoughts.answered, thoughts.remarks.len()), (1, 0, 1), "{question:?}");
                    let fact = room.told.last().cloned();
                    assert!(matches!(fact, Some(DreamFact::Asked { tokens: 110, cost: Usdc(7), .. })), "{fact:?}");
                },
            );
        }
    }
}

#[test]
fn a_stage_spends_its_share_and_what_was_left_before_it() {
    dreaming(
        |_| {},
        |cycle, _| {
            // Stable: 10, 30, 30, 25 and 5 hundredths.
            let shares = [10_000, 40_000, 70_000, 95_000, 100_000];
            for (phase, till_now) in DreamPhase::ALL.into_iter().zip(shares) {
                cycle.phase = phase;
                assert_eq!(cycle.may_cost(), Usdc(till_now), "{phase}");
            }
            cycle.booked(Usdc(39_000), 1, 1);
            cycle.phase = DreamPhase::Nrem;
            assert_eq!((cycle.may_cost(), cycle.money()), (Usdc(1_000), (Usdc(39_000), Usdc(61_000))));
            cycle.phase = DreamPhase::HypnagogicOnset;
            assert_eq!(cycle.may_cost(), Usdc::ZERO);
        },
    );
}

#[test]
fn questions_are_shared_out_among_the_turns_of_a_stage() {
    dreaming(
        |_| {},
        |cycle, room| {
            cycle.phase = DreamPhase::Rem;
            cycle.turns[DreamPhase::Rem as usize] = 3;
            (0..5).for_each(|_| cycle.thinking.queue.push_back(creative()));
            let mut in_turn = Vec::new();
            for _ in 0..3 {
                cycle.share_out_questions();
                let mut n = 0;
                while cycle.has_question() {
                    cycle.heard(room, ModelTier::T1, Err("no"));
                    n += 1;
                }
                in_turn.push(n);
                cycle.turn += 1;
            }
            assert_eq!((in_turn, cycle.thinking.queue.len()), (vec![2, 2, 1], 0));
        },
    );
}

#[test]
fn tokens_and_questions_are_bounded() {
    dreaming(
        |config| config.max_turns_per_cycle = 2,
        |cycle, room| {
            cycle.phase = DreamPhase::Rem;
            let tokens = cycle.begin_to_think(room);
            assert!(tokens >= 2 * (700 + 900 + 600), "{tokens}");
            (0..4).for_each(|_| cycle.thinking.queue.push_back(creative()));
            let request = |cycle: &DreamCycle| cycle.request(room.config, BOTH, Usdc(9), 5);
            let asked = request(cycle).unwrap();
            assert_eq!((asked.tier, asked.max_output_tokens, asked.max_cost), (ModelTier::T2, 900, Usdc(9)));
            cycle.booked(Usdc::ZERO, 0, tokens - 40);
            assert_eq!(request(cycle).map(|r| r.max_output_tokens), Ok(40));
            cycle.booked(Usdc::ZERO, 0, 40);
            assert!(request(cycle).is_err_and(|why| why.contains("tokens")));
        },
    );
    dreaming(
        |config| config.max_turns_per_cycle = 2,
        |cycle, room| {
            cycle.phase = DreamPhase::Rem;
            cycle.begin_to_think(room);
            (0..4).for_each(|_| cycle.thinking.queue.push_back(creative()));
            for _ in 0..2 {
                assert!(cycle.request(room.config, BOTH, Usdc(9), 5).is_ok());
                cycle.heard(room, ModelTier::T2, Err("no"));
            }
            assert!(cycle.request(room.config, BOTH, Usdc(9), 5).is_err_and(|why| why.contains("as many questions")));
            cycle.ask_no_more("the purse is empty");
            assert!(!cycle.has_question() && cycle.journal.thoughts.remarks.last().unwrap().contains("by rules alone"));
        },
    );
}

#[test]
fn who_has_one_model_asks_that_one() {
    use ModelTier::{T1, T2};
    for (t1, t2, wanted, asked) in
        [(true, true, T2, T2), (true, false, T2, T1), (false, true, T1, T2), (true, true, T1, T1)]
    {
        assert_eq!(DreamModels { t1, t2 }.serving(wanted), asked, "{t1} {t2} {wanted:?}");
    }
    dreaming(
        |_| {},
        |cycle, room| {
            for (models, thinks) in [(BOTH, true), (DreamModels::default(), false)] {
                room.models = models;
                assert_eq!((cycle.thinks(room), cycle.begin_to_think(room) > 0), (thinks, thinks));
            }
            cycle.tier = DreamTier::Core;
            room.models = BOTH;
            assert!(!cycle.thinks(room));
        },
    );
}

#[test]
fn only_imagination_searches_the_web_and_what_comes_of_it_says_so() {
    dreaming(
        |config| config.provider.web_search = true,
        |cycle, room| {
            for phase in DreamPhase::ALL {
                cycle.phase = phase;
                cycle.thinking.queue.push_back(creative());
                cycle.thinking.tokens_left = 900;
                let asked = cycle.request(room.config, BOTH, Usdc(9), 5).unwrap();
                assert_eq!(
                    (asked.web, asked.system.contains("strangers' words")),
                    (phase == DreamPhase::Rem, asked.web)
                );
                cycle.thinking.queue.clear();
            }
            asks(cycle, DreamPhase::Rem, creative());
            cycle.heard(room, ModelTier::T2, Ok(&idea("Dear gas comes before a fall.", 60)));
            let said = cycle.findings.hypotheses[0].said.clone();
            assert_eq!(cycle.tags_of_answer(&said), ["web_search"]);
        },
    );
}

#[test]
fn a_receipt_stands_with_the_journal_and_beside_what_its_answer_led_to() {
    for wanted in [true, false] {
        dreaming(
            |config| config.provider.attestation = wanted,
            |cycle, room| {
                let attempt = ModelAttempt {
                receipt: "signed by an enclave".into(),
                ..serde_json::from_str(r#"{"provider":"private","model":"m","input_tokens":1,"output_tokens":1,"estimated":false,"cost":0,"failed":null}"#).unwrap()
            };
                asks(cycle, DreamPhase::Rem, creative());
                cycle.attested(room.config, &attempt);
                cycle.heard(room, ModelTier::T2, Ok(&idea("Dear gas comes before a fall.", 60)));
                let mut memory = DreamMemory::default();
                cycle.phase = DreamPhase::Integration;
                cycle.integrate(&mut memory, room);
                let body = room.desk.proposals().find_map(|p| p.change.body()).expect("it is staged").clone();
                let tag = format!("receipt/{}", &Hash::of(b"signed by an enclave").to_string()[..16]);
                assert_eq!(body.tags.contains(&tag), wanted, "{:?}", body.tags);
                assert_eq!(cycle.journal.thoughts.receipts.len(), usize::from(wanted));
                // What rules made has no receipt.
                let mut by_rules = cycle.findings.hypotheses[0].said.clone();
                by_rules.asked = None;
                assert!(cycle.tags_of_answer(&by_rules).is_empty());
            },
        );
    }
}

#[test]
fn each_answer_stands_beside_its_own_receipt() {
    dreaming(
        |config| config.provider.attestation = true,
        |cycle, room| {
            let texts = ["Dear gas comes before a fall.", "A calm night is followed by fees."];
            let attested = |receipt: &str| {
                ModelAttempt {
                receipt: receipt.into(),
                ..serde_json::from_str(r#"{"provider":"private","model":"m","input_tokens":1,"output_tokens":1,"estimated":false,"cost":0,"failed":null}"#).unwrap()
            }
            };
            for (text, receipt) in texts.iter().zip(["one", "two"]) {
                asks(cycle, DreamPhase::Rem, creative());
                cycle.attested(room.config, &attested(receipt));
                let said = idea(text, 60).replace("> 2.0", if receipt == "one" { "> 2.0" } else { "< 0.5" });
                cycle.heard(room, ModelTier::T2, Ok(&said));
            }
            // Nothing was attested of the third.
            asks(cycle, DreamPhase::Rem, creative());
            cycle.attested(room.config, &attested(""));
            let third = idea("Weekends are slow and cheap for everybody.", 60)
                .replace("gas_ratio > 2.0", "volatility_ratio > 3.0");
            cycle.heard(room, ModelTier::T2, Ok(&third));
            let tag = |of: &str| format!("receipt/{}", &Hash::of(of.as_bytes()).to_string()[..16]);
            let tags: Vec<Vec<String>> =
                cycle.findings.hypotheses.iter().map(|h| cycle.tags_of_answer(&h.said)).collect();
            assert_eq!(tags[..2], [vec![tag("one")], vec![tag("two")]]);
            assert!(tags[2..].iter().all(Vec::is_empty), "{tags:?}");
        },
    );
}

#[test]
fn who_has_slept_long_enough_asks_nothing_and_rests_no_more() {
    dreaming(
        |config| config.max_duration = crate::config::DreamSpan::secs(1),
        |cycle, room| {
            assert!(!cycle.is_late(room) && cycle.begin_to_think(room) > 0);
            cycle.thinking.since = Some(golem_core::VirtualTime(room.seen.now.0 - 1_000));
            assert!(cycle.is_late(room) && cycle.begin_to_think(room) == 0);
            cycle.turns = [5; 5];
            assert_eq!(cycle.phase, DreamPhase::HypnagogicOnset);
            cycle.turn_over(&mut DreamMemory::default(), room);
            assert_eq!((cycle.phase, cycle.turn), (DreamPhase::Nrem, 0), "a stage has no rest");
        },
    );
}

#[test]
fn a_cycle_with_questions_is_saved_with_them_and_one_without_says_nothing_of_them() {
    dreaming(
        |_| {},
        |cycle, room| {
            let mut memory = asked(cycle, room);
            cycle.heard(room, ModelTier::T1, Err("no"));
            cycle.turn_over(&mut memory, room);
            let text = serde_json::to_string(&cycle).unwrap();
            let mut again: DreamCycle = serde_json::from_str(&text).unwrap();
            assert_eq!((&again.thinking.queue, again.thinking.queue.is_empty()), (&cycle.thinking.queue, false));
            again.share_out_questions();
            cycle.share_out_questions();
            assert_eq!(&again, cycle);
            let mut core = again.clone();
            core.thinking = Default::default();
            assert!(!serde_json::to_string(&core).unwrap().contains("thinking"));
        },
    );
}
