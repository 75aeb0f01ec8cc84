//! What a person watching a life sees: events as lines, vitals in a line that is written over, alerts in words.

use crate::live_line::LiveLine;
use crate::out::Out;
use golem_core::fact::Envelope;
use golem_core::{Tick, Timestamp};
use golem_life::Fact;
use golem_mortality::MortalityFact;
use golem_runtime::Notice;
use golem_view::fact::{is_event, words};
use golem_view::flap::Flaps;
use golem_view::time;
use golem_view::trade::{Trade, Trades};
use golem_view::wrap::{WIDTH, fold};
use std::time::Instant;

/// Someone watching a screen.
pub trait Watcher: Send {
    /// A fact, as it becomes durable.
    fn fact(&mut self, fact: &Envelope<Fact>);
    /// Talk of the loop.
    fn notice(&mut self, notice: &Notice);
    /// A line of news about what is around it.
    fn news(&mut self, words: &str);
}

/// Nobody.
pub struct Nobody;

impl Watcher for Nobody {
    fn fact(&mut self, _: &Envelope<Fact>) {}
    fn notice(&mut self, _: &Notice) {}
    fn news(&mut self, _: &str) {}
}

/// The life as it passes: events as lines, vitals below them.
pub struct Screen {
    out: Out,
    live: Option<LiveLine>,
    /// How many turns there will be, where that is known.
    turns: Option<u64>,
    since: Instant,
    seen: u64,
    trades: Trades,
    flaps: Flaps,
}

impl Screen {
    /// A screen; the vitals only where someone can see them move. With a known number of turns it says when it will be done.
    /// `midway` is a life that goes on: what it holds was bought before anybody looked.
    pub fn new(out: Out, turns: Option<u64>, midway: bool) -> Self {
        let live = out.live.then(LiveLine::default);
        let trades = if midway { Trades::midway() } else { Trades::default() };
        Self { out, live, turns, since: Instant::now(), seen: 0, trades, flaps: Flaps::default() }
    }

    fn line(&self, words: &str) {
        match &self.live {
            Some(live) => live.above(|| self.out.say(words)),
            None => self.out.say(words),
        }
    }

    /// How far it is, and how long it takes yet.
    fn progress(&self) -> String {
        let Some(turns) = self.turns.filter(|n| *n > 0) else { return String::new() };
        let (seen, passed) = (self.seen.min(turns), self.since.elapsed().as_secs());
        let left = passed.saturating_mul(turns - seen) / seen.max(1);
        format!("{} %, {} left · ", 100 * seen / turns, time::span(left.max(1)))
    }

    /// What happened at a moment, folded to the width of a terminal.
    fn event(&self, at: Timestamp, words: &str) {
        for line in dated(at, words) {
            self.line(&line);
        }
    }

    fn vitals(&mut self, fact: &MortalityFact, at: Timestamp) {
        let MortalityFact::VitalityUpdate { composite, epistemic, economic, phase, stochastic, .. } = fact else {
            return;
        };
        self.seen += 1;
        let Some(live) = self.live.as_ref().filter(|_| self.seen.is_multiple_of(256)) else { return };
        live.show(&format!(
            "{}{} {phase} · vitality {composite:.2} · skill {epistemic:.2} · money {economic:.2} · survives the day {:.2} %",
            self.progress(),
            time::moment(at),
            stochastic * 100.0
        ));
    }
}

/// A moment and what happened, in lines that fit.
pub fn dated(at: Timestamp, words: &str) -> Vec<String> {
    fold(&format!("{}  ", time::moment(at)), words, WIDTH)
}

/// An act, and why.
fn told(trade: &Trade) -> String {
    if trade.why.is_empty() { trade.sentence() } else { format!("{} · {}", trade.sentence(), trade.why) }
}

impl Watcher for Screen {
    fn fact(&mut self, fact: &Envelope<Fact>) {
        if let Fact::Mortality(vitals @ MortalityFact::VitalityUpdate { .. }) = &fact.body {
            return self.vitals(vitals, fact.at);
        }
        if let Some(trade) = self.trades.see(fact) {
            let words = told(trade);
            return self.event(fact.at, &words);
        }
        if !is_event(&fact.body) {
            return;
        }
        let (Some(words), Some(held_back)) = (words(&fact.body), self.flaps.pass(&fact.body, fact.at)) else { return };
        match held_back {
            0 => self.event(fact.at, &words),
            n => self.event(fact.at, &format!("{words} (and {n} times more since this was last told)")),
        }
    }
    fn notice(&mut self, notice: &Notice) {
        if let Some(words) = notice_words(notice) {
            self.line(&words);
        }
    }
    fn news(&mut self, words: &str) {
        self.line(words);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let rest = self.flaps.rest();
        if !rest.is_empty() {
            let few: Vec<String> = rest.iter().take(4).map(|(what, n)| format!("{what} {n}x")).collect();
            let more = if rest.len() > 4 { ", and others" } else { "" };
            for line in fold("not told again: ", &format!("{}{more}", few.join(", ")), WIDTH) {
                self.line(&line);
            }
        }
    }
}

/// What the loop says that a person should know.
pub fn notice_words(notice: &Notice) -> Option<String> {
    Some(match notice {
        Notice::Resumed { tick, replayed, unfit } if tick.0 > 0 => {
            let why = unfit.as_ref().map_or(String::new(), |u| format!(" ({u})"));
            format!("goes on after turn {tick}; {replayed} turns relived from the journal{why}")
        }
        Notice::SafeMode { unclean, backoff_ms } => {
            let wait = backoff_ms / 1_000;
            format!("safe mode after {unclean} crashes: it only observes and reduces risk, and waits {wait} s first")
        }
        Notice::SafeModeOver { tick } => format!("safe mode is over after turn {tick}"),
        Notice::DeadlineMissed { tick, late_ms } => format!("turn {tick} was {late_ms} ms late"),
        Notice::DiskFull { tick } => {
            format!("the disk is full after turn {tick}: ballast released, no new risk is taken")
        }
        Notice::SnapshotSkipped { tick, why } => format!("no snapshot after turn {tick}: {why}"),
        Notice::MemoryMended { what, .. } => what.clone(),
        Notice::SnapshotsAside { tick, ticks } => {
            let which = ticks.iter().map(Tick::to_string).collect::<Vec<_>>().join(", ");
            format!("the snapshots of turns {which} are set aside: this life goes on after turn {tick}")
        }
        Notice::PageNotWritten { tick, why } => format!("PLAYBOOK.md was not written after turn {tick}: {why}"),
        Notice::Panicked { tick, what } => format!("turn {tick} failed: {what}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_view::wrap::columns;

    /// What is typed (Ctrl-C) is echoed behind the line: it must not push it over the edge of the terminal.
    #[test]
    fn the_line_below_leaves_room_for_an_echo_and_goes_away() {
        let out = Out { json: false, quiet: false, color: false, live: true };
        let mut screen = Screen::new(out, Some(1_000), false);
        let vitals = MortalityFact::VitalityUpdate {
            composite: 0.91,
            economic: 1.0,
            epistemic: 0.52,
            stochastic: 0.998,
            phase: golem_mortality::BehavioralPhase::Thriving,
            tick: Tick(1),
        };
        for _ in 0..256 {
            screen.vitals(&vitals, Timestamp(1_700_000_000));
        }
        let shown = screen.live.as_ref().unwrap().shown();
        assert!(shown.contains("25 %") && shown.contains("thriving") && columns(&shown) <= WIDTH - 6, "{shown}");
    }
}
