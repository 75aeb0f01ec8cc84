//! The turn: which step follows which, and how it ends. Each step is a verb, and has the file of that name: `hear`, `inherit`, `sense`,
//! `decide`, then `judge` once it is known what each wish would do, then `book`, `remember`, `reflect`, `pay`, `feel`,
//! `diagnose`, `age`.

use crate::fact::LifeFact;
use crate::heartbeat::Heartbeat;
use crate::input::TickInput;
use crate::life::Life;
use crate::scratch::TurnScratch;
use crate::step::{Answer, Step};
use crate::turn_end::{Reply, TurnEnd};
use golem_core::{Receipt, Tick, Timestamp};
use golem_daimon::affect::drawn_temperament;
use golem_mortality::phase::PhaseSnapshots;

impl Life {
    /// SENSING and DECIDING: from what came in to a question or to wishes.
    pub fn begin_turn(&mut self, input: &TickInput) -> Step {
        self.open_turn(input.at);
        if let Some(question) = self.ask_chain(input) {
            return Step::Ask(question);
        }
        self.begin_knowing(input)
    }

    /// The same, once the chain has been asked what the turn must know of it.
    fn begin_knowing(&mut self, input: &TickInput) -> Step {
        let was_paused = self.state.core.paused;
        self.hear(input);
        if self.is_dying() {
            return self.begin_dying_turn(&input.seen);
        }
        if was_paused && self.state.core.paused && self.turn.ordered.is_none() {
            // A paused golem answers its mail: nothing else happens, and no time passes.
            self.turn.idle = true;
            self.state.core.heartbeat = Heartbeat::Acting;
            return Step::Wishes(Vec::new());
        }
        self.pass_time();
        self.inherit();
        self.turn.point = input.seen.book.map(|book| book.point);
        let asleep = self.is_asleep();
        if asleep {
            self.sense_asleep(&input.seen);
        } else {
            self.sense(&input.seen);
        }
        self.watch_while_dreaming(&input.seen);
        self.next_beat();
        if let Some(question) = self.end_phages() {
            return Step::Ask(question);
        }
        self.dream_or_decide(asleep)
    }

    fn dream_or_decide(&mut self, asleep: bool) -> Step {
        if let Some(question) = self.begin_dream_stage() {
            return Step::Ask(question);
        }
        self.decide_or_sleep(asleep)
    }

    /// Who sleeps wants nothing; who wakes in this turn acts from the next one on.
    fn decide_or_sleep(&mut self, asleep: bool) -> Step {
        self.turn.slept = asleep;
        let step = match asleep {
            true => Step::Wishes(Vec::new()),
            false if self.withdraws() && self.turn.ordered.is_none() => self.decide_to_withdraw(),
            false => self.decide(),
        };
        self.decided(step)
    }

    /// DECIDING goes on with the answer to what it asked.
    pub fn go_on(&mut self, answer: &Answer) -> Step {
        if let Some(input) = self.chain_answered(answer) {
            return self.begin_knowing(&input);
        }
        if self.turn.dying {
            return self.dying_answered(answer);
        }
        if self.turn.phages_on {
            self.phages_answered(answer);
            let asleep = self.is_asleep();
            return self.dream_or_decide(asleep);
        }
        if self.turn.dreams_on || self.turn.dream_talk.is_some() {
            let asleep = self.is_asleep();
            return match self.dream_answered(answer) {
                Some(question) => Step::Ask(question),
                None => self.decide_or_sleep(asleep),
            };
        }
        let step = match self.turn.recall.take() {
            Some(waiting) => self.decide_with_vectors(*waiting, answer),
            None => self.think_on(answer),
        };
        self.decided(step)
    }

    /// ACTING is done; REFLECTING, then the lifespan.
    pub fn finish_turn(&mut self, receipts: &[Receipt]) -> TurnEnd {
        self.next_beat();
        if self.turn.idle {
            return self.close_turn(false);
        }
        if self.turn.dying {
            self.finish_dying_turn(receipts);
            return self.close_turn(false);
        }
        let before = self.phase();
        let wished = std::mem::take(&mut self.turn.wished);
        self.book_all(&wished, receipts);
        self.shadow_deeds(&wished, receipts);
        self.see_to_withdrawal(&wished, receipts);
        if !self.turn.slept {
            self.remember(&wished, receipts);
            self.reflect();
        }
        self.pay();
        self.see_for_dreams();
        self.feel();
        self.diagnose();
        self.run_lifespan();
        self.keep_chronicle(before, &wished, receipts);
        self.consider_dreaming();
        self.consider_phages();
        self.tell_kin();
        let fell = self.phase() < before;
        self.close_turn(fell && self.phase().behaviour().snapshots == PhaseSnapshots::AtEntry)
    }

    fn open_turn(&mut self, at: Timestamp) {
        // The memory of the lists that every turn fills is used again.
        let (mut facts, mut settled) = (std::mem::take(&mut self.turn.facts), std::mem::take(&mut self.turn.settled));
        facts.clear();
        settled.clear();
        self.turn = TurnScratch { facts, settled, ..TurnScratch::default() };
        let core = &mut self.state.core;
        core.tick = core.tick.next();
        core.at = at;
        self.next_beat();
        if self.state.core.tick == Tick(1) {
            let birth = &self.genesis.birth;
            self.tell(LifeFact::Born {
                commitment: birth.commitment,
                funded: birth.funding,
                generation: birth.generation,
                temperament: drawn_temperament(&self.affect).filter(|_| self.affect.is_on()),
            });
        }
    }

    fn decided(&mut self, mut step: Step) -> Step {
        if let Step::Wishes(wishes) = &mut step {
            self.see_to_gas(wishes);
            self.next_beat();
        }
        step
    }

    fn close_turn(&mut self, insure: bool) -> TurnEnd {
        self.answer_words();
        self.next_beat();
        TurnEnd {
            insure,
            standing: self.standing(),
            interval: self.state.core.interval,
            replies: std::mem::take(&mut self.turn.replies),
            peers: std::mem::take(&mut self.turn.peers),
            kin: std::mem::take(&mut self.turn.kin),
        }
    }

    /// Answers to words: the golem's condition after this turn.
    fn answer_words(&mut self) {
        let spoken = self.turn.spoken.take().map(|words| format!(". {words}")).unwrap_or_default();
        for order in std::mem::take(&mut self.turn.told) {
            let (v, aware) = (&self.state.mortality.vitality, self.awareness());
            let left = aware
                .projected_life_h
                .map_or_else(|| "nothing burns".to_owned(), |h| format!("{:.0} h of money left", h));
            let text = format!(
                "heard, at turn {}: {} (vitality {:.2}), fitness {:.2}, {} USDC, {left}; {} market{spoken}",
                self.state.core.tick,
                v.phase,
                v.composite,
                v.epistemic,
                self.balance(),
                self.state.mind.regime(),
            );
            self.turn.replies.push(Reply { order, text });
        }
    }

    fn next_beat(&mut self) {
        self.state.core.heartbeat = self.state.core.heartbeat.next();
    }
}
