//! The end and the story that leads to it: what killed it, the life in some sentences, and the last words.

use crate::life::Life;
use golem_core::Tick;
use golem_core::words::one_line;
use golem_grimoire::testament::{
    ArcKind, HomeReport, NarrativeArc, SettlementReport, TestamentSentence, TestamentSource,
};
use golem_mortality::economic::Purpose;
use golem_mortality::{Death, DeathCause};

fn at(tick: Tick, text: String) -> TestamentSentence {
    TestamentSentence::of(TestamentSource::Turn(tick), &text)
}

impl Life {
    pub(super) fn what_killed_me(&self, death: &Death) -> Vec<TestamentSentence> {
        let tick = death.tick;
        let mut said = vec![self.cause_of(death)];
        let last = self.state.chronicle.phases.iter().rev().find(|(_, from, to)| to < from);
        if let Some((fell, from, to)) = last {
            said.push(
                at(*fell, format!("I had fallen from {from} to {to} at turn {fell}.")).and(TestamentSource::Turn(tick)),
            );
        }
        if matches!(death.cause, DeathCause::Economic { .. }) {
            said.push(self.where_money_went());
            let core = &self.state.core;
            if core.loss > core.profit {
                let text = format!("Trading lost {} USDC and won {}.", core.loss, core.profit);
                said.push(TestamentSentence::of(self.whole_life(), &text));
            }
        }
        said
    }

    fn cause_of(&self, death: &Death) -> TestamentSentence {
        let tick = death.tick;
        match &death.cause {
            DeathCause::Economic { balance, burn_rate, ticks_alive } => at(
                tick,
                format!(
                    "Poverty: at turn {tick}, after {ticks_alive} nominal ticks, I was worth {balance} USDC, and living cost \
                     {burn_rate:.1} micro-USDC a tick."
                ),
            ),
            DeathCause::EpistemicSenescence {
                final_fitness,
                fitness_at_peak,
                ticks_in_senescence,
                failing_domains,
                last_successful_prediction: last,
            } => {
                let failing =
                    if failing_domains.is_empty() { "none alone".to_owned() } else { failing_domains.join(", ") };
                let text = format!(
                    "Ignorance: a newborn knew better for {ticks_in_senescence} ticks; my fitness fell from \
                     {fitness_at_peak:.3} to {final_fitness:.3}, failing in: {failing}. My last right forecast was in turn {last}."
                );
                let said = at(tick, text);
                if *last > 0 { said.and(TestamentSource::Turn(Tick(*last))) } else { said }
            }
            DeathCause::Stochastic { death_roll, death_probability, epistemic_fitness, .. } => at(
                tick,
                format!(
                    "Chance: at turn {tick} I rolled {}, and anything below {} kills at my age and a fitness of \
                     {epistemic_fitness:.3}; nothing that I held or did in that turn could have changed the roll.",
                    small(*death_roll),
                    small(*death_probability)
                ),
            ),
            DeathCause::OwnerKill { reason } => {
                at(tick, format!("My owner ended my life at turn {tick}: \"{}\".", one_line(reason, 200)))
            }
            DeathCause::KillSwitch { trigger } => {
                at(tick, format!("The kill switch ended my life at turn {tick}: {}.", one_line(trigger, 200)))
            }
        }
    }

    /// Where the money went, by purpose.
    pub(super) fn where_money_went(&self) -> TestamentSentence {
        let ledger = &self.state.ledger;
        let paid = |purpose: Purpose| ledger.by_purpose[purpose.index()];
        let rent = paid(Purpose::Compute).plus(paid(Purpose::Data)).plus(paid(Purpose::Snapshot));
        let text = format!(
            "Of the {} USDC that I was given, rent took {rent}, gas {}, and models {}.",
            ledger.deposits(),
            paid(Purpose::Gas).plus(paid(Purpose::Settlement)),
            paid(Purpose::Inference).plus(paid(Purpose::Reflection)),
        );
        TestamentSentence::of(self.whole_life(), &text)
    }

    pub(super) fn narrative(
        &self,
        death: &Death,
        arc: &NarrativeArc,
        (settlement, home): (&SettlementReport, &HomeReport),
    ) -> Vec<TestamentSentence> {
        let (chronicle, core, clock) = (&self.state.chronicle, &self.state.core, &self.state.mortality.epistemic);
        let birth = &self.genesis.birth;
        let mut told =
            vec![at(Tick(1), format!("I was born with {} USDC, in generation {}.", birth.funding, birth.generation))];
        told.push(match chronicle.first_trade {
            Some(tick) => at(
                tick,
                format!(
                    "I first acted at turn {tick}, and {} times in all: {} of them with a profit, {} with a loss.",
                    core.trades, chronicle.won, chronicle.lost
                ),
            ),
            None => TestamentSentence::of(self.whole_life(), "I never traded: nothing that I saw paid for its risk."),
        });
        if let (Some((won, best)), Some((lost, worst))) = (chronicle.best, chronicle.worst) {
            let text = format!("My best trade brought {best} USDC at turn {won}, my worst {worst} at turn {lost}.");
            told.push(at(won, text).and(TestamentSource::Turn(lost)));
        }
        let (peak_tick, peak) = chronicle.peak;
        if peak > birth.funding && peak_tick > Tick(0) {
            told.push(at(peak_tick, format!("I was worth most at turn {peak_tick}: {peak} USDC.")));
        }
        let text = format!(
            "I knew my market best on day {:.1}, at a fitness of {:.3}; in the end it was {:.3}.",
            clock.peak_at.age().as_days(),
            clock.peak,
            clock.fitness
        );
        told.push(TestamentSentence::of(self.whole_life(), &text));
        if arc.kind != ArcKind::Stable
            && let (Some(first), Some(last)) = (chronicle.moods().first(), chronicle.moods().last())
        {
            let source = TestamentSource::Turns { from: first.tick, to: last.tick };
            let text = format!("It was a {} life, as it felt to me in {} samples.", arc.kind.name(), arc.samples);
            told.push(TestamentSentence::of(source, &text));
        }
        told.push(self.cause_of(death));
        let source = TestamentSource::Turns { from: death.tick, to: core.tick };
        told.push(TestamentSentence::of(source.clone(), &format!("At the end {}.", settlement.say())));
        told.push(TestamentSentence::of(source, &format!("{}.", capitalised(&home.say()))));
        told
    }

    pub(super) fn last_words(&self, death: &Death) -> TestamentSentence {
        let (tick, ledger, clock) = (death.tick, &self.state.ledger, &self.state.mortality.epistemic);
        let words = match &death.cause {
            DeathCause::Economic { .. } => format!(
                "I was given {} USDC and leave {}; {} of it paid for {tick} turns of looking.",
                ledger.deposits(),
                self.worth(),
                ledger.spent
            ),
            DeathCause::EpistemicSenescence { last_successful_prediction: last, .. } => {
                format!(
                    "The world moved on, and I did not. My last right forecast was in turn {last} of {tick}: look there first."
                )
            }
            DeathCause::Stochastic { .. } => format!(
                "The dice fell at turn {tick}. I leave {} USDC and a fitness of {:.3}: go on from there.",
                self.worth(),
                clock.fitness
            ),
            DeathCause::OwnerKill { .. } | DeathCause::KillSwitch { .. } => {
                let open = self.grimoire.as_ref().map_or(0, |g| g.staging().proposals().count());
                let guesses = if open == 1 { "1 guess was".to_owned() } else { format!("{open} guesses were") };
                format!("I was ended at turn {tick}, not finished: {guesses} still under test.")
            }
        };
        at(tick, words).and(self.whole_life())
    }
}

fn capitalised(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// A small number with two digits that are not zeros.
fn small(x: f64) -> String {
    let zeros = if x > 0.0 && x < 1.0 { -libm::floor(libm::log10(x)) } else { 1.0 };
    format!("{x:.*}", zeros.clamp(1.0, 30.0) as usize + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn small_numbers_are_read_without_powers_of_ten() {
        assert_eq!([4.04e-7, 0.0, 0.5, 1e-300].map(super::small)[..3], ["0.00000040", "0.00", "0.50"]);
    }
}
