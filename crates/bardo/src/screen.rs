//! What a person watching a life sees: events as lines, vitals as a bar, alerts in words.

use crate::out::Out;
use crate::show;
use golem_cage::CageFact;
use golem_core::fact::Envelope;
use golem_daimon::gate::GateFact;
use golem_daimon::suffering::SufferingFact;
use golem_life::fact::DaimonFact;
use golem_life::{Fact, LifeFact};
use golem_mortality::MortalityFact;
use golem_mortality::info::AlertChange;
use golem_runtime::Notice;
use indicatif::{ProgressBar, ProgressStyle};

/// Someone watching a screen.
pub trait Watch: Send {
    /// A fact, as it becomes durable.
    fn fact(&mut self, fact: &Envelope<Fact>);
    /// Talk of the loop.
    fn notice(&mut self, notice: &Notice);
}

/// Nobody.
pub struct Nobody;

impl Watch for Nobody {
    fn fact(&mut self, _: &Envelope<Fact>) {}
    fn notice(&mut self, _: &Notice) {}
}

/// The life as it passes: events as lines, vitals as a bar.
pub struct Screen {
    out: Out,
    bar: Option<ProgressBar>,
    seen: u64,
}

impl Screen {
    /// A screen; the bar only where someone can see it move. With a known number of turns it says when it will be done.
    pub fn new(out: Out, turns: Option<u64>) -> Self {
        let bar = out.live.then(|| {
            let (bar, template) = match turns {
                Some(n) => (ProgressBar::new(n), "{percent:>3}% {bar:20} {eta_precise} left {wide_msg}"),
                None => (ProgressBar::new_spinner(), "{spinner} {elapsed_precise} {wide_msg}"),
            };
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        Self { out, bar, seen: 0 }
    }

    fn line(&self, words: &str) {
        match &self.bar {
            Some(bar) => bar.println(words),
            None => self.out.say(words),
        }
    }
}

impl Watch for Screen {
    fn fact(&mut self, fact: &Envelope<Fact>) {
        let when = || format!("{} turn {:>7}", show::time(fact.at), fact.tick);
        match &fact.body {
            Fact::Mortality(MortalityFact::VitalityUpdate {
                composite,
                epistemic,
                economic,
                phase,
                stochastic,
                ..
            }) => {
                self.seen += 1;
                if self.seen.is_multiple_of(256)
                    && let Some(bar) = &self.bar
                {
                    bar.set_message(format!(
                        "{} {phase:<12} vitality {} {composite:.2}  fitness {epistemic:.3}  money {economic:.2}  survives the day {:.2}%",
                        when(),
                        crate::chart::bar(*composite),
                        stochastic * 100.0
                    ));
                    bar.set_position(self.seen);
                    bar.tick();
                }
            }
            body => {
                if let Some(words) = words(body) {
                    self.line(&format!("{}  {words}", when()));
                }
            }
        }
    }
    fn notice(&mut self, notice: &Notice) {
        if let Some(words) = notice_words(notice) {
            self.line(&words);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The facts that a person watching wants to read.
pub fn words(body: &Fact) -> Option<String> {
    Some(match body {
        Fact::Mortality(fact) => match fact {
            MortalityFact::PhaseTransition { from_phase, to_phase, composite, trigger_clock } => {
                let way = if to_phase < from_phase { "fell" } else { "recovered" };
                let way = format!("{} {way} most", trigger_clock.word());
                format!("{from_phase} -> {to_phase} (vitality {composite:.2}, {way})")
            }
            MortalityFact::EconomicCritical { remaining, projected_ticks, .. } => {
                let left = projected_ticks.map_or("for ever".to_owned(), |t| show::age(t as f64 / 2_160.0));
                format!("money is short: {remaining} USDC above the reserve, enough for {left}")
            }
            MortalityFact::Senescence { stage, fitness, failing_domains } => {
                format!("senescence {stage:?} at fitness {fitness:.3} ({})", failing_domains.join(", "))
            }
            MortalityFact::Vigil { open: true, turns } => {
                format!("the vigil begins: {turns} turns in which it can be fed")
            }
            MortalityFact::Vigil { open: false, .. } => "rescued".to_owned(),
            MortalityFact::DecouplingAlert { change: AlertChange::Raised, mi_bits, .. } => {
                format!("its actions say nothing about its market ({mi_bits:.2} bits)")
            }
            MortalityFact::OverfittingAlert { change: AlertChange::Raised, past_bits, recent_bits } => {
                let past = past_bits.unwrap_or_default();
                format!("it knew the past ({past:.2} bits) better than the present ({recent_bits:.2})")
            }
            MortalityFact::WouldHaveDied { cause } => format!("would have died: {}", show::cause(cause)),
            MortalityFact::Dying { cause, .. } => format!("dying. {}", show::cause(cause)),
            MortalityFact::DyingStage { stage, outcome } => format!("{}: {outcome}", stage.name()),
            MortalityFact::Dead { cause, .. } => format!("dead. {}", show::cause(cause)),
            _ => return None,
        },
        Fact::Life(LifeFact::Fed { amount }) => format!("fed {amount} USDC"),
        Fact::Life(LifeFact::Order { ask, .. }) => format!("order: {ask:?}"),
        Fact::Life(LifeFact::BooksDiffer { .. }) => {
            "its books and the chain's say different things: nothing is opened until they agree".to_owned()
        }
        Fact::Life(LifeFact::BooksAgree {}) => "its books and the chain's say the same again".to_owned(),
        Fact::Life(LifeFact::Gift { .. }) => "in its account stands what it never booked: it does not count".to_owned(),
        Fact::Life(LifeFact::Reorged { key, .. }) => format!("the chain took back what it had said about {key}"),
        Fact::Life(LifeFact::Deliberated { tier, reason, stance, wish, .. }) => {
            let came = match (stance, wish) {
                (Some(stance), _) => format!("{stance:?}").to_lowercase(),
                (None, Some((act, share))) => format!("wishes to {act:?} {:.0} %", share * 100.0).to_lowercase(),
                (None, None) => "nothing".to_owned(),
            };
            format!("thought about it ({tier:?}): {came}. {reason}")
        }
        Fact::Life(_) => return None,
        Fact::Daimon(fact) => return daimon_words(fact),
        Fact::Cage(fact) => return cage_words(fact),
    })
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
        Notice::PageNotWritten { tick, why } => format!("PLAYBOOK.md was not written after turn {tick}: {why}"),
        Notice::Panicked { tick, what } => format!("turn {tick} failed: {what}"),
        _ => return None,
    })
}

/// What it feels and suffers, as far as it changes something.
fn daimon_words(fact: &DaimonFact) -> Option<String> {
    Some(match fact {
        DaimonFact::Suffering(SufferingFact::Onset { stressor, evidence, .. }) => {
            format!("suffers: {stressor} ({evidence})")
        }
        DaimonFact::Suffering(SufferingFact::Band { from, to, load, .. }) => {
            format!("suffering {} -> {} (load {load:.2})", from.name(), to.name())
        }
        DaimonFact::Suffering(SufferingFact::Crisis { message, .. }) => format!("tells its fleet: {message}"),
        DaimonFact::Suffering(SufferingFact::Resolved(row)) => format!("eased: {} ({})", row.stressor, row.note),
        DaimonFact::Suffering(SufferingFact::Respite { before, after, .. }) => {
            format!("a respite: load {before:.2} -> {after:.2}")
        }
        DaimonFact::Gate(GateFact::Denied { what, denied }) => format!("not allowed: {what}. {denied}"),
        _ => return None,
    })
}

/// What the cage does that a person should know: every permit and denial is in the record, only turns of events are told.
fn cage_words(fact: &CageFact) -> Option<String> {
    Some(match fact {
        CageFact::Breaker { from, to, drawdown_bps, .. } => {
            format!("drawdown of {:.1} %: breaker {from:?} -> {to:?}", f64::from(*drawdown_bps) / 100.0)
        }
        CageFact::Bled { held: true, drawdown_bps, .. } => {
            format!("{:.1} % below its high-water mark: no new risk until resumed", f64::from(*drawdown_bps) / 100.0)
        }
        CageFact::Bled { held: false, .. } => "half of what was lost is regained: the hold is over".to_owned(),
        CageFact::Halted { reason, .. } => format!("halted: {reason}"),
        CageFact::Resumed { .. } => "the halt is lifted".to_owned(),
        _ => return None,
    })
}
