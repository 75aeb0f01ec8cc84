//! The telling: chapters in order, the reckoning, the one rule, and the page that people read.

use super::{Instead, Learnt, Reckoning, Story, StoryChapter, calendar, capital, why};
use crate::money;
use crate::trade::Trade;
use crate::wrap::fold;
use golem_core::{Timestamp, Usdc};
use golem_life::{LifePoint, LifeStanding, Status};
use serde::Serialize;

/// Hard times that are told one by one.
const MOST_HARD: usize = 3;
/// Stretches of phases that are told one by one.
const MOST_PHASES: usize = 2;
/// What others did to it, told one by one.
const MOST_OTHERS: usize = 4;

/// How a life stands, or stood: what the story needs beside the facts.
#[derive(Debug, Clone)]
pub struct Ending<'a> {
    /// The last status.
    pub status: &'a Status,
    /// The series of its life.
    pub series: &'a [LifePoint],
    /// When it was born.
    pub born_at: Timestamp,
    /// How it trades and where, in words: `buys at even intervals (eth-dca, on paper)`.
    pub way: &'a str,
    /// The first thing that it learnt.
    pub first_lesson: Option<Learnt>,
    /// The best rule that it lived by or, without rules, the best of what it knew.
    pub best_rule: Option<Learnt>,
    /// Rules in its playbook.
    pub rules: usize,
    /// What could have been done with the money; none where prices are not known.
    pub instead: Option<Instead>,
}

/// A story, told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Told {
    /// Chapters, the oldest first.
    pub chapters: Vec<StoryChapter>,
    /// What became of the money.
    pub reckoning: Reckoning,
    /// What holding would have left.
    #[serde(rename = "holding_micro_usdc")]
    pub holding: Option<Usdc>,
    /// What doing nothing would have left.
    #[serde(rename = "nothing_micro_usdc")]
    pub nothing: Usdc,
    /// The one rule, with its evidence.
    pub rule: Option<Learnt>,
    /// Rules in its playbook.
    pub rules: usize,
    /// Guesses that came true often enough to become knowledge.
    pub guesses_kept: u64,
    /// Guesses that did not.
    pub guesses_dropped: u64,
    #[serde(skip)]
    capital: Usdc,
}

impl Story {
    /// Tell it, as of how the life stands.
    #[must_use]
    pub fn tell(&self, ending: &Ending<'_>) -> Told {
        let reckoning = Reckoning::of(self, ending.status);
        let mut chapters = vec![born(ending, self.born.map_or(ending.status.funded, |(_, funded)| funded))];
        chapters.extend(self.first_trade_chapter());
        chapters.extend(ending.first_lesson.as_ref().map(|first| first.chapter("first lesson")));
        chapters.extend(self.best_and_worst());
        chapters.extend(self.phases.chapters(MOST_PHASES));
        let (mut hard, all) = self.hard.chapters(MOST_HARD);
        if let Some(last) = hard.last_mut() {
            last.text.push_str(&match all.saturating_sub(MOST_HARD) {
                0 => String::new(),
                1 => " There was one smaller alarm in its life.".to_owned(),
                n => format!(" There were {n} smaller alarms in its life."),
            });
        }
        chapters.extend(hard);
        chapters.extend(self.others.iter().take(MOST_OTHERS).cloned());
        chapters.extend(self.last_day(ending));
        chapters.sort_by_key(|chapter| chapter.at);
        chapters.extend(self.death.clone());
        Told {
            chapters,
            reckoning,
            holding: ending.instead.as_ref().map(|instead| reckoning.holding(instead)),
            nothing: reckoning.nothing(),
            rule: ending.best_rule.clone(),
            rules: ending.rules,
            guesses_kept: self.learnt,
            guesses_dropped: self.refuted,
            capital: ending.instead.map_or(Usdc::ZERO, |instead| instead.capital),
        }
    }

    /// The trades that brought and cost most.
    fn best_and_worst(&self) -> Vec<StoryChapter> {
        let closed = || self.trades.all().iter().filter(|t| t.is_done()).filter_map(|t| Some((t, t.profit?.0)));
        let chapter = |title: &str, trade: &Trade| {
            StoryChapter::new(title, trade.at, format!("{} after gas.{}", capital(&trade.sentence()), why(trade)))
        };
        let best = closed().max_by_key(|(_, profit)| *profit).filter(|(_, profit)| *profit > 0);
        let worst = closed().min_by_key(|(_, profit)| *profit).filter(|(_, profit)| *profit < 0);
        let mut told: Vec<StoryChapter> = best.map(|(t, _)| chapter("best trade", t)).into_iter().collect();
        told.extend(worst.map(|(t, _)| chapter("worst trade", t)));
        told
    }

    /// The last day of a life, or the latest.
    fn last_day(&self, ending: &Ending<'_>) -> Option<StoryChapter> {
        let status = ending.status;
        let last = ending.series.last()?;
        let end = status.death.as_ref().map_or(last.age_days, |death| death.age.age().as_days());
        let dawn = ending.series.iter().rev().find(|p| p.age_days <= end - 1.0).or(ending.series.first())?;
        let from = Timestamp(ending.born_at.0.saturating_add((dawn.age_days * 86_400.0) as i64));
        let market = match (dawn.price, status.price) {
            (Some(then), Some(now)) if then > 0.0 => {
                let moved = money::change(now / then - 1.0);
                format!("ETH went from {} to {} ({moved})", money::price(then), money::price(now))
            }
            _ => "The price is not known".to_owned(),
        };
        let acts = self.trades.all().iter().filter(|t| t.at >= from && t.is_done()).count();
        let did = match acts {
            0 => "it did not trade".to_owned(),
            1 => "it traded once".to_owned(),
            n => format!("it traded {n} times"),
        };
        let (then, now) = (money::usdc(dawn.balance), money::usdc(status.worth()));
        let v = status.death.as_ref().map_or(status.vitality.composite, |death| death.final_vitality.composite);
        let phase = status.death.as_ref().map_or(status.phase, |death| death.final_vitality.phase);
        let text = format!(
            "{market}; {did}. Its worth went from {then} to {now} USDC. It was {phase}, at a vitality of {v:.2} and a \
             skill of {:.2}.",
            status.vitality.epistemic
        );
        let title = if status.standing == LifeStanding::Dead { "last day" } else { "latest day" };
        Some(StoryChapter::new(title, from, text))
    }
}

fn born(ending: &Ending<'_>, funded: Usdc) -> StoryChapter {
    let split = ending.instead.map_or(String::new(), |instead| {
        let living = funded.minus(instead.capital);
        let price = money::price(instead.price_then);
        format!(
            ": {} to put to work, {} to live on. ETH stood at {price}",
            money::usdc(instead.capital),
            money::usdc(living)
        )
    });
    let text = format!("Given {} USDC{split}. It {}.", money::usdc(funded), ending.way);
    StoryChapter::new("born", ending.born_at, text)
}

impl Told {
    /// For people, within so many columns.
    #[must_use]
    pub fn page(&self, width: usize) -> Vec<String> {
        let mut lines = self.chapter_lines(width);
        lines.push(String::new());
        lines.extend(self.rule_lines(width));
        lines.push(String::new());
        lines.extend(self.money_lines(width));
        lines
    }

    fn chapter_lines(&self, width: usize) -> Vec<String> {
        self.chapters.iter().flat_map(|chapter| chapter.lines(width)).collect()
    }

    fn rule_lines(&self, width: usize) -> Vec<String> {
        let (kept, dropped) = (self.guesses_kept, self.guesses_dropped);
        let guesses = if kept + dropped == 0 {
            String::new()
        } else {
            format!(" Of {} guesses that it tested, {kept} came true.", kept + dropped)
        };
        let Some(rule) = &self.rule else {
            return fold("  it learnt  ", &format!("nothing that held.{guesses}"), width);
        };
        let others = match (rule.is_rule, self.rules) {
            (true, 2) => " One more rule stood in its playbook.".to_owned(),
            (true, 3..) => format!(" {} more rules stood in its playbook.", self.rules - 1),
            _ => String::new(),
        };
        let said = super::learnt::plain(&rule.text);
        let kind = if rule.is_rule { "a rule since" } else { "known since" };
        let since = calendar::day(rule.at);
        let sure = money::percent(f64::from(rule.confidence_bp) / 1e4);
        let text = format!("{said} It {}; {kind} {since}, {sure} sure in the end.{others}{guesses}", rule.evidence());
        fold("  it learnt  ", &text, width)
    }

    /// The sum of its money, and what else could have been.
    fn money_lines(&self, width: usize) -> Vec<String> {
        let mut lines = vec!["  its money, in USDC".to_owned()];
        for (what, amount, note) in self.reckoning.lines() {
            if what == "left" {
                lines.push(format!("    {:<14}{:>14}", "", "------------"));
            }
            let sign = if amount.0 > 0 && what != "given" && what != "left" { "+" } else { "" };
            let head = format!("    {what:<14}{:>14}  ", format!("{sign}{}", money::exact(amount)));
            lines.extend(fold(&head, &note, width).iter().map(|l| l.trim_end().to_owned()));
        }
        lines.push("  what else could have been left".to_owned());
        let left = self.reckoning.left;
        let beside = |name: &str, other: Usdc, note: String| {
            let gain = left.delta(other);
            let by = money::usdc(Usdc(gain.0.unsigned_abs()));
            let than = match gain.0 {
                0 => ", which is what it did".to_owned(),
                ..0 => format!("; it did worse by {by}"),
                _ => format!("; it did better by {by}"),
            };
            let head = format!("    {name:<14}{:>14}  ", money::usdc(other));
            fold(&head, &format!("{note}{than}"), width)
        };
        match self.holding {
            Some(held) => {
                let note = format!("{} into ETH at birth, sold now, same rent", money::usdc(self.capital));
                lines.extend(beside("holding", held, note));
            }
            None => lines.push("    holding       its first price is not known".to_owned()),
        }
        lines.extend(beside("doing nothing", self.nothing, "only the rent".to_owned()));
        lines
    }
}

impl StoryChapter {
    /// One chapter as lines: the day, what it is about, and what happened.
    #[must_use]
    pub fn lines(&self, width: usize) -> Vec<String> {
        fold(&format!("  {:<6}  {:<12}  ", calendar::short(self.at), self.title), &self.text, width)
    }
}
