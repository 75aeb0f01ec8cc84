//! Orders of the owner, and the answers to them.

use crate::fact::{DaimonFact, Fact, LifeFact};
use crate::input::{Ask, Order};
use crate::life::{Facts, Life};
use crate::turn::Reply;
use golem_core::words::one_line;
use golem_daimon::affect::Event;
use golem_daimon::gate::OwnerOrder;
use golem_daimon::suffering::{SufferingFact, import};
use golem_grimoire::admission::Ruling;
use golem_grimoire::grimoire::Foreign;
use golem_mortality::DeathCause;
use golem_mortality::economic::MOST;

/// What the gate knows an order as.
fn kind(ask: &Ask) -> OwnerOrder {
    match ask {
        Ask::Feed { .. } => OwnerOrder::Feed,
        Ask::Pause => OwnerOrder::Pause,
        Ask::Resume => OwnerOrder::Resume,
        Ask::Halt { .. } => OwnerOrder::Halt,
        Ask::Kill { .. } | Ask::KillSwitch { .. } => OwnerOrder::Kill,
        Ask::Learn { .. } | Ask::Suffer { .. } => OwnerOrder::Decide,
        Ask::Tell { .. } | Ask::Peer { .. } => OwnerOrder::Tell,
    }
}

impl Life {
    pub(crate) fn take(&mut self, order: &Order, facts: &mut Facts) {
        let seq = self.tell(facts, LifeFact::Order { id: order.id, ask: order.ask.clone() });
        if let Err(denied) = self.owner_may(kind(&order.ask)) {
            self.half.replies.push(Reply { order: order.id, text: format!("refused: {denied}") });
            return;
        }
        if !matches!(order.ask, Ask::KillSwitch { .. }) {
            self.state.inner.contact = Some(self.state.core.age);
        }
        let reply = match &order.ask {
            Ask::Feed { amount } => {
                let (operating, shares) = (self.prices.operating_bps, self.shares());
                if self.state.ledger.feed(*amount, operating, &shares) {
                    self.state.cage.fed(*amount);
                    self.emit(facts, Some(seq), Fact::Life(LifeFact::Fed { amount: *amount }));
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
                self.tell_of_cage(told, facts);
                "going on".to_owned()
            }
            Ask::Halt { reason } => {
                let mut told = Vec::new();
                self.state.cage.halt(self.state.core.tick, reason, &mut told);
                self.tell_of_cage(told, facts);
                "halted: no new risk until resumed".to_owned()
            }
            Ask::Kill { reason } => {
                self.half.ordered.get_or_insert(DeathCause::OwnerKill { reason: reason.clone() });
                self.half.order_seq.get_or_insert(seq);
                "its last turns have begun".to_owned()
            }
            Ask::KillSwitch { trigger } => {
                self.half.ordered.get_or_insert(DeathCause::KillSwitch { trigger: trigger.clone() });
                self.half.order_seq.get_or_insert(seq);
                "its last turns have begun".to_owned()
            }
            Ask::Learn { entries } => self.learn_from(entries),
            Ask::Peer { from, text, died, .. } => {
                self.hear_peer(from, text, *died, facts);
                "heard".to_owned()
            }
            Ask::Suffer { text } => self.take_over(text, facts),
            // A golem without a language answers with its condition, once the turn has shown what that is.
            Ask::Tell { text } => {
                self.state.diary.hear(text);
                self.half.told.push(order.id);
                return;
            }
        };
        self.half.replies.push(Reply { order: order.id, text: reply });
    }

    /// A golem of the same fleet has spoken: that is company, and it may be the last of it.
    fn hear_peer(&mut self, from: &str, text: &str, died: bool, facts: &mut Facts) {
        let (from, text) = (one_line(from, 40), one_line(text, 200));
        let (now, config) = (self.state.core.age, self.affect_config().clone());
        // A cry for help is catching, within bounds.
        let caught = self.state.inner.affect.as_mut().filter(|_| !died).and_then(|a| a.sync(now, &[], 1, &config));
        if let Some(fact) = caught {
            self.tell_inner(DaimonFact::Affect(fact), facts);
        }
        if died {
            self.half.felt.events.push(Event::SiblingDeath);
            self.state.diary.event(format!("{from} of the same fleet died: {text}"));
        } else {
            self.state.diary.event(format!("{from} of the same fleet says: {text}"));
        }
    }

    /// What another system's agent suffered, under the same caps as what this one says of itself.
    fn take_over(&mut self, text: &str, facts: &mut Facts) -> String {
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
                    self.tell_inner(DaimonFact::Suffering(fact), facts);
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
            match serde_json::from_str::<Foreign>(text).map(|foreign| grimoire.take_in(foreign, now)) {
                Ok(Ruling::Admit { .. }) => admitted += 1,
                Ok(Ruling::Merge { .. } | Ruling::Skip { .. }) => known += 1,
                Ok(Ruling::Quarantine { .. }) => aside += 1,
                Ok(Ruling::Refuse) | Err(_) => refused += 1,
            }
        }
        format!("learnt {admitted}, knew {known}, put {aside} aside, refused {refused}")
    }

    /// Answers to words: the golem's condition after this turn.
    pub(crate) fn answer(&mut self) {
        let spoken = self.half.spoken.take().map(|words| format!(". {words}")).unwrap_or_default();
        for order in std::mem::take(&mut self.half.told) {
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
            self.half.replies.push(Reply { order, text });
        }
    }
}
