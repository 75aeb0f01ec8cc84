//! One golem over the whole window: what it was worth at every bar, what it did, and when it would have died.

use super::Bench;
use super::watch::{Watch, fetched};
use crate::commands::kept::KeptMind;
use crate::fail::Fail;
use golem_core::intent::Outcome;
use golem_core::verification::flows;
use golem_core::{Asset, Book, Tick, Timestamp, Usdc, VirtualTime};
use golem_lab::Subject;
use golem_lab::subject::newborn;
use golem_life::{Fact, LifeFact, Status};
use golem_mortality::economic::Purpose;
use golem_mortality::{BehavioralPhase, Death};
use golem_view::metrics::{Held, Liquidity, Sample};
use golem_view::trade::Trades;

/// A life over the window.
pub struct Lived {
    pub status: Status,
    pub turns: u64,
    pub rows: Vec<BarRow>,
    pub trades: Trades,
    /// What each trade moved, to the unit, in the order of the trades.
    pub moved: Vec<Moved>,
    pub liquidity: Liquidity,
    /// Gas that was paid.
    pub gas: Usdc,
    /// Bars in each phase, from worst to best.
    pub phases: [u64; 5],
    /// The first death, whether it ended the life or not.
    pub death: Option<Death>,
    /// What of its mind a page shows, where one is wanted.
    pub kept: KeptMind,
}

/// A bar, after whatever the golem did in it.
pub struct BarRow {
    pub at: Timestamp,
    /// Liquid money and positions, less what is owed; never below nothing.
    pub worth: Usdc,
    pub liquid: Usdc,
    /// What all positions would fetch, after gas.
    pub positions: Usdc,
    /// Costs of living that could not be paid.
    pub owed: Usdc,
    pub asset: Asset,
    pub position: Option<Held>,
    /// Fees the position is owed, at the pool's price.
    pub fees_owed: Usdc,
    /// The pool's price before the golem acted.
    pub price_before: f64,
    /// And after.
    pub price: f64,
    pub gas_gwei: f64,
    pub phase: BehavioralPhase,
}

/// What a trade moved.
pub struct Moved {
    pub tick: Tick,
    pub number: u32,
    pub liquidity: i128,
    /// Fees that came in with it.
    pub fees: Usdc,
    pub fees_asset: Asset,
}

impl Lived {
    /// Its worth from bar to bar.
    pub fn samples(&self) -> Vec<Sample> {
        self.rows.iter().map(|row| Sample { at: row.at, worth: row.worth }).collect()
    }
}

/// Live. Whoever dies on the way is read until then.
pub fn live(bench: &Bench<'_>, seed: u64, learning: bool) -> Result<Lived, Fail> {
    let mut file = bench.seeded(seed);
    file.mind.learning &= learning;
    let stand = bench.stand(&file)?;
    let watch = Watch::over(&stand)?;
    let (secret, genesis) = newborn(seed, bench.args.budget, &file.life(), &stand.world);
    let subject = Subject::on(&genesis, &secret, stand.world, stand.hands);
    let subject = if bench.wants_page && learning { subject.keeping(&KeptMind::TABLES) } else { subject };
    let mut on = Watched::new(subject, watch);
    for age in on.watch.ages() {
        bench.bar.inc(1);
        on.turns_before(age)?;
        let before = on.watch.look(age)?;
        on.pass(before.price);
        let moment = on.watch.moment(age);
        on.trades.price(moment, before.price);
        if on.subject.next_age() == age {
            on.turn();
        }
        let book = on.watch.book()?;
        on.write(moment, before, &book);
        if on.subject.is_dead() {
            break;
        }
    }
    Ok(on.end())
}

/// A golem under watch.
struct Watched {
    subject: Subject,
    watch: Watch,
    turns: u64,
    rows: Vec<BarRow>,
    trades: Trades,
    moved: Vec<Moved>,
    liquidity: Liquidity,
    gas: Usdc,
    /// What lies in the pool while the market goes on, and the price it was left at.
    in_pool: Option<(Held, f64)>,
    phases: [u64; 5],
    kept: KeptMind,
}

impl Watched {
    fn new(subject: Subject, watch: Watch) -> Self {
        let (rows, trades, moved) = (Vec::new(), Trades::default(), Vec::new());
        let (liquidity, gas, in_pool) = (Liquidity::default(), Usdc::ZERO, None);
        let (phases, kept) = ([0; 5], KeptMind::default());
        Self { subject, watch, turns: 0, rows, trades, moved, liquidity, gas, in_pool, phases, kept }
    }

    /// Turns between two bars come before the market goes on.
    fn turns_before(&mut self, age: VirtualTime) -> Result<(), Fail> {
        let before = self.turns;
        while self.subject.next_age() < age && self.turn() {}
        if self.turns > before {
            self.leave(&self.watch.book()?);
        }
        Ok(())
    }

    /// What the market finds in the pool when it goes on.
    fn leave(&mut self, book: &Book) {
        let position = book.position.filter(|p| p.liquidity > 0);
        self.in_pool = position.map(|p| (self.watch.held(&p), self.watch.price(book)));
    }

    fn turn(&mut self) -> bool {
        if !self.subject.turn() {
            return false;
        }
        self.turns += 1;
        for fact in &self.subject.facts {
            self.trades.see(fact);
            self.kept.see(fact.tick, &fact.body);
            match &fact.body {
                Fact::Life(LifeFact::Paid { purpose: Purpose::Gas | Purpose::Settlement, amount }) => {
                    self.gas = self.gas.plus(*amount);
                }
                Fact::Life(LifeFact::Outcome { verification, .. }) => {
                    let (outcome, before) = (&verification.tx_receipt.outcome, &verification.pre_state);
                    let (fees, fees_asset) = taken(outcome, before);
                    let [_, _, liquidity] = flows(outcome);
                    let (tick, number) = (verification.tick_number, verification.action_id);
                    self.moved.push(Moved { tick, number, liquidity, fees, fees_asset });
                }
                _ => {}
            }
        }
        self.kept.take(self.subject.take_written());
        true
    }

    /// The market has gone on: what lay in the pool has lost against rebalancing.
    fn pass(&mut self, price: f64) {
        if let Some((held, was)) = &self.in_pool {
            self.liquidity.bar(held, *was, price);
        }
    }

    fn write(&mut self, at: Timestamp, before: super::watch::BarSeen, book: &Book) {
        self.leave(book);
        let life = self.subject.life();
        let phase = life.awareness().phase;
        self.phases[phase as usize] += 1;
        let ledger = life.ledger();
        // What went home at the end is as good as there.
        let home = life.worth().minus(life.balance());
        self.rows.push(BarRow {
            at,
            worth: ledger.balance(fetched(book)).plus(home),
            liquid: ledger.liquid().plus(home),
            positions: fetched(book),
            owed: ledger.arrears,
            asset: book.asset,
            position: self.in_pool.map(|(held, _)| held),
            fees_owed: book.worth.fees,
            price_before: before.price,
            price: self.watch.price(book),
            gas_gwei: before.gas_gwei,
            phase,
        });
    }

    fn end(mut self) -> Lived {
        let status = self.subject.status();
        let to_come = self.rows.last().map_or(Usdc::ZERO, |row| row.fees_owed);
        self.liquidity.fees = self.trades.totals().fee_earned.plus(to_come);
        let death = status.death.clone().or_else(|| status.would_have_died_at.clone());
        self.kept.end(self.subject.life().grimoire(), self.watch.moment(VirtualTime::default()));
        let Self { turns, rows, trades, moved, liquidity, gas, phases, kept, .. } = self;
        Lived { status, turns, rows, trades, moved, liquidity, gas, phases, death, kept }
    }
}

/// Fees that came in with an act: whatever takes something out takes all that is owed.
fn taken(outcome: &Outcome, before: &Book) -> (Usdc, Asset) {
    match (outcome, before.position) {
        (Outcome::Removed { .. } | Outcome::Collected { .. } | Outcome::Moved { .. }, Some(position)) => {
            (position.fees, position.fees_asset)
        }
        _ => (Usdc::ZERO, Asset::ZERO),
    }
}
