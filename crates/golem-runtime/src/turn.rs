//! One turn of the loop: mail, a look at the world, the first half, effects, the second half, a frame.

use crate::batch::json;
use crate::chain::DIGEST_EVERY;
use crate::error::Error;
use crate::half::{Half, effect_key};
use crate::hands::{KeyedHands, Reconciled, withheld};
use crate::inbox::{self, MAX_ORDERS_PER_TURN};
use crate::listener::Notice;
use crate::outbox::{self, Draft};
use crate::relive::guarded;
use crate::runner::Runner;
use crate::terms::{Shown, Why};
use golem_core::fact::FactBody as _;
use golem_core::intent::Holdings;
use golem_core::{Intent, Observation, RawObservation, Receipt, Tick, Timestamp, VirtualTime};
use golem_life::door::World;
use golem_life::{Ask, Being, Order, Record, Standing, TickInput};

impl<B: Being, W: World, H: KeyedHands> Runner<B, W, H> {
    /// A whole turn. Says why when there could be none.
    pub(crate) fn turn(&mut self) -> Result<Option<Why>, Error> {
        let tick = self.being.tick().next();
        let orders = self.mail()?;
        let age = self.being.next_age();
        let raw = match self.foreign(tick, "the world", |r| r.world.observe(age))? {
            Some(raw) => raw,
            // A world that has ended must not keep anyone from being fed or from dying: orders are taken blind.
            None if !orders.is_empty() => RawObservation::default(),
            None => return Ok(Some(Why::WorldEnded)),
        };
        let input = TickInput { at: self.shown(age), seen: raw.admit(), orders };
        self.take(&input.orders, tick);
        let intents = self.begin(tick, &input)?;
        let effects: Vec<bool> = intents.iter().map(|i| !self.withholds(i)).collect();
        let external = self.hands.is_external() && effects.contains(&true);
        if external {
            self.open_half(Half { tick, input: input.clone(), intents: intents.clone() }, &effects)?;
        }
        let holdings = self.being.holdings();
        let mut receipts = Vec::with_capacity(intents.len());
        for (n, (intent, goes)) in intents.iter().zip(effects).enumerate() {
            receipts.push(if goes {
                self.act(tick, &effect_key(tick, n), intent, &holdings, &input.seen)?
            } else {
                withheld(*intent)
            });
        }
        self.end(tick, age, Record { input, intents, receipts }, external)?;
        Ok(None)
    }

    /// Finish the turn that was open when the process ended: ask the world before acting.
    pub(crate) fn finish_half(&mut self) -> Result<Option<Why>, Error> {
        let Some(half) = self.half.clone() else { return Ok(None) };
        let tick = half.tick;
        let mut answers = Vec::with_capacity(half.intents.len());
        for (n, intent) in half.intents.iter().enumerate() {
            let key = effect_key(tick, n);
            // What was withheld was never committed as an effect, and stays withheld.
            let answer = if outbox::has(self.store.conn(), self.store.db(), &key)? {
                Some(self.foreign(tick, "the hands", |r| r.hands.reconcile(&key, intent))?)
            } else {
                None
            };
            if answer == Some(Reconciled::Unknown) {
                return Ok(Some(Why::Unreconciled { key }));
            }
            answers.push((key, answer));
        }
        let age = self.being.next_age();
        self.foreign(tick, "the world", |r| r.world.observe(age))?;
        let intents = self.begin(tick, &half.input)?;
        if intents != half.intents {
            let what = format!("intents: recorded {:?}, decided {intents:?}", half.intents);
            return Err(Error::Diverged { tick, what });
        }
        let holdings = self.being.holdings();
        let mut receipts = Vec::with_capacity(intents.len());
        for ((key, answer), intent) in answers.into_iter().zip(&intents) {
            let receipt = match answer {
                Some(Reconciled::Settled(receipt)) => receipt,
                Some(Reconciled::NeverSent) if !self.withholds(intent) => {
                    self.act(tick, &key, intent, &holdings, &half.input.seen)?
                }
                _ => withheld(*intent),
            };
            receipts.push(receipt);
            let had_happened = matches!(answer, Some(Reconciled::Settled(_)));
            self.tell(&Notice::Reconciled { key, had_happened });
        }
        self.half = None;
        self.end(tick, age, Record { input: half.input, intents, receipts }, true)?;
        Ok(None)
    }

    fn act(
        &mut self,
        tick: Tick,
        key: &str,
        intent: &Intent,
        holdings: &Holdings,
        seen: &Observation,
    ) -> Result<Receipt, Error> {
        if self.hands.is_external() {
            self.store.is_ours()?;
        }
        self.foreign(tick, "the hands", |r| r.hands.act_keyed(key, intent, holdings, seen))
    }

    fn begin(&mut self, tick: Tick, input: &TickInput) -> Result<Vec<Intent>, Error> {
        self.foreign(tick, "the first half", |r| r.being.begin(input, &mut r.facts))
    }

    /// Commit the open turn before its first effect.
    fn open_half(&mut self, half: Half, effects: &[bool]) -> Result<(), Error> {
        for (n, intent) in half.intents.iter().enumerate().filter(|(n, _)| effects[*n]) {
            self.batch.send(Draft::intent(half.tick, effect_key(half.tick, n), intent)?);
        }
        self.batch.opens = Some((half.tick, half.to_bytes()?));
        self.commit_turns()
    }

    /// The second half, and the turn's frame.
    fn end(&mut self, tick: Tick, age: VirtualTime, record: Record, external: bool) -> Result<(), Error> {
        let end = self.foreign(tick, "the second half", |r| r.being.finish(&record.receipts, &mut r.facts))?;
        if self.being.tick() != tick {
            return Err(Error::Bug(format!("the being counts tick {} after turn {tick}", self.being.tick())));
        }
        let dead = end.standing == Standing::Dead;
        let digest = if tick.is_every(DIGEST_EVERY) || dead { Some(self.being.digest()) } else { None };
        self.chain.append(&mut self.batch.frames, tick, &record, digest)?;
        self.batch.turned(tick);
        self.at = record.input.at;
        // A paused golem that only answered its mail has not aged.
        if self.being.next_age() > age {
            self.age = age;
        }
        self.insure_now |= end.insure;
        if external {
            (0..record.intents.len()).for_each(|n| self.batch.settle(effect_key(tick, n)));
            self.batch.closes_half = true;
        }
        for (n, reply) in end.replies.iter().enumerate() {
            self.batch.send(Draft::reply(tick, n, reply)?);
        }
        self.keep_facts()?;
        if tick.is_every(self.around.options.series_every) || dead {
            self.batch.point(tick, self.at, json(&self.being.status())?);
        }
        let late_ms = self.schedule.turn_over(end.interval, self.begun_ms, self.around.clock.monotonic_ms());
        if external || end.standing != Standing::Alive || self.commit_is_due() {
            self.commit(false)?;
        }
        if late_ms > 0 && self.schedule.is_real() {
            self.tell(&Notice::DeadlineMissed { tick, late_ms });
        }
        Ok(())
    }

    fn keep_facts(&mut self) -> Result<(), Error> {
        let wanted = self.around.listener.as_ref().is_some_and(|l| l.wants());
        for fact in self.facts.drain(..) {
            if !fact.body.is_series() {
                self.batch.fact(&fact)?;
            }
            if wanted {
                self.heard.push(fact);
            }
        }
        Ok(())
    }

    /// Orders for this turn. The inbox is looked into once per commit, so that what was taken is soon marked.
    fn mail(&mut self) -> Result<Vec<Order>, Error> {
        if self.batch.turns() > 0 && !self.poll_again {
            return Ok(vec![]);
        }
        self.flip_switch()?;
        let orders = inbox::waiting(self.store.conn(), self.store.db(), self.taken_up_to)?;
        self.poll_again = orders.len() == MAX_ORDERS_PER_TURN;
        Ok(orders)
    }

    pub(crate) fn has_mail(&mut self) -> Result<bool, Error> {
        self.flip_switch()?;
        Ok(!inbox::waiting(self.store.conn(), self.store.db(), self.taken_up_to)?.is_empty())
    }

    fn take(&mut self, orders: &[Order], tick: Tick) {
        for order in orders {
            self.batch.took(order.id, tick);
            self.taken_up_to = order.id;
        }
    }

    /// A kill switch becomes an order like any other; its key makes it one order however often it is seen.
    fn flip_switch(&mut self) -> Result<(), Error> {
        let switch = self.store.dir().kill_switch();
        if self.switch_seen || std::fs::symlink_metadata(&switch).is_err() {
            return Ok(());
        }
        // The name, not the path: what is recorded must not depend on where a golem's home stands.
        let trigger = switch.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let (body, now) = (json(&Ask::KillSwitch { trigger })?, self.around.clock.now());
        // Through our own connection: a full disk must not keep anyone from dying.
        self.store.durably(|tx| inbox::insert(tx, inbox::KILL_SWITCH, &body, now))?;
        self.switch_seen = true;
        Ok(())
    }

    fn withholds(&self, intent: &Intent) -> bool {
        self.is_safe_mode() || (self.refuses_new_risk() && !intent.only_reduces())
    }

    fn shown(&self, age: VirtualTime) -> Timestamp {
        let by_pace = if self.schedule.is_real() { Shown::Wall } else { Shown::World };
        match self.around.options.shown.unwrap_or(by_pace) {
            Shown::Wall => self.around.clock.now(),
            Shown::World => self.world.epoch().after(age.age()),
        }
    }

    /// Run a door's or the being's code. After a panic the turns before this one are kept and the rest is thrown away.
    fn foreign<T>(&mut self, tick: Tick, place: &'static str, run: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        match guarded(tick, place, || run(self)) {
            Err(panic @ Error::Panicked { .. }) => {
                self.facts.clear();
                self.rescue(tick, &panic.to_string())?;
                Err(panic)
            }
            other => other,
        }
    }
}
