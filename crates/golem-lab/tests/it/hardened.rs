//! Dreams that ask models: which questions, when and of whom; what they cost; what becomes of what is said, and of nonsense.

use crate::life_kit::{Turn, Watched, Written};
use crate::puppet_kit::{COST, Puppet, Seen, calls, says, settings};
use golem_core::door::{EmbedReply, EmbedRequest, Embedding, Models};
use golem_core::model::{ModelAnswer, ModelFailure, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use golem_core::{GolemId, Hash, Usdc, VirtualTime};
use golem_dreams::journal::{DreamEnd, DreamJournalEntry};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_grimoire::change::NamedTable;
use golem_grimoire::staging::Proposed;
use golem_grimoire::standing::Support;
use golem_grimoire::{Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Provenance, Remembered, Standing};
use golem_life::{Ask, Being, Fact, LifeFact, Settings};
use golem_mortality::GolemMode;
use golem_mortality::economic::Purpose;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

const FOLLOW: &str = r#"{"stance":"follow","confidence":0.6,"reason":"as usual"}"#;
/// What a model could say about its dreams.
const IDEA: &str = r#"{"ideas":[{"text":"Dear gas comes before a fall.","when":"market.gas_ratio > 1.3","then":"market.return_90 < 0.0","after_ticks":60,"fails_when":"gas is dear all day"}]}"#;
const LESSON: &str = r#"{"lessons":[{"episode":1,"lesson":"It was not there."}]}"#;
const GUARD: &str =
    r#"{"guards":[{"threat":"flash_crash","when":"market.return_15 < -0.04","text":"Stand aside early."}]}"#;

fn sleeper() -> Settings {
    let mut settings = settings();
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings.dream.tier = DreamTier::Hardened;
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (20, 20, 20, 20);
    settings.thinking.daily_usdc = Usdc::whole(10);
    settings.thinking.daily_calls = 5_000;
    settings.thinking.daily_tokens = 50_000_000;
    settings
}

/// Says something sensible to whatever it is asked.
fn sensible(request: &ModelRequest) -> ModelAnswer {
    match request.prompt.split('@').next().unwrap_or_default() {
        "dream-replay" => says(r#"{"patterns":["Gas rises before the market turns."],"triage":[]}"#),
        "dream-counterfactual" => says(LESSON),
        "dream-creative" => says(IDEA),
        "dream-threats" => says(GUARD),
        "dream-onset" => says(&format!("a harbour of lanterns at {:.2} drifting over", request.temperature)),
        "dream-observer" => says(r#"{"novelty":0.9,"keep":true}"#),
        "dream-return" => says(r#"{"verdicts":[{"thought":0,"verdict":"STAGE"}],"line":"Lanterns over water."}"#),
        _ => says(FOLLOW),
    }
}

fn born(settings: &Settings, script: impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static) -> (Watched, Seen) {
    let seen = Seen::default();
    let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
    (Watched::born(3, 1_000, settings).with_models(puppet), seen)
}

fn told(turn: &Turn) -> impl Iterator<Item = &DreamFact> {
    turn.facts.iter().filter_map(|f| if let Fact::Dream(fact) = &f.body { Some(&**fact) } else { None })
}

/// Fall asleep after a while awake.
fn asleep(golem: &mut Watched, seen: &Seen) {
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    for _ in 0..2_000 {
        if golem.life.status().mode == GolemMode::Dreaming {
            seen.lock().unwrap().clear();
            return;
        }
        golem.turn();
    }
    panic!("it does not fall asleep");
}

/// Sleep until it wakes.
fn sleep(golem: &mut Watched) -> Vec<Turn> {
    let mut turns = Vec::new();
    while golem.life.status().mode == GolemMode::Dreaming {
        turns.push(golem.turn());
        assert!(turns.len() < 500, "it does not wake");
    }
    turns
}

fn journal(turns: &[Turn]) -> DreamJournalEntry {
    let (_, body) = turns.last().unwrap().rows(NamedTable::Dream).next().expect("a journal entry");
    serde_json::from_str(body).expect("it can be read")
}

fn paid(turns: &[Turn]) -> Usdc {
    let facts = turns.iter().flat_map(Turn::told);
    facts.fold(Usdc::ZERO, |sum, fact| match fact {
        LifeFact::Paid { purpose: Purpose::Inference, amount } => sum.plus(*amount),
        _ => sum,
    })
}

fn asked(turns: &[Turn]) -> Vec<(DreamPhase, String, Usdc, String)> {
    let facts = turns.iter().flat_map(told);
    let one = |fact: &DreamFact| match fact {
        DreamFact::Asked { phase, question, cost, came, .. } => Some((*phase, question.clone(), *cost, came.clone())),
        _ => None,
    };
    facts.filter_map(one).collect()
}

#[test]
fn a_cycle_asks_its_questions_in_order_each_as_its_row_says() {
    let (mut golem, seen) = born(&sleeper(), sensible);
    asleep(&mut golem, &seen);
    let turns = sleep(&mut golem);
    let requests = seen.lock().unwrap().clone();
    let names: Vec<&str> = requests.iter().map(|r| r.prompt.as_str()).collect();
    let mut order = names.clone();
    order.dedup();
    let edge = ["dream-onset@1", "dream-observer@1"].repeat(4);
    assert_eq!(names[..8], edge[..], "{names:?}");
    let rest = ["dream-replay@1", "dream-counterfactual@1", "dream-creative@1", "dream-threats@1", "dream-return@1"];
    assert_eq!(order[8..], rest, "{names:?}");
    let heats: Vec<f32> = requests.iter().filter(|r| r.prompt == "dream-onset@1").map(|r| r.temperature).collect();
    assert!(heats.windows(2).all(|w| w[0] < w[1]) && heats[0] >= 0.8 && heats[3] <= 1.5, "{heats:?}");
    for r in &requests {
        assert_eq!(r.purpose, ModelPurpose::Dream);
        let is_large = ["dream-creative@1", "dream-counterfactual@1"].contains(&r.prompt.as_str());
        let warm = match r.prompt.as_str() {
            "dream-onset@1" => r.temperature,
            "dream-observer@1" => 0.4,
            "dream-creative@1" => r.temperature.clamp(0.8, 1.0),
            _ => r.temperature.clamp(0.3, 0.5),
        };
        assert!((r.temperature - warm).abs() < 1e-6, "{} {}", r.prompt, r.temperature);
        assert!(is_large || r.tier == ModelTier::T1 || r.prompt == "dream-replay@1", "{} {:?}", r.prompt, r.tier);
        assert!(
            !r.web
                && r.tools
                    .iter()
                    .all(|t| ["query_grimoire", "query_state", "search_context"].contains(&t.name.as_str()))
        );
    }
    // What is asked fits what the stage says it may use, and no stage asks after its time.
    for (phase, question, _, _) in asked(&turns) {
        let home = match question.as_str() {
            "dream-onset@1" | "dream-observer@1" => DreamPhase::HypnagogicOnset,
            "dream-replay@1" => DreamPhase::Nrem,
            "dream-return@1" => DreamPhase::HypnopompicReturn,
            _ => DreamPhase::Rem,
        };
        assert_eq!(phase, home, "{question}");
    }
    let budgets: Vec<u64> = turns
        .iter()
        .flat_map(told)
        .filter_map(|f| match f {
            DreamFact::Phase { budget_tokens, .. } => Some(*budget_tokens),
            _ => None,
        })
        .collect();
    assert_eq!((budgets.len(), budgets[0], budgets[3], budgets[4]), (5, 4 * 140, 0, 300), "{budgets:?}");
    assert!(budgets[1] >= 1_400 && budgets[2] >= 1_400, "{budgets:?}");
}

#[test]
fn where_little_is_understood_imagination_has_the_large_model() {
    for (fitness_is_low, owner_has_large) in [(true, true), (true, false)] {
        let mut settings = sleeper();
        settings.thinking.t2 = owner_has_large;
        settings.mind.turn_round_at_tick = if fitness_is_low { 1 } else { 0 };
        let (mut golem, seen) = born(&settings, sensible);
        golem.turns(2_000);
        asleep(&mut golem, &seen);
        sleep(&mut golem);
        let fitness = golem.life.status().vitality.epistemic;
        let seen = seen.lock().unwrap();
        let tiers: Vec<(&str, ModelTier)> = seen.iter().map(|r| (r.prompt.as_str(), r.tier)).collect();
        let large = tiers.iter().filter(|(_, t)| *t == ModelTier::T2).map(|(name, _)| *name).collect::<Vec<_>>();
        let may = fitness < 0.5 && owner_has_large;
        assert_eq!(!large.is_empty(), may, "{fitness} {tiers:?}");
        assert!(large.iter().all(|n| !["dream-threats@1", "dream-onset@1", "dream-return@1"].contains(n)));
    }
}

#[test]
fn dreams_cost_what_the_ledger_says_to_the_last_micro() {
    let (mut golem, seen) = born(&sleeper(), sensible);
    let (mut slept, mut nights) = (Vec::new(), 0);
    for n in 0..3_000 {
        if n % 500 == 400 {
            golem.asked(vec![Ask::Dream]);
        }
        if golem.life.status().mode == GolemMode::Dreaming {
            let turns = sleep(&mut golem);
            let facts = asked(&turns);
            let told_cost = facts.iter().fold(Usdc::ZERO, |sum, (_, _, cost, _)| sum.plus(*cost));
            // One cycle follows another in a window.
            let rows = turns.iter().flat_map(|t| t.rows(NamedTable::Dream)).filter(|(key, _)| !key.ends_with("/later"));
            let entries: Vec<DreamJournalEntry> = rows.map(|(_, body)| serde_json::from_str(body).unwrap()).collect();
            let journals = entries.iter().fold(Usdc::ZERO, |sum, entry| sum.plus(entry.total_cost_usdc));
            let complete = turns.iter().flat_map(told).fold(Usdc::ZERO, |sum, f| match f {
                DreamFact::Complete { cost, .. } => sum.plus(*cost),
                _ => sum,
            });
            assert_eq!(told_cost, Usdc(COST.0 * facts.len() as u64));
            assert_eq!((paid(&turns), journals, complete), (told_cost, told_cost, told_cost));
            assert!(entries.iter().all(|entry| entry.total_cost_usdc <= Usdc(500_000)));
            slept.extend(facts);
            nights += 1;
        } else {
            golem.turn();
        }
    }
    assert!(nights >= 3, "{nights}");
    let dreamt = seen.lock().unwrap().iter().filter(|r| r.purpose == ModelPurpose::Dream).count();
    assert_eq!(slept.len(), dreamt, "a fact for each question");
    let stats = golem.life.status().dreams.expect("it dreams");
    assert_eq!(stats.cost, Usdc(COST.0 * dreamt as u64), "since birth");
    let confirmed = stats.promoted - stats.fallen;
    assert_eq!(stats.cost_per_confirmed, (confirmed > 0).then(|| Usdc(stats.cost.0 / u64::from(confirmed))));
}

#[test]
fn what_is_said_becomes_findings_that_reality_can_check() {
    let (mut golem, seen) = born(&sleeper(), sensible);
    asleep(&mut golem, &seen);
    let turns = sleep(&mut golem);
    let entry = journal(&turns);
    let idea = entry.phase2_summary.creative_hypotheses.iter().find(|h| h.text == "Dear gas comes before a fall.");
    assert_eq!(idea.expect("the idea").asked.as_deref(), Some("dream-creative@1"));
    let ideas = entry.phase2_summary.creative_hypotheses.iter().filter(|h| h.text == "Dear gas comes before a fall.");
    assert_eq!(ideas.count(), 1, "said twice, it is one");
    let staged =
        |text: &str| entry.phase3_summary.grimoire_updates.iter().any(|u| u.text == text && u.proposal.is_some());
    assert!(staged("Dear gas comes before a fall."), "{:?}", entry.phase3_summary);
    let guard = entry.phase2_summary.creative_hypotheses.iter().any(|h| h.text == "Stand aside early.");
    let rehearsed = !entry.phase2_summary.threats_simulated.is_empty();
    assert_eq!(guard, rehearsed);
    let thoughts = &entry.thoughts;
    assert_eq!(thoughts.patterns, ["Gas rises before the market turns."]);
    assert_eq!(thoughts.line.as_deref(), Some("Lanterns over water."));
    assert!(thoughts.lessons.iter().any(|l| l.ends_with("Fails: gas is dear all day")), "{thoughts:?}");
    // The lesson is about an episode that nobody showed it.
    assert!(thoughts.remarks.iter().any(|r| r.contains("dream-counterfactual@1 brought nothing")), "{thoughts:?}");
    assert_eq!(thoughts.asked, thoughts.answered + 1);
    assert_eq!((entry.onset.kept, entry.onset.fragments), (4, 4), "four thoughts are in the pool");
}

#[test]
fn nonsense_and_failures_leave_what_the_rules_alone_make() {
    let mut alone = sleeper();
    alone.thinking.dreams = Some([false, false]);
    let (mut golem, seen) = born(&alone, sensible);
    asleep(&mut golem, &seen);
    let by_rules = sleep(&mut golem);
    assert!(seen.lock().unwrap().iter().all(|r| r.purpose == ModelPurpose::Waking) && paid(&by_rules) == Usdc::ZERO);
    let expected = journal(&by_rules);
    assert!(expected.thoughts.is_empty());
    let nonsense = [
        says("blah { blah"),
        says(""),
        says(
            r#"{"ideas":[{"text":"t","when":"wisdom > 1","then":"true","after_ticks":9}],"guards":[{"threat":"boredom"}],"lessons":7,"novelty":7}"#,
        ),
        ModelAnswer::Nothing { why: ModelFailure::Refused },
        ModelAnswer::Nothing { why: ModelFailure::CutShort },
        ModelAnswer::Nothing { why: ModelFailure::NoProvider },
        calls(&[("commit_action", r#"{"action":"buy","percent":100,"confidence":1,"reason":"now"}"#)]),
    ];
    for answer in nonsense {
        let said = answer.clone();
        let script = move |r: &ModelRequest| if r.purpose == ModelPurpose::Dream { said.clone() } else { sensible(r) };
        let (mut golem, seen) = born(&sleeper(), script);
        asleep(&mut golem, &seen);
        let turns = sleep(&mut golem);
        let mut entry = journal(&turns);
        assert!(entry.thoughts.asked > 0 && !entry.thoughts.remarks.is_empty(), "{answer:?}");
        assert_eq!(entry.total_cost_usdc, paid(&turns));
        (entry.thoughts, entry.total_cost_usdc) = (Default::default(), Usdc::ZERO);
        assert_eq!(entry, expected, "{answer:?}");
        assert!(!turns.iter().flat_map(Turn::told).any(|f| matches!(f, LifeFact::Decided { .. })));
    }
}

#[test]
fn a_sleeper_has_no_tool_that_acts() {
    let script = |r: &ModelRequest| match r.messages.len() {
        _ if r.purpose != ModelPurpose::Dream => says(FOLLOW),
        1 if !r.tools.is_empty() => calls(&[
            ("commit_action", r#"{"action":"buy","percent":50,"confidence":1,"reason":"now"}"#),
            ("preview_action", r#"{"action":"buy","percent":50}"#),
            ("emergency_halt", r#"{"reason":"smoke"}"#),
            ("query_state", r#"{"fields":["market.price"]}"#),
            ("query_grimoire", r#"{"text":"gas"}"#),
            ("search_context", r#"{"text":"weather turned"}"#),
        ]),
        _ => sensible(r),
    };
    let (mut golem, seen) = born(&sleeper(), script);
    asleep(&mut golem, &seen);
    let trades = golem.life.trades();
    let turns = sleep(&mut golem);
    let (mut done, mut denied) = (Vec::new(), Vec::new());
    for fact in turns.iter().flat_map(Turn::told) {
        if let LifeFact::ToolCalled { tool, ok } = fact {
            if *ok { done.push(tool.as_str()) } else { denied.push(tool.as_str()) }
        }
    }
    assert!(
        denied.iter().all(|t| ["commit_action", "preview_action", "emergency_halt"].contains(t)) && !denied.is_empty()
    );
    assert!(done.iter().all(|t| ["query_state", "query_grimoire", "search_context"].contains(t)) && !done.is_empty());
    assert_eq!((golem.life.trades(), golem.life.status().cage.halted), (trades, None));
    let seen = seen.lock().unwrap();
    let second =
        seen.iter().find(|r| r.messages.len() == 8).expect("a question, six calls in one message, six answers");
    let answers: Vec<&str> = second.messages[2..]
        .iter()
        .filter_map(|m| match m {
            golem_core::model::ModelMessage::Tool { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(answers[..3].iter().all(|a| a.contains("a sleeper has no such tool")), "{answers:?}");
    assert!(answers[3].starts_with(r#"{"market.price":"#), "{answers:?}");
    assert!(journal(&turns).thoughts.answered > 8, "it answers in the end");
}

#[test]
fn when_the_money_is_used_up_rules_go_on_alone_and_the_journal_says_so() {
    let mut settings = sleeper();
    // Ten questions; onset may have one of them, and half a cent is left over for nobody.
    settings.dream.budget.per_cycle_max = golem_dreams::config::DreamMoney::Known(Usdc(10 * COST.0));
    let (mut golem, seen) = born(&settings, sensible);
    asleep(&mut golem, &seen);
    let turns = sleep(&mut golem);
    let (entry, facts) = (journal(&turns), asked(&turns));
    let of =
        |phase| facts.iter().filter(|(at, ..)| *at == phase).fold(Usdc::ZERO, |sum, (_, _, cost, _)| sum.plus(*cost));
    assert!(of(DreamPhase::HypnagogicOnset) <= Usdc(COST.0), "a tenth is for onset: {facts:?}");
    assert!(entry.total_cost_usdc <= Usdc(10 * COST.0) && entry.total_cost_usdc > Usdc::ZERO);
    assert!(entry.thoughts.remarks.iter().any(|r| r.starts_with("onset: by rules alone, since what it may cost")));
    assert_eq!((entry.end, paid(&turns)), (DreamEnd::Complete, entry.total_cost_usdc));
    assert!(entry.phase1_summary.episodes_replayed > 0);
}

#[test]
fn a_dream_takes_no_more_turns_than_it_has_time_for() {
    let mut settings = sleeper();
    settings.dream.max_duration = golem_dreams::config::DreamSpan::secs(200);
    let (mut golem, seen) = born(&settings, sensible);
    asleep(&mut golem, &seen);
    let turns = sleep(&mut golem);
    assert!((5..=10).contains(&turns.len()), "{}", turns.len());
    let entry = journal(&turns);
    assert_eq!(entry.end, DreamEnd::Complete);
    assert!(entry.phase1_summary.episodes_replayed > 0, "every stage has its turn");
}

/// Plays back what was said, and nothing else.
struct Playback(VecDeque<ModelReply>);

impl Models for Playback {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let reply = self.0.pop_front().expect("as many questions as then");
        assert_eq!(reply.request, request.hash(), "another question than then: {}", request.prompt);
        reply
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        request.unanswered()
    }
}

/// Writes down what another says.
struct Tape<M>(M, Arc<Mutex<Vec<ModelReply>>>);

impl<M: Models> Models for Tape<M> {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let reply = self.0.ask(request);
        self.1.lock().unwrap().push(reply.clone());
        reply
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        self.0.embed(request)
    }
}

#[test]
fn a_dream_is_dreamt_again_from_what_was_answered() {
    let (settings, tape) = (sleeper(), Arc::new(Mutex::new(Vec::new())));
    let puppet = Puppet { script: Box::new(sensible), seen: Seen::default() };
    let mut golem = Watched::born(3, 1_000, &settings).with_models(Tape(puppet, tape.clone()));
    asleep(&mut golem, &Seen::default());
    let first = sleep(&mut golem);
    let answers = VecDeque::from(tape.lock().unwrap().clone());
    let mut again = Watched::born(3, 1_000, &settings).with_models(Playback(answers));
    asleep(&mut again, &Seen::default());
    let second = sleep(&mut again);
    assert_eq!(first.len(), second.len());
    for (a, b) in first.iter().zip(&second) {
        assert_eq!(a.facts, b.facts);
        assert_eq!(a.changes, b.changes);
    }
    assert_eq!(golem.life.save(), again.life.save());
}

#[test]
fn a_dream_can_be_saved_between_its_questions_which_are_spread_over_its_turns() {
    let settings = sleeper();
    let ((mut golem, seen), (mut twin, _)) = (born(&settings, sensible), born(&settings, sensible));
    let mut file = Written::default();
    let live = |golem: &mut Watched, twin: &mut Watched, file: &mut Written, asks: Vec<Ask>| {
        let (one, other) = (golem.asked(asks.clone()), twin.asked(asks));
        file.write(&one.changes);
        assert_eq!(one.facts, other.facts, "{}", golem.life.tick());
        assert_eq!(one.changes, other.changes, "{}", golem.life.tick());
        assert_eq!(golem.life.digest(), twin.life.digest(), "{}", golem.life.tick());
    };
    for n in 0..2_500 {
        if golem.life.status().mode == GolemMode::Dreaming {
            break;
        }
        live(&mut golem, &mut twin, &mut file, if n == 400 { vec![Ask::Dream] } else { Vec::new() });
    }
    let (mut slept, mut asked_in) = (0, 0);
    while golem.life.status().mode == GolemMode::Dreaming {
        // The one lives on as it is, the other from what was saved.
        twin = twin.remembering(file.remembered());
        let before = seen.lock().unwrap().len();
        live(&mut golem, &mut twin, &mut file, Vec::new());
        slept += 1;
        asked_in += usize::from(seen.lock().unwrap().len() > before);
    }
    assert!(slept >= 20 && asked_in > 5, "questions are spread over {asked_in} of {slept} turns");
    (0..60).for_each(|_| live(&mut golem, &mut twin, &mut file, Vec::new()));
}

#[test]
fn who_is_woken_between_two_questions_has_paid_for_what_was_asked() {
    for phase in DreamPhase::ALL {
        let (mut golem, seen) = born(&sleeper(), sensible);
        asleep(&mut golem, &seen);
        let mut turns = Vec::new();
        loop {
            turns.push(golem.turn());
            let begun = |f: &DreamFact| matches!(f, DreamFact::Phase { phase: now, .. } if *now == phase);
            if turns.last().is_some_and(|t| told(t).any(begun)) {
                break;
            }
        }
        turns.push(golem.asked(vec![Ask::Wake { reason: "now".into() }]));
        assert_eq!(golem.life.status().mode, GolemMode::Waking, "{phase}");
        let entry = journal(&turns);
        assert!(matches!(entry.end, DreamEnd::Woken { .. }), "{phase}");
        let facts = asked(&turns).iter().fold(Usdc::ZERO, |sum, (_, _, cost, _)| sum.plus(*cost));
        assert_eq!((entry.total_cost_usdc, facts), (paid(&turns), paid(&turns)), "{phase}");
        assert_eq!(golem.life.status().dreams.expect("it dreams").cost, entry.total_cost_usdc);
        golem.turns(60);
    }
}

/// A provider that signs what it says.
struct Signs(Puppet);

impl Models for Signs {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let mut reply = self.0.ask(request);
        reply.attempts.iter_mut().for_each(|attempt| attempt.receipt = format!("signed {}", request.prompt));
        reply
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        self.0.embed(request)
    }
}

#[test]
fn what_a_provider_attests_stands_in_the_journal_and_beside_what_its_answer_led_to() {
    for wanted in [true, false] {
        let mut settings = sleeper();
        settings.dream.provider.attestation = wanted;
        let puppet = Puppet { script: Box::new(sensible), seen: Seen::default() };
        let mut golem = Watched::born(3, 1_000, &settings).with_models(Signs(puppet));
        asleep(&mut golem, &Seen::default());
        let entry = journal(&sleep(&mut golem));
        let receipts = &entry.thoughts.receipts;
        assert!(receipts.iter().all(|r| r.receipt == format!("signed {}", r.question)), "{receipts:?}");
        assert_eq!(!receipts.is_empty(), wanted, "{receipts:?}");
        let staging = golem.life.grimoire().unwrap().staging();
        let mut bodies = staging.proposals().filter_map(|p| p.change.body());
        let idea = bodies.find(|body| body.text == "Dear gas comes before a fall.").expect("it is staged");
        let tag = format!("receipt/{}", &Hash::of(b"signed dream-creative@1").to_string()[..16]);
        assert_eq!(idea.tags.contains(&tag), wanted, "{:?}", idea.tags);
    }
}

/// Something that it has lived, with what that claims.
fn lived(n: u32) -> (Entry, Option<Embedding>) {
    let claim = Claim {
        when: format!("market.gas_ratio > 0.{n}"),
        then: "market.return_90 < 0.0".to_owned(),
        unless: None,
        after_ticks: 90,
    };
    let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
    let text = format!("After a gas ratio above 0.{n} the market falls.");
    let body = EntryBody { claim: Some(claim), ..EntryBody::own(EntryKind::Insight, text, origin, VirtualTime(0)) };
    (Entry::new(body, Standing::first(EntryStatus::Active, 8_000, Support::default(), VirtualTime(0))), None)
}

/// What a model was not shown asks for room in a dream, and has it once that is confirmed, here by its owner.
#[test]
fn what_there_was_no_room_for_gets_room_when_it_is_confirmed() {
    let mut settings = sleeper();
    // Four places, of which what it has lived may take one.
    settings.mind.context.depth = 4;
    settings.mind.context.source_caps_bps.insert(Provenance::SelfGenerated, 1_000);
    let known = Remembered { entries: (1..7).map(lived).collect(), ..Remembered::default() };
    let golem = born(&settings, sensible).0;
    let mut golem = golem.remembering(known);
    let staged = |golem: &Watched| {
        let mut open = golem.life.grimoire().unwrap().staging().proposals();
        open.find(|p| matches!(p.change, Proposed::Context(_))).cloned()
    };
    let proposal = (0..6_000).find_map(|n| {
        let ask = if n % 500 == 499 { vec![Ask::Dream] } else { Vec::new() };
        golem.asked(ask);
        staged(&golem)
    });
    let known = golem.life.grimoire().unwrap().shelf().in_use();
    let known = known.map(|e| (e.standing.retrievals, e.body.text.as_str())).collect::<Vec<_>>();
    let proposal = proposal.unwrap_or_else(|| panic!("nothing was left out again and again of {known:#?}"));
    assert!(proposal.claim.when.starts_with("market.gas_ratio"), "{:?}", proposal.claim);
    let turn = golem.asked(vec![Ask::Judge { proposal: proposal.number, approved: true }]);
    let said = told(&turn).any(|fact| matches!(fact, DreamFact::Context { revision: 2, .. }));
    assert!(said, "{:?}", turn.reply(1));
    assert_eq!(staged(&golem), None);
}
