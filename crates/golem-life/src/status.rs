//! What others see of a life between turns: one record for readers and surfaces, and a short one for the downsampled series.

use crate::heartbeat::Heartbeat;
use crate::life::Life;
use crate::positions::OpenPosition;
use crate::turn_end::LifeStanding;
use golem_cage::CageStatus;
use golem_core::allowance::Thought;
use golem_core::intent::Asset;
use golem_core::{GolemId, Name, Positive, Regime, Tick, Timestamp, Usdc, UsdcDelta};
use golem_daimon::affect::{AffectStatus, Pad};
use golem_daimon::gate::{Figures, locked};
use golem_daimon::suffering::{Band, SufferingSeen, SufferingStatus};
use golem_dreams::cycle::DreamStats;
use golem_dreams::phage::PhageStats;
use golem_grimoire::grimoire::AttributedProfit;
use golem_mind::Scores;
use golem_mortality::epistemic::Senescence;
use golem_mortality::info::{BitsBudget, MiDiagnostics, bits_budget};
use golem_mortality::stochastic::{HazardBand, survival_24h};
use golem_mortality::{BehavioralPhase, CorticalState, Death, Domain, GolemMode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A life at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub id: GolemId,
    pub name: Name,
    /// The last finished turn.
    pub tick: Tick,
    /// Age in nominal ticks.
    pub age_ticks: u64,
    pub age_days: f64,
    /// When, for people.
    pub at: Timestamp,
    /// Alive, paused or dead.
    pub standing: LifeStanding,
    pub phase: BehavioralPhase,
    /// The phase that the clocks give; differs for an immortal only.
    pub shadow_phase: BehavioralPhase,
    /// Waking, dreaming, dying.
    pub mode: GolemMode,
    /// Where in a turn it is.
    pub heartbeat: Heartbeat,
    /// The composite and its parts.
    pub vitality: VitalityView,
    /// Fitness by domain, where a domain counts.
    pub domains: BTreeMap<String, f64>,
    /// Share of three-way classes (up, down, flat and so on) that were right, by domain.
    pub hit_rates: BTreeMap<String, f64>,
    /// How far it has fallen behind the world.
    #[serde(default)]
    pub senescence: Senescence,
    /// How much more a newborn of its kind loses, in usual losses of the naive rule: below 0 a child would know better.
    #[serde(default)]
    pub lead: f64,
    /// Change of fitness over the last 100 nominal ticks.
    pub fitness_trend: f64,
    /// How the forecasts of each domain have done.
    pub forecasts: Vec<Scores>,
    /// Its dreams, where they are on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dreams: Option<DreamStats>,
    /// What rules that others learnt brought to it, by who learnt them first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributed: Vec<AttributedProfit>,
    /// Its short-lived children, where they are on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phages: Option<PhageStats>,
    /// What thinking has cost today.
    pub thought: Thought,
    /// Net asset value.
    #[serde(rename = "balance_micro_usdc")]
    pub balance: Usdc,
    /// What has gone home to its owner, once anything has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<HomeStatus>,
    /// The chain's coin in its account, which pays for gas: where somebody else makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coin: Option<Asset>,
    /// Liquid operating credit.
    #[serde(rename = "operating_micro_usdc")]
    pub operating: Usdc,
    /// Liquid capital.
    #[serde(rename = "capital_micro_usdc")]
    pub capital: Usdc,
    /// What open positions would fetch.
    #[serde(rename = "positions_micro_usdc")]
    pub positions: Usdc,
    /// What is open, one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenPosition>,
    /// Locked reserve.
    #[serde(rename = "reserve_micro_usdc")]
    pub reserve: Usdc,
    /// Given at birth and later.
    #[serde(rename = "funded_micro_usdc")]
    pub funded: Usdc,
    /// Paid for living.
    #[serde(rename = "spent_micro_usdc")]
    pub spent: Usdc,
    /// Realised profit less realised loss.
    #[serde(rename = "earned_micro_usdc")]
    pub earned: UsdcDelta,
    /// What living costs per nominal tick, micro-USDC.
    pub burn_rate_micro_usdc_per_tick: f64,
    /// Hours left at that burn; none when nothing burns.
    pub projected_life_h: Option<f64>,
    /// Hazard per nominal tick.
    pub hazard_rate: f64,
    /// The same for people.
    pub hazard_band: HazardBand,
    /// Probability of surviving the next 24 h.
    pub survival_24h: f64,
    /// Actions carried out.
    pub trades: u64,
    /// Share of net asset value that follows the price.
    pub exposure: f64,
    pub regime: Regime,
    pub price: Option<f64>,
    /// What the gate has closed, why, and what would lift it.
    pub locked: Vec<String>,
    /// What it feels, where affect is on.
    pub affect: Option<AffectStatus>,
    /// How heavy suffering is, from 0 to 1, where it is on.
    pub load: Option<f64>,
    pub band: Option<Band>,
    /// Every stressor, with its evidence and what would ease it.
    pub suffering: Option<SufferingStatus>,
    /// The self-model.
    pub cortical: CorticalState,
    /// The information diagnostics, where they are on. They advise; they never kill.
    pub information: Option<MiDiagnostics>,
    /// What it would need to know to stay Stable, in bits.
    pub bits_budget: Option<BitsBudget>,
    /// The cage: halt, breaker, limits and how much of them is used.
    pub cage: CageStatus,
    /// Turns of the vigil so far.
    pub vigil: Option<u64>,
    /// The first death that was lived through: by an immortal, or where deaths are only recorded.
    pub would_have_died_at: Option<Death>,
    pub death: Option<Death>,
}

impl Status {
    /// How a life stands after its last turn.
    pub(crate) fn of(life: &Life) -> Self {
        let (m, core, config) = (&life.state.mortality, &life.state.core, &life.genesis.settings.mortality);
        let (balance, awareness) = (life.balance(), life.awareness());
        let survival = survival_24h(core.age.nominal(), m.epistemic.fitness, &config.stochastic);
        let information = life.state.info.as_ref().map(|d| d.information.diagnostics().clone());
        let signals = information.as_ref().and_then(|i| i.cortical());
        let bits_budget =
            information.as_ref().and_then(|i| bits_budget(i, &life.genesis.settings.diagnostics.information));
        let (inner, recorded, snapshot) = (&life.state.inner, life.recorded(), life.observed());
        let seen = SufferingSeen { now: core.age, recorded: &recorded, snapshot: &snapshot };
        let suffering = inner.suffering.as_ref().map(|s| s.status(seen));
        let load = suffering.as_ref().map_or(0.0, |s| s.load);
        let figures = Figures { vitality: m.vitality.composite, hysteresis: config.vitality.hysteresis, load };
        let price = life.state.portfolio.price.map(Positive::get);
        let gas = life.state.portfolio.gas_gwei.map(Positive::get);
        let regime = life.state.mind.regime();
        let domain = |d: Domain| m.epistemic.domain_fitness(d, &config.epistemic).map(|f| (d.name().to_owned(), f));
        Self {
            id: life.genesis.birth.id,
            name: life.genesis.birth.name.clone(),
            tick: core.tick,
            age_ticks: core.age.age().nominal_floor(),
            age_days: core.age.age().as_days(),
            at: core.at,
            standing: life.standing(),
            phase: m.vitality.phase,
            shadow_phase: m.shadow_phase,
            mode: core.mode,
            heartbeat: core.heartbeat,
            vitality: VitalityView {
                economic: m.vitality.economic,
                epistemic: m.vitality.epistemic,
                age_factor: m.vitality.age_factor,
                composite: m.vitality.composite,
            },
            domains: Domain::ALL.into_iter().filter_map(domain).collect(),
            hit_rates: Domain::ALL
                .into_iter()
                .filter_map(|d| m.epistemic.domains[d.index()].hit_rate().map(|r| (d.name().to_owned(), r)))
                .collect(),
            senescence: m.epistemic.senescence,
            lead: m.epistemic.lead,
            fitness_trend: m.epistemic.trend,
            dreams: life.dream_stats(),
            attributed: life.owed(),
            phages: life.phage_stats(),
            forecasts: Domain::ALL
                .into_iter()
                .map(|d| life.state.mind.forecasters().scores(d, &m.epistemic.domains[d.index()]))
                .collect(),
            thought: life.state.thought.today(core.age),
            balance,
            home: HomeStatus::of(life),
            coin: life.state.gas.map(|gas| gas.coin),
            operating: life.state.ledger.operating(),
            capital: life.state.ledger.capital,
            positions: life.state.portfolio.value(),
            open: life.state.portfolio.positions(),
            reserve: life.reserve(),
            funded: life.state.ledger.funded.plus(life.state.ledger.fed),
            spent: life.state.ledger.spent,
            earned: core.profit.delta(core.loss),
            burn_rate_micro_usdc_per_tick: life.state.ledger.burn.per_tick(),
            projected_life_h: awareness.projected_life_h,
            hazard_rate: m.stochastic.current_hazard,
            hazard_band: HazardBand::of(m.stochastic.current_hazard),
            survival_24h: survival,
            trades: core.trades,
            exposure: core.exposure,
            regime,
            price,
            locked: locked(&life.situation())
                .iter()
                .map(|(_, denied)| format!("{denied}; lifted by {}", denied.lifted_by_at(figures)))
                .collect(),
            affect: inner.affect.as_ref().and_then(|a| a.status(life.affect_config())),
            load: suffering.as_ref().map(|s| s.load),
            band: suffering.as_ref().map(|s| s.band),
            suffering,
            cortical: CorticalState::of(m, config, survival, signals, regime, gas),
            information,
            bits_budget,
            cage: life.state.cage.status(&life.genesis.settings.cage),
            vigil: m.vigil,
            would_have_died_at: m.would_have_died_at.clone(),
            death: m.death.clone(),
        }
    }
}

impl Status {
    /// What it is worth together with what it has sent home.
    #[must_use]
    pub fn worth(&self) -> Usdc {
        self.home.map_or(self.balance, |home| self.balance.plus(home.worth))
    }
}

/// What has gone home, and what is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeStatus {
    /// USDC that went.
    #[serde(rename = "usdc_micro_usdc")]
    pub usdc: Usdc,
    /// Of it, what it had spent before: that is settled off the chain.
    #[serde(rename = "spent_before_micro_usdc")]
    pub spent_before: Usdc,
    pub asset: Asset,
    /// The chain's coin that went; it is in no book, and no part of what it is worth.
    pub coin: Asset,
    /// All of it but what was spent before, at what it was worth when it went.
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    /// The order whose withdrawal is open.
    pub withdrawing: Option<u64>,
}

impl HomeStatus {
    fn of(life: &Life) -> Option<Self> {
        let home = life.state.homegoing.as_ref()?;
        Some(Self {
            usdc: home.usdc,
            spent_before: home.spent_before,
            asset: home.asset,
            coin: home.coin,
            worth: life.worth().minus(life.balance()),
            withdrawing: home.withdrawal.as_ref().map(|open| open.order),
        })
    }
}

/// A life at a moment, as short as a chart needs it: a point of the downsampled series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LifePoint {
    /// Turns lived.
    pub tick: Tick,
    /// Virtual age in days.
    pub age_days: f64,
    pub phase: BehavioralPhase,
    pub vitality: VitalityView,
    pub domains: BTreeMap<String, f64>,
    /// How much more a newborn loses.
    #[serde(default)]
    pub lead: f64,
    /// Net asset value.
    #[serde(rename = "balance_micro_usdc")]
    pub balance: Usdc,
    /// Of it, for living.
    #[serde(rename = "operating_micro_usdc")]
    pub operating: Usdc,
    /// Of it, in positions.
    #[serde(rename = "positions_micro_usdc")]
    pub positions: Usdc,
    /// Spent on living so far.
    #[serde(rename = "spent_micro_usdc")]
    pub spent: Usdc,
    /// The chance of dying in a nominal tick.
    pub hazard_rate: f64,
    /// Actions carried out.
    pub trades: u64,
    /// The share of wealth that moves with the price.
    pub exposure: f64,
    pub regime: Regime,
    pub price: Option<f64>,
    /// Mood, as pleasure, arousal and dominance.
    pub mood: Option<Pad>,
    pub load: Option<f64>,
    /// Information of actions about the market, in bits.
    pub mi_bits: Option<f64>,
}

impl From<Status> for LifePoint {
    fn from(s: Status) -> Self {
        // What goes home at the end is no loss.
        let balance = if s.death.is_some() { s.worth() } else { s.balance };
        Self {
            tick: s.tick,
            age_days: s.age_days,
            phase: s.phase,
            vitality: s.vitality,
            domains: s.domains,
            lead: s.lead,
            balance,
            operating: s.operating,
            positions: s.positions,
            spent: s.spent,
            hazard_rate: s.hazard_rate,
            trades: s.trades,
            exposure: s.exposure,
            regime: s.regime,
            price: s.price,
            mood: s.affect.map(|a| a.mood_pad),
            load: s.load,
            mi_bits: s.information.and_then(|i| i.mi_bits),
        }
    }
}

/// `vitality{economic, epistemic, age_factor, composite}`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VitalityView {
    pub economic: f64,
    pub epistemic: f64,
    /// Nominal age over the reference lifespan.
    pub age_factor: f64,
    /// What drives the phases.
    pub composite: f64,
}
