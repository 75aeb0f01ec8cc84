//! What comes in besides the market: orders of the owner and words of the fleet, what the chain says differently now, what
//! a crash has swallowed, an edited playbook.

use crate::fact::{DaimonFact, Fact, LifeFact};
use crate::input::{Ask, Order, TickInput};
use crate::life::Life;
use crate::turn_end::Reply;
use golem_core::Usdc;
use golem_core::model::ModelPurpose;
use golem_core::words::one_line;
use golem_daimon::affect::Event;
use golem_daimon::gate::OwnerOrder;
use golem_daimon::suffering::{SufferingFact, import};
use golem_grimoire::admission::Ruling;
use golem_grimoire::grimoire::Foreign;
use golem_mortality::DeathCause;
use golem_mortality::economic::{MOST, Purpose};

/// What the gate knows an order as.
fn kind(ask: &Ask) -> OwnerOrder {
    match ask {
        Ask::Feed { .. } => OwnerOrder::Feed,
        Ask::Pause => OwnerOrder::Pause,
        Ask::Resume => OwnerOrder::Resume,
        Ask::Halt { .. } => OwnerOrder::Halt,
        Ask::Kill { .. } | Ask::KillSwitch { .. } => OwnerOrder::Kill,
        Ask::Learn { .. }
        | Ask::Equip { .. }
        | Ask::Suffer { .. }
        | Ask::Dream
        | Ask::Wake { .. }
        | Ask::Judge { .. }
        | Ask::Withdraw { .. } => OwnerOrder::Decide,
        Ask::Tell { .. } | Ask::Peer { .. } | Ask::Kin { .. } => OwnerOrder::Tell,
    }
}

impl Life {
    pub(crate) fn hear(&mut self, input: &TickInput) {
        for order in &input.orders {
            self.take(order);
        }
        self.amend(&input.amended);
        for cost in &input.swallowed {
            self.pay_swallowed(*cost);
        }
        if let Some(text) = input.edited.as_ref().filter(|_| !self.is_dying()) {
            self.take_edit(text);
        }
    }

    /// A call of the turn before, whose answer a crash has swallowed, is paid for. Who was asleep in that turn asked it dreaming:
    /// then it is what the dream has cost, too.
    fn pay_swallowed(&mut self, cost: Usdc) {
        let paid = self.state.ledger.spend(Purpose::Inference, cost);
        let dreamt = self.pay_for_lost_dream(paid.amount);
        let purpose = if dreamt { ModelPurpose::Dream } else { ModelPurpose::Waking };
        self.state.thought.book_swallowed(self.state.core.age, purpose, cost);
        self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
    }

    pub(crate) fn take(&mut self, order: &Order) {
        let seq = self.tell(LifeFact::Order { id: order.id, ask: order.ask.clone() });
        if let Err(denied) = self.owner_may(kind(&order.ask)) {
            self.turn.replies.push(Reply { order: order.id, text: format!("refused: {denied}") });
            return;
        }
        if !matches!(order.ask, Ask::KillSwitch { .. }) {
            self.state.inner.channel.used(self.state.core.age);
        }
        let reply = match &order.ask {
            Ask::Feed { amount } => {
                let (operating, shares) = (self.prices.operating_bps, self.shares());
                if self.state.ledger.feed(*amount, operating, &shares) {
                    self.state.cage.fed(*amount);
                    self.emit(Some(seq), Fact::Life(LifeFact::Fed { amount: *amount }));
                    format!("fed {amount} USDC")
                } else {
                    format!("not fed: a golem is given at most {MOST} USDC in its life")
                }
            }
            Ask::Pause => {
                self.state.core.paused = true;
                "paused: no turns, no ageing, until resumed".to_owned()
            }
            Ask::Resume => {
                self.state.core.paused = false;
                let mut told = Vec::new();
                self.state.cage.resume(self.state.core.tick, &mut told);
                self.tell_of_cage(told);
                "going on".to_owned()
            }
            Ask::Halt { reason } => {
                let mut told = Vec::new();
                self.state.cage.halt(self.state.core.tick, reason, &mut told);
                self.tell_of_cage(told);
                "halted: no new risk until resumed".to_owned()
            }
            Ask::Kill { reason } => {
                self.turn.ordered.get_or_insert(DeathCause::OwnerKill { reason: reason.clone() });
                self.turn.order_seq.get_or_insert(seq);
                "its last turns have begun".to_owned()
            }
            Ask::KillSwitch { trigger } => {
                self.turn.ordered.get_or_insert(DeathCause::KillSwitch { trigger: trigger.clone() });
                self.turn.order_seq.get_or_insert(seq);
                "its last turns have begun".to_owned()
            }
            Ask::Learn { entries } => self.learn_from(entries),
            Ask::Equip { parcels } => self.equip_with(parcels),
            Ask::Withdraw { amount } => self.asked_to_withdraw(order.id, *amount),
            Ask::Peer { from, text, died, .. } => {
                self.hear_peer(from, text, *died);
                "heard".to_owned()
            }
            Ask::Kin { from, letter, .. } => self.hear_kin(*from, letter),
            Ask::Suffer { text } => self.take_over(text),
            Ask::Dream => self.asked_to_dream(),
            Ask::Wake { reason } => self.asked_to_wake(reason),
            Ask::Judge { proposal, approved } => self.judge_staged(*proposal, *approved),
            Ask::Tell { .. } if self.is_asleep() => {
                self.hold_words(order);
                return;
            }
            // A golem without a language answers with its condition, once the turn has shown what that is.
            Ask::Tell { text } => {
                self.state.diary.hear(text);
                self.turn.told.push(order.id);
                return;
            }
        };
        self.turn.replies.push(Reply { order: order.id, text: reply });
    }

    /// A golem of the same fleet has spoken: that is company, and it may be the last of it.
    pub(crate) fn hear_peer(&mut self, from: &str, text: &str, died: bool) {
        let (from, text) = (one_line(from, 40), one_line(text, 200));
        let (now, config) = (self.state.core.age, self.affect_config().clone());
        // A cry for help is catching, within bounds.
        let caught = self.state.inner.affect.as_mut().filter(|_| !died).and_then(|a| a.sync(now, &[], 1, &config));
        if let Some(fact) = caught {
            self.tell_inner(DaimonFact::Affect(fact));
        }
        if died {
            self.turn.felt.events.push(Event::SiblingDeath);
            self.state.diary.event(format!("{from} of the same fleet died: {text}"));
        } else {
            self.alerted(&from, &text);
            self.state.diary.event(format!("{from} of the same fleet says: {text}"));
        }
    }

    /// What another system's agent suffered, under the same caps as what this one says of itself.
    fn take_over(&mut self, text: &str) -> String {
        let now = self.state.core.age;
        let Some(suffering) = &mut self.state.inner.suffering else {
            return "nothing taken over: it lives without suffering".to_owned();
        };
        match import(text, now) {
            Err(why) => format!("nothing taken over: {why}"),
            Ok(imported) => {
                let (history, lint) = (imported.history.len(), imported.lint.len());
                let told = suffering.adopt(imported, now);
                let stored = told.iter().filter(|f| matches!(f, SufferingFact::Onset { .. })).count();
                for fact in told {
                    self.tell_inner(DaimonFact::Suffering(fact));
                }
                format!("took over {stored} stressors and {history} of the past, with {lint} remarks")
            }
        }
    }

    /// Take in what another golem has learnt.
    fn learn_from(&mut self, entries: &[String]) -> String {
        let now = self.state.core.age;
        let Some(grimoire) = &mut self.grimoire else { return "nothing learnt: it lives without memory".to_owned() };
        let (mut admitted, mut known, mut aside, mut refused) = (0, 0, 0, 0);
        for text in entries {
            match Foreign::read(text).map(|foreign| grimoire.take_in(foreign, now)) {
                Ok(Ruling::Admit { .. }) => admitted += 1,
                Ok(Ruling::Merge { .. } | Ruling::Skip { .. }) => known += 1,
                Ok(Ruling::Quarantine { .. }) => aside += 1,
                Ok(Ruling::Refuse) | Err(_) => refused += 1,
            }
        }
        format!("learnt {admitted}, knew {known}, put {aside} aside, refused {refused}")
    }

    /// The owner has edited the playbook.
    pub(crate) fn take_edit(&mut self, text: &str) {
        let now = self.state.core.age;
        let parameters: Vec<&str> = self.genesis.settings.policy.template.parameters().iter().map(|p| p.key).collect();
        let Some(grimoire) = &mut self.grimoire else { return };
        let report = grimoire.take_edit(text, &parameters, now);
        self.state.mind.cache().forget(&report.touched);
        let problems = report.problems.iter().map(ToString::to_string).take(20).collect();
        self.tell(LifeFact::PlaybookEdited { changes: report.changes, problems });
        self.tell_revised(report.revised);
    }
}
