//! What a golem thought, learnt and set itself, in sentences.

use super::count;
use super::life::until;
use crate::money;
use crate::trade::stance_words;
use golem_core::model::ModelTier;
use golem_life::LifeFact;
use golem_mind::goals::{GoalEnd, GoalFact};
use golem_mind::policy::Act;
use golem_mind::tier::{Ceiling, Gating, Tier, TierReason};

pub(super) fn words(fact: &LifeFact) -> Option<String> {
    Some(match fact {
        LifeFact::TierSelected { gating } => gating_words(gating),
        LifeFact::CacheHit { pe } => format!("it has thought about this before and does the same (surprise {pe:.2})"),
        LifeFact::Inference { attempt, .. } => {
            let cost = money::usdc(attempt.cost);
            match attempt.failed {
                Some(why) => format!("asked {} in vain: {} ({cost} USDC)", attempt.provider, why.in_words()),
                None => format!(
                    "asked {} ({cost} USDC, {} tokens)",
                    attempt.provider,
                    attempt.input_tokens + attempt.output_tokens
                ),
            }
        }
        LifeFact::Embedded { texts, came, cost, failed, .. } => {
            let why = failed.map_or(String::new(), |w| format!("; {}", w.in_words()));
            format!(
                "{came} of {} came back as vectors ({} USDC{why})",
                count((*texts).into(), "text"),
                money::usdc(*cost)
            )
        }
        LifeFact::ToolCalled { tool, ok: true } => format!("a model looked something up with {tool}"),
        LifeFact::ToolCalled { tool, ok: false } => format!("a model called {tool}, which could not be read"),
        LifeFact::ThoughtFailed { tier, why } => {
            format!("nothing came of thinking ({}): {}; its rules decide", model(*tier), why.in_words())
        }
        LifeFact::Deliberated { tier, stance, wish, reason, .. } => {
            let came = match (stance, wish) {
                (Some(stance), _) => stance_words(*stance),
                (None, Some((act, share))) => format!("{} {:.0} %", act_words(*act), share * 100.0),
                (None, None) => "do nothing".to_owned(),
            };
            format!("a model ({}) says to {came}: {reason}", model(*tier))
        }
        LifeFact::Assessed { new, resolved, flaws } => format!(
            "a model named {} and called {} over{}",
            count(new.len() as u64, "worry").replace("worrys", "worries"),
            resolved.len(),
            if flaws.is_empty() { String::new() } else { format!("; {} could not be read", flaws.len()) }
        ),
        LifeFact::StagingSwept { promoted, refuted, expired } => {
            let ends = [(promoted, "became knowledge"), (refuted, "proved wrong"), (expired, "ran out of time")];
            let told: Vec<_> = ends.iter().filter(|(n, _)| **n > 0).map(|(n, how)| format!("{n} {how}")).collect();
            if told.is_empty() {
                "nothing that it was trying out came to an end".to_owned()
            } else {
                format!("of what it was trying out, {}", told.join(", "))
            }
        }
        LifeFact::Curated { report } => {
            let forgotten = report.archived + report.burnt;
            let done = [
                (report.distilled.insights, "learnt"),
                (report.promoted, "put to use"),
                (report.demoted, "put back on trial"),
                (forgotten, "forgotten"),
            ];
            let told: Vec<_> = done.iter().filter(|(n, _)| *n > 0).map(|(n, how)| format!("{n} {how}")).collect();
            let episodes = count(report.distilled.episodes.into(), "episode");
            match told.is_empty() {
                true => format!("looked back on {episodes}: nothing new"),
                false => format!("looked back on {episodes}: {}", told.join(", ")),
            }
        }
        LifeFact::PlaybookRevised { revision, dreamt } => {
            let found = if *dreamt { ", as it had dreamt" } else { "" };
            format!("wrote revision {revision} of its playbook{found}")
        }
        LifeFact::SettingProposed { rule } => {
            format!("proposes a setting in place of a rule that nearly always holds: {rule}")
        }
        LifeFact::PlaybookEdited { changes, problems } => {
            let bad =
                if problems.is_empty() { String::new() } else { format!(", {} could not be taken", problems.len()) };
            format!("the owner changed {} of its playbook{bad}", count((*changes).into(), "rule"))
        }
        LifeFact::Goal { goal } => goal_words(goal),
        _ => return None,
    })
}

fn goal_words(goal: &GoalFact) -> String {
    match goal {
        GoalFact::Set { name, success, deadline, .. } => {
            format!("set itself a goal: {name} ({success}) {}", until(*deadline))
        }
        GoalFact::Stalled { name, .. } => format!("makes no progress with its goal {name}"),
        GoalFact::Ended { name, end, .. } => {
            let how = match end {
                GoalEnd::Completed => "reached its goal",
                GoalEnd::Failed => "missed its goal",
                GoalEnd::Abandoned => "gave up its goal",
                GoalEnd::Lapsed => "can no longer pursue its goal",
            };
            format!("{how} {name}")
        }
    }
}

fn gating_words(gating: &Gating) -> String {
    let why = match gating.reason {
        TierReason::AllClear => "nothing surprised it",
        TierReason::Surprise => "something surprised it",
        TierReason::Shock => "something shocked it",
        TierReason::MissingBits => "it lacked information",
        TierReason::OwnerSteer => "its owner spoke",
        TierReason::PhaseTransition => "a phase of its life was about to change",
    };
    let kept = gating.ceiling.map_or("", |c| match c {
        Ceiling::NoModel => "; there was no model to ask",
        Ceiling::Phase => "; its phase allows no more thinking",
        Ceiling::DailyCap => "; the day's money for thinking was spent",
        Ceiling::Cached => "; it had decided this before",
        Ceiling::Mood => "; it had no strength for more",
    });
    let who = match gating.tier {
        Tier::T0 => "its rules decide",
        Tier::T1 => "a small model is asked",
        Tier::T2 => "a large model is asked",
    };
    format!("{why}: {who}{kept}")
}

fn model(tier: ModelTier) -> &'static str {
    match tier {
        ModelTier::T1 => "small",
        ModelTier::T2 => "large",
    }
}

fn act_words(act: Act) -> &'static str {
    match act {
        Act::Hold => "hold",
        Act::Buy => "buy for",
        Act::Sell => "sell",
        Act::Add => "put into the pool",
        Act::Remove => "take out of the pool",
        Act::Collect => "collect fees of",
        Act::Rebalance => "move the range of",
    }
}
