//! The golem as its dreams see it.

use crate::dreaming::{HourWorth, recent_loss};
use crate::life::Life;
use golem_core::{Elapsed, Usdc};
use golem_dreams::calm::{DepotentiationParams, unresolved};
use golem_dreams::cycle::{DreamCycle, DreamStats, HeldNow};
use golem_dreams::{DreamSeen, DreamState};
use golem_mortality::BehavioralPhase;
use golem_mortality::economic::Partition;

/// The latest episodes whose arousal counts.
const STIRRING: usize = 20;
/// Losses are looked for within this time, from one hour to the next.
const LOSSES_WITHIN: Elapsed = Elapsed::secs(86_400);
const HOUR: Elapsed = Elapsed::secs(3_600);
/// More than this above its usual volatility, the market is active.
const ACTIVE_FROM: f64 = 1.5;
/// Bounds of the volatility's fifths, as multiples of what is usual.
const FIFTHS: [f64; 4] = [0.6, 0.85, 1.15, 1.5];

impl Life {
    /// Look at oneself, once a turn, while what was observed is at hand.
    pub(crate) fn see_for_dreams(&mut self) {
        if self.state.dreams.is_none() {
            return;
        }
        let (now, worth, put_in) = (self.state.core.age, self.balance(), self.put_in());
        if let Some(dreaming) = &mut self.state.dreams
            && dreaming.worths.last().is_none_or(|then| now.since(then.at) >= HOUR)
        {
            dreaming.worths.push(HourWorth { at: now, worth, put_in });
            dreaming.worths.retain(|then| now.since(then.at) <= LOSSES_WITHIN);
        }
        let turn = Elapsed::secs(self.genesis.interval_s);
        if self.state.dreams.as_ref().is_some_and(|dreaming| dreaming.memory.wants(now)) {
            let seen = self.observed();
            if let Some(dreaming) = &mut self.state.dreams {
                dreaming.memory.note(now, turn, &seen);
            }
        }
        self.turn.dream_seen = Some(self.dream_seen());
    }

    pub(crate) fn dream_seen(&self) -> DreamSeen {
        let (state, core) = (&self.state, &self.state.core);
        let aware = self.awareness();
        let shelf = self.grimoire.as_ref().map(golem_grimoire::Grimoire::shelf);
        let episodes = shelf.map_or(0, |s| s.episode_count() as u64);
        let dreaming = state.dreams.as_ref();
        let unreplayed = dreaming.map_or(0, |d| d.memory.unreplayed(episodes));
        let calm = DepotentiationParams::default();
        let stirring = shelf.map_or(0.0, |s| unresolved(s.episodes().rev().take(STIRRING), &calm, core.age));
        let lost = dreaming.map_or(0.0, |d| recent_loss(&d.worths, self.balance(), self.put_in()));
        let heat = self.volatility_ratio();
        let operating = state.ledger.operating();
        // Where all credit is legacy, legacy pays for whatever is still thought: otherwise no terminal golem could dream. Its
        // one dream costs nothing, so that a share of nothing is enough.
        let terminal = self.phase() == BehavioralPhase::Terminal;
        let payer = if terminal { Partition::Legacy } else { Partition::Llm };
        let purse = state.ledger.purses[payer.index()];
        DreamSeen {
            tick: core.tick,
            now: core.age,
            at: core.at,
            phase: self.phase(),
            fitness: state.mortality.vitality.epistemic,
            age_ratio: state.mortality.vitality.age_factor,
            projected_life_h: aware.projected_life_h,
            regime: state.mind.regime(),
            volatility_fifth: 1 + FIFTHS.iter().filter(|bound| heat > **bound).count() as u8,
            surprise: state.mind.senses().surprise(),
            episodes,
            unreplayed,
            unresolved_arousal: stirring,
            recent_loss: lost,
            model_purse_share: match operating {
                Usdc::ZERO => f64::from(u8::from(terminal)),
                operating => purse.0 as f64 / operating.0 as f64,
            },
            permit_pending: state.cage.has_open_permit(core.tick),
            market_active: heat > ACTIVE_FROM,
            suffering: state.inner.suffering.as_ref().map_or(0.0, golem_daimon::suffering::Suffering::load),
            unresolved_patterns: self.turn.unresolved,
        }
    }

    /// What was put in since birth, less what went home, in micro-USDC.
    fn put_in(&self) -> i128 {
        let home = i128::from(self.worth().0) - i128::from(self.balance().0);
        i128::from(self.state.ledger.fed.0) - home
    }

    fn volatility_ratio(&self) -> f64 {
        let senses = self.state.mind.senses();
        let usual = senses.usual_vol().map(|u| u.mean);
        senses.vol().zip(usual).map_or(1.0, |(v, usual)| libm::exp(v.last - usual))
    }

    /// What it holds, as far as dreams need to know.
    pub(crate) fn held_now(&self) -> HeldNow {
        let portfolio = &self.state.portfolio;
        HeldNow {
            holdings: portfolio.holdings(&self.state.ledger, self.spendable_capital()),
            worth: self.balance(),
            exposure: self.state.core.exposure,
            trade: self.state.diary.trade,
            in_trade: self.state.diary.in_trade,
        }
    }

    /// Its dreams at a glance, where they are on.
    pub(crate) fn dream_stats(&self) -> Option<DreamStats> {
        let (dreaming, core) = (self.state.dreams.as_ref()?, &self.state.core);
        let (cycle, scheduler) = (dreaming.cycle.as_ref(), &dreaming.scheduler);
        let (spent, remaining) = cycle.map(DreamCycle::money).unwrap_or_default();
        let journal = cycle.map(DreamCycle::journal);
        let state = DreamState {
            mode: core.mode,
            tier: cycle.map_or(self.genesis.settings.dream.tier, DreamCycle::tier),
            current_phase: cycle.map(DreamCycle::phase),
            cycle_number: u32::try_from(scheduler.cycles_since_birth).unwrap_or(u32::MAX),
            total_cycles_this_window: scheduler.sessions.now().cycles,
            budget_remaining: remaining,
            budget_spent: spent,
            episodes_replayed: journal.map_or(0, |j| j.phase1_summary.episodes_replayed),
            hypotheses_generated: journal.map_or(0, |j| j.phase2_summary.creative_hypotheses.len() as u32),
            threats_simulated: journal.map_or(0, |j| j.phase2_summary.threats_simulated.len() as u32),
            dream_start_tick: cycle.map(DreamCycle::began).unwrap_or_default(),
            last_dream_tick: scheduler.last_dream_tick.unwrap_or_default(),
            urgency: scheduler.urgency,
            episode_count: self.grimoire.as_ref().map_or(0, |g| g.shelf().episode_count() as u64),
        };
        Some(dreaming.memory.stats(state))
    }
}
