//! One turn of the loop: mail, a look at the world, then the turn as `golem_life::drive` knows it, and a frame.

use crate::chain::DIGEST_EVERY;
use crate::error::Error;
use crate::half::OpenTurn;
use crate::inbox::{self, MAX_ORDERS_PER_TURN};
use crate::json;
use crate::listener::Notice;
use crate::live::LiveTurn;
use crate::outbox::{self, OutboxDraft};
use crate::relive::{begin_again, guarded};
use crate::runner::Runner;
use crate::terms::{ShownTime, WhyBack};
use golem_core::door::{EffectKey, KeyedHands, Reconciled, World};
use golem_core::fact::FactBody as _;
use golem_core::intent::Refusal;
use golem_core::{Footing, Intent, NOMINAL_TICK_S, Preview, RawObservation, Receipt, Tick, Timestamp, VirtualTime};
use golem_life::drive::{self, Acted};
use golem_life::{Ask, Being, LifeStanding, Order, Record, TickInput};

/// On a live world, a wish of an open turn that is older than this is not begun any more.
const STALE_S: i64 = 300;

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Runner<B, W, H> {
    /// A whole turn. Says why when there could be none.
    pub(crate) fn turn(&mut self) -> Result<Option<WhyBack>, Error> {
        let tick = self.being.tick().next();
        let orders = self.mail()?;
        if orders.iter().any(|order| inbox::is_last(&order.ask)) {
            self.store.is_dying();
        }
        let age = self.being.next_age();
        let raw = match self.foreign(tick, "the world", |r| r.world.observe(age))? {
            Some(raw) => raw,
            // A world that has ended must not keep anyone from being fed or from dying: orders are taken blind.
            None if !orders.is_empty() || self.being.standing() == LifeStanding::Dying => RawObservation::default(),
            None => return Ok(Some(WhyBack::WorldEnded)),
        };
        let amended = self.foreign(tick, "the hands", |r| r.hands.amended())?;
        let (edited, swallowed) = (self.look_at_page(), self.swallowed(tick));
        let input = TickInput { at: self.shown(age), seen: raw.admit(), orders, amended, edited, swallowed };
        self.take(&input.orders, tick);
        let (begun, permits) = drive::begin(&mut LiveTurn { runner: self, tick }, input)?;
        if permits.len() != begun.intents.len() {
            return Err(Error::Bug(format!("{} verdicts on {} wishes", permits.len(), begun.intents.len())));
        }
        let withheld: Vec<bool> = begun.intents.iter().map(|intent| self.withholds(intent)).collect();
        let effects: Vec<bool> = begun.granted.iter().zip(&withheld).map(|(granted, held)| *granted && !held).collect();
        let external = self.hands.is_external() && effects.contains(&true);
        let half = OpenTurn::new(tick, begun);
        if external {
            self.open_half(&half, &effects)?;
            self.opening(tick)?;
        }
        let acted = drive::act(&mut LiveTurn { runner: self, tick }, &half.previews, permits, &withheld)?;
        let receipts = match acted {
            Acted::All(receipts) => receipts,
            Acted::Unknown(n) => {
                // On disk it is open; in memory it has begun. The world is asked again before anything else.
                self.half = Some(half);
                self.midway = true;
                return Ok(Some(WhyBack::Unreconciled { key: EffectKey::new(tick, n) }));
            }
        };
        self.end(tick, age, half.record(receipts), external)?;
        Ok(None)
    }

    /// What the owner made of the page, looked for as often as for mail.
    fn look_at_page(&mut self) -> Option<String> {
        let Self { page, being, batch, .. } = self;
        if batch.turns() > 0 { None } else { page.edited(|text| being.wrote(text)) }
    }

    /// The receipt of what was not carried out: not permitted, or kept back by this loop.
    fn kept_back(&self, intent: Intent, granted: bool) -> Receipt {
        Receipt::kept_back(intent, if granted { Refusal::Withheld } else { Refusal::Denied })
    }

    /// Finish the turn that was open when the process ended, or whose effect was not known: ask the world before acting.
    pub(crate) fn finish_half(&mut self) -> Result<Option<WhyBack>, Error> {
        let Some(half) = self.half.clone() else { return Ok(None) };
        let tick = half.tick;
        let mut answers = Vec::with_capacity(half.intents.len());
        for (n, preview) in half.previews.iter().enumerate() {
            let key = EffectKey::new(tick, n);
            // What was withheld was never committed as an effect, and stays withheld.
            let answer = if outbox::has(self.store.conn(), self.store.db(), key)? {
                Some(self.foreign(tick, "the hands", |r| r.hands.reconcile(key, preview))?)
            } else {
                None
            };
            if answer == Some(Reconciled::Unknown) {
                return Ok(Some(WhyBack::Unreconciled { key }));
            }
            answers.push((key, answer));
        }
        let age = self.being.next_age();
        let permits = if std::mem::take(&mut self.midway) {
            // Its permits were used up when it was sent: what never left now does not leave later.
            half.intents.iter().map(|_| None).collect()
        } else {
            self.foreign(tick, "the world", |r| r.world.observe(age))?;
            let record = half.record(vec![]);
            begin_again(&mut self.being, tick, &record)?
        };
        self.opening(tick)?;
        let waited = self.around.clock.now().0.saturating_sub(half.input.at.0);
        let real = self.world.is_live() && self.schedule.is_real();
        let stale = real && waited > STALE_S;
        // Where time went on without it, a permit is used that much later than it was given.
        let passed = if real { u64::try_from(waited).unwrap_or(0) / NOMINAL_TICK_S } else { 0 };
        let now = Tick(tick.0.saturating_add(passed));
        let (mut receipts, mut footing) = (Vec::with_capacity(half.intents.len()), Footing::default());
        for (((key, answer), permit), (preview, granted)) in
            answers.into_iter().zip(permits).zip(half.previews.iter().zip(&half.granted))
        {
            let had_happened = matches!(answer, Some(Reconciled::Settled(_)));
            // What was wanted long ago, in another market, is not begun now.
            let stands = footing.carries(&preview.intent) && !stale;
            let receipt = match (answer, permit) {
                (Some(Reconciled::Settled(receipt)), _) => *receipt,
                (Some(Reconciled::NeverSent), Some(_)) if !stands => {
                    Receipt::kept_back(preview.intent, Refusal::Cancelled)
                }
                (Some(Reconciled::NeverSent), Some(permit)) if !self.withholds(&preview.intent) => {
                    match self.act(key, now, preview, permit)? {
                        Reconciled::Settled(receipt) => *receipt,
                        Reconciled::NeverSent => Receipt::kept_back(preview.intent, Refusal::Cancelled),
                        Reconciled::Unknown => {
                            self.midway = true;
                            return Ok(Some(WhyBack::Unreconciled { key }));
                        }
                    }
                }
                (Some(_), None) => Receipt::kept_back(preview.intent, Refusal::Cancelled),
                _ => self.kept_back(preview.intent, *granted),
            };
            footing.note(!*granted || receipt.was_done());
            receipts.push(receipt);
            self.tell(&Notice::Reconciled { key, had_happened });
        }
        self.half = None;
        self.end(tick, age, half.record(receipts), true)?;
        Ok(None)
    }

    pub(crate) fn act(
        &mut self,
        key: EffectKey,
        now: Tick,
        preview: &Preview,
        permit: B::Permit,
    ) -> Result<Reconciled, Error> {
        if self.hands.is_external() {
            self.store.is_ours()?;
        }
        self.foreign(key.tick, "the hands", |r| r.hands.act_keyed(key, now, preview, permit))
    }

    /// Let the hands know what the effects of the open turn stand on.
    fn opening(&mut self, tick: Tick) -> Result<(), Error> {
        let (head, holdings) = (self.chain.head, self.being.holdings());
        self.foreign(tick, "the hands", |r| r.hands.opening(&head, &holdings))
    }

    /// Commit the open turn before its first effect.
    fn open_half(&mut self, half: &OpenTurn, effects: &[bool]) -> Result<(), Error> {
        for (n, intent) in half.intents.iter().enumerate().filter(|(n, _)| effects[*n]) {
            self.batch.send(OutboxDraft::intent(EffectKey::new(half.tick, n), intent)?);
        }
        self.batch.opens = Some((half.tick, half.to_bytes()?));
        self.commit_turns()
    }

    /// The end of the turn, and its frame.
    fn end(&mut self, tick: Tick, age: VirtualTime, record: Record, external: bool) -> Result<(), Error> {
        let end = drive::finish(&mut LiveTurn { runner: self, tick }, &record.receipts)?;
        if self.being.tick() != tick {
            return Err(Error::Bug(format!("the being counts tick {} after turn {tick}", self.being.tick())));
        }
        let (dead, changes) = (end.standing.is_final(), self.being.changes());
        if dead {
            self.store.is_dying();
        }
        if end.insure && dead {
            // It died as it entered the phase: what is insured is the life before this turn.
            self.insure_before(tick)?;
        }
        let digest = if tick.is_every(DIGEST_EVERY) || dead { Some(self.being.digest()) } else { None };
        self.chain.append(&mut self.batch.frames, tick, &record, digest)?;
        self.batch.turned(tick);
        self.batch.remember(tick, changes);
        self.at = record.input.at;
        // A paused golem that only answered its mail has not aged.
        if self.being.next_age() > age {
            self.age = age;
        }
        if external {
            (0..record.intents.len()).for_each(|n| self.batch.settle(EffectKey::new(tick, n)));
            self.batch.closes_half = true;
        }
        for (n, reply) in end.replies.iter().enumerate() {
            self.batch.send(OutboxDraft::reply(tick, n, reply)?);
        }
        for (n, word) in end.peers.iter().enumerate() {
            self.batch.send(OutboxDraft::word(tick, n, word)?);
        }
        for (n, letter) in end.kin.iter().enumerate() {
            self.batch.send(OutboxDraft::kin(tick, n, letter, letter.word.is_urgent())?);
        }
        self.keep_facts()?;
        if tick.is_every(self.around.options.series_every) || dead {
            self.batch.point(tick, self.at, json::text(&B::Point::from(self.being.status()))?);
        }
        let late_ms = self.schedule.turn_over(end.interval, self.begun_ms, self.around.clock.monotonic_ms());
        // What is to be insured is insured as it is now, at every speed, and not as it will be when the group is full.
        self.insure_now = end.insure && !dead;
        if external || self.insure_now || end.standing != LifeStanding::Alive || self.commit_is_due() {
            self.commit(false)?;
        }
        if late_ms > 0 && self.schedule.is_real() {
            self.tell(&Notice::DeadlineMissed { tick, late_ms });
        }
        Ok(())
    }

    fn keep_facts(&mut self) -> Result<(), Error> {
        let wanted = self.around.listener.as_ref().is_some_and(|l| l.wants());
        for fact in self.being.facts().drain(..) {
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
        // A letter that was held back is taken in the very turn that reaches its time.
        let reached = self.held_until.is_some_and(|at| at <= self.virtual_time());
        if self.batch.turns() > 0 && !self.poll_again && !reached {
            return Ok(vec![]);
        }
        self.flip_switch()?;
        let mail = self.look_for_mail()?;
        self.poll_again = mail.due.len() == MAX_ORDERS_PER_TURN;
        self.held_until = mail.held_until;
        Ok(mail.due)
    }

    fn look_for_mail(&self) -> Result<inbox::Mail, Error> {
        let taken = |id| self.batch.has_taken(id);
        inbox::waiting(self.store.conn(), self.store.db(), self.virtual_time(), taken)
    }

    /// The calendar of the golem's own world in the turn that comes: what letters between golems are dated by.
    fn virtual_time(&self) -> Timestamp {
        self.store.origin().birth.born_at.after(self.being.next_age().age())
    }

    pub(crate) fn has_mail(&mut self) -> Result<bool, Error> {
        self.flip_switch()?;
        Ok(!self.look_for_mail()?.due.is_empty())
    }

    fn take(&mut self, orders: &[Order], tick: Tick) {
        for order in orders {
            self.batch.took(order.id, tick);
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
        let (body, now) = (json::text(&Ask::KillSwitch { trigger })?, self.around.clock.now());
        // Through our own connection: a full disk must not keep anyone from dying.
        self.store.is_dying();
        self.store.durably(|tx| inbox::insert(tx, inbox::KILL_SWITCH, &body, now))?;
        self.switch_seen = true;
        Ok(())
    }

    fn withholds(&self, intent: &Intent) -> bool {
        (self.is_safe_mode() || self.refuses_new_risk()) && !intent.only_reduces()
    }

    fn shown(&self, age: VirtualTime) -> Timestamp {
        let by_pace = if self.schedule.is_real() { ShownTime::Wall } else { ShownTime::World };
        match self.around.options.shown.unwrap_or(by_pace) {
            ShownTime::Wall => self.around.clock.now(),
            ShownTime::World => self.world.epoch().after(age.age()),
        }
    }

    /// Run a door's or the being's code. After a panic the turns before this one are kept and the rest is thrown away.
    pub(crate) fn foreign<T>(
        &mut self,
        tick: Tick,
        place: &'static str,
        run: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Error> {
        match guarded(tick, place, || run(self)) {
            Err(panic @ Error::Panicked { .. }) => {
                self.rescue(tick, &panic.to_string())?;
                Err(panic)
            }
            other => other,
        }
    }
}
