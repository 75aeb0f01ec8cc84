//! Every number of the mortality rules that an owner may change: defaults, ranges and the rules between them.

mod affect;
mod dying;

pub use affect::{AffectConfig, AppraisalModel, ChannelSwitches, Personality, Temperament};
pub use dying::DyingConfig;

use golem_core::problem::{Problem, ranges};
use golem_core::{Elapsed, Usdc};
use serde::{Deserialize, Serialize};

/// `[mortality]`: the seed's six groups.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MortalityConfig {
    /// Measure everything, enforce nothing, and stay Thriving: the control group of the mortality hypothesis.
    pub immortal: bool,
    /// Whether a death ends the life, or is recorded beside it.
    pub deaths: Deaths,
    /// The economic clock.
    pub economic: EconomicConfig,
    /// The epistemic clock.
    pub epistemic: EpistemicConfig,
    /// The stochastic clock.
    pub stochastic: StochasticConfig,
    /// How affect colours the response to mortality.
    pub affect: AffectConfig,
    /// How the clocks combine.
    pub vitality: VitalityConfig,
    /// How long dying may take.
    pub dying: DyingConfig,
}

/// What becomes of a death by one of the three clocks. Orders to die are obeyed either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deaths {
    /// It ends the life.
    #[default]
    Enforced,
    /// The first one is written down, and the life goes on in whatever phase its clocks give: phases act as they would.
    /// For backtests and experiments that look past a death.
    Recorded,
}

/// `[mortality.economic]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EconomicConfig {
    /// False for self-hosted golems, whose owner pays out of band; the economic component is then 1.
    pub enabled: bool,
    /// The least reserve, in USDC.
    #[serde(with = "golem_core::money::as_text")]
    pub death_reserve_floor_usdc: Usdc,
    /// The least reserve as a share of funding.
    pub death_reserve_proportional: f64,
    /// `mortality.economic_critical` below this.
    pub conservation_threshold: f64,
    /// Share of funding that becomes operating credit; the rest is capital.
    pub operating_share: f64,
    /// Share of realised profit that refills operating credit.
    pub refill_share: f64,
    /// Rent of the machine, in USDC per virtual hour.
    #[serde(with = "golem_core::money::as_text")]
    pub compute_usdc_per_hour: Usdc,
    /// Price of one insurance snapshot, in USDC.
    #[serde(with = "golem_core::money::as_text")]
    pub snapshot_usdc: Usdc,
    /// Price of the market feed, in USDC per virtual day.
    #[serde(with = "golem_core::money::as_text")]
    pub data_usdc_per_day: Usdc,
    /// How operating credit is divided.
    pub partitions: PartitionShares,
    /// Share of a partition that may be spent on wishes within one virtual day.
    pub daily_caps: PartitionShares,
}

/// Shares of the three working partitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartitionShares {
    /// Inference and compute.
    pub llm: f64,
    /// Transactions.
    pub gas: f64,
    /// Feeds and snapshots.
    pub data: f64,
}

impl Default for EconomicConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            death_reserve_floor_usdc: Usdc(300_000),
            death_reserve_proportional: 0.02,
            conservation_threshold: 0.30,
            operating_share: 0.40,
            refill_share: 0.50,
            compute_usdc_per_hour: Usdc(7_000),
            snapshot_usdc: Usdc(10_000),
            data_usdc_per_day: Usdc(20_000),
            partitions: PartitionShares { llm: 0.60, gas: 0.25, data: 0.15 },
            daily_caps: PartitionShares { llm: 0.20, gas: 0.30, data: 0.25 },
        }
    }
}

/// What the judged accuracy is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Losses against those of the naive rule, over five days: 0.30 is as good as naive.
    #[default]
    Skill,
    /// The seed's R2 over the last 100 pairs.
    RSquared,
}

/// How much each domain weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shares {
    /// By what can be told apart: what hardly ever changes and what is exact are reported and weigh nothing.
    #[default]
    Measured,
    /// The seed's.
    Seed,
}

/// `[mortality.epistemic]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EpistemicConfig {
    /// Always true outside experiments.
    pub enabled: bool,
    /// Skill or R2.
    pub measure: Measure,
    /// How much each domain weighs.
    pub shares: Shares,
    /// Below this and behind a newborn for the grace period: senescent.
    pub senescence_threshold: f64,
    /// Above this and ahead of a newborn: recovered.
    pub recovery_threshold: f64,
    /// Behind a newborn by more than this, in usual losses of the naive rule: senescent at any fitness.
    pub newborn_margin: f64,
    /// Nominal ticks of it before senescence is confirmed.
    pub recovery_grace_period: u64,
    /// Nominal ticks of senescence that a golem can live through.
    pub senescence_max_ticks: u64,
    /// Settled forecasts before a domain counts.
    pub minimum_predictions: u32,
}

impl Default for EpistemicConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            measure: Measure::Skill,
            shares: Shares::Measured,
            senescence_threshold: 0.35,
            recovery_threshold: 0.45,
            newborn_margin: 0.02,
            recovery_grace_period: 500,
            senescence_max_ticks: 10_800,
            minimum_predictions: 50,
        }
    }
}

/// `[mortality.stochastic]`: Gompertz and Makeham's hazard with an epistemic frailty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StochasticConfig {
    /// Always true outside experiments.
    pub enabled: bool,
    /// Makeham's constant, per nominal tick.
    pub base_hazard_rate: f64,
    /// Gompertz's level, per nominal tick.
    pub age_hazard_coefficient: f64,
    /// Gompertz's slope, per nominal tick.
    pub aging_rate: f64,
    /// Frailty of a golem with fitness 0.
    pub epistemic_hazard_multiplier: f64,
    /// No hazard is higher.
    pub max_hazard_rate: f64,
}

impl Default for StochasticConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            base_hazard_rate: 1e-6,
            age_hazard_coefficient: 1e-8,
            aging_rate: 5e-5,
            epistemic_hazard_multiplier: 3.0,
            max_hazard_rate: 1e-3,
        }
    }
}

/// `[mortality.vitality]`: the seed's `VitalityConfig`, and the hysteresis of phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VitalityConfig {
    /// Below this, economic vitality drops sharply.
    pub economic_center: f64,
    /// How sharply.
    pub economic_steepness: f64,
    /// Below this, epistemic vitality drops sharply.
    pub epistemic_center: f64,
    /// How sharply.
    pub epistemic_steepness: f64,
    /// Drag at the reference lifespan.
    pub age_drag: f64,
    /// Nominal ticks at which the age factor is 1.
    pub reference_lifespan: u64,
    /// Climbing needs this much more than the threshold.
    pub hysteresis: f64,
    /// Turns of the vigil.
    pub vigil_turns: u64,
}

impl Default for VitalityConfig {
    fn default() -> Self {
        Self {
            economic_center: 0.3,
            economic_steepness: 10.0,
            epistemic_center: 0.4,
            epistemic_steepness: 8.0,
            age_drag: 0.3,
            reference_lifespan: 200_000,
            hysteresis: 0.05,
            vigil_turns: 50,
        }
    }
}

impl MortalityConfig {
    /// Whether the clocks can end a life under these settings.
    #[must_use]
    pub fn kills(&self) -> bool {
        !self.immortal && self.deaths == Deaths::Enforced
    }

    /// Every problem with these settings, with the key it belongs to.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        let under = |table: &'static str| move |p: Problem| p.under(table);
        all.extend(self.economic.problems().into_iter().map(under("economic")));
        all.extend(self.epistemic.problems().into_iter().map(under("epistemic")));
        all.extend(self.stochastic.problems().into_iter().map(under("stochastic")));
        all.extend(self.affect.problems().into_iter().map(under("affect")));
        all.extend(self.vitality.problems().into_iter().map(under("vitality")));
        all.extend(self.dying.problems().into_iter().map(under("dying")));
        all
    }
}

impl EconomicConfig {
    fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("death_reserve_proportional", self.death_reserve_proportional, 0.01, 0.10),
            ("conservation_threshold", self.conservation_threshold, 0.10, 0.50),
            ("operating_share", self.operating_share, 0.05, 1.0),
            ("refill_share", self.refill_share, 0.0, 1.0),
            ("partitions.llm", self.partitions.llm, 0.0, 1.0),
            ("partitions.gas", self.partitions.gas, 0.0, 1.0),
            ("partitions.data", self.partitions.data, 0.0, 1.0),
            ("daily_caps.llm", self.daily_caps.llm, 0.0, 1.0),
            ("daily_caps.gas", self.daily_caps.gas, 0.0, 1.0),
            ("daily_caps.data", self.daily_caps.data, 0.0, 1.0),
        ]);
        for (key, amount, least) in [
            ("death_reserve_floor_usdc", self.death_reserve_floor_usdc, Usdc(100_000)),
            ("compute_usdc_per_hour", self.compute_usdc_per_hour, Usdc::ZERO),
            ("snapshot_usdc", self.snapshot_usdc, Usdc::ZERO),
            ("data_usdc_per_day", self.data_usdc_per_day, Usdc::ZERO),
        ] {
            if amount < least {
                all.push(Problem::new(key, format!("{amount} is below the least of {least}")));
            }
            if amount > Usdc::whole(1_000_000) {
                all.push(Problem::new(key, format!("{amount} is not a price anyone pays")));
            }
        }
        let sum = self.partitions.llm + self.partitions.gas + self.partitions.data;
        if (sum - 1.0).abs() > 1e-9 {
            all.push(Problem::new("partitions", format!("llm + gas + data is {sum}; it must be 1")));
        }
        all
    }
}

impl EpistemicConfig {
    fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("senescence_threshold", self.senescence_threshold, 0.20, 0.60),
            ("recovery_threshold", self.recovery_threshold, 0.20, 0.90),
            ("newborn_margin", self.newborn_margin, -1.0, 1.0),
            ("recovery_grace_period", self.recovery_grace_period as f64, 100.0, 2_000.0),
            ("senescence_max_ticks", self.senescence_max_ticks as f64, 100.0, 1_000_000.0),
            ("minimum_predictions", f64::from(self.minimum_predictions), 10.0, 500.0),
        ]);
        if self.recovery_threshold <= self.senescence_threshold {
            all.push(Problem::new("recovery_threshold", "must lie above senescence_threshold"));
        }
        all
    }
    /// Whether a newborn would know better. By R2 nobody else is asked, as the seed has it.
    #[must_use]
    pub fn is_stale(&self, fitness: f64, lead: f64) -> bool {
        let low = fitness.is_nan() || fitness < self.senescence_threshold;
        match self.measure {
            Measure::Skill => (low && lead < 0.0) || lead < -self.newborn_margin,
            Measure::RSquared => low,
        }
    }
    /// Whether that is over.
    #[must_use]
    pub fn is_recovered(&self, fitness: f64, lead: f64) -> bool {
        fitness > self.recovery_threshold && (lead > 0.0 || self.measure == Measure::RSquared)
    }
    /// The grace period as virtual time.
    #[must_use]
    pub fn grace(&self) -> Elapsed {
        Elapsed::nominal(self.recovery_grace_period)
    }
    /// The longest senescence as virtual time.
    #[must_use]
    pub fn limit(&self) -> Elapsed {
        Elapsed::nominal(self.senescence_max_ticks)
    }
}

impl StochasticConfig {
    fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("base_hazard_rate", self.base_hazard_rate, 1e-8, 1e-4),
            ("age_hazard_coefficient", self.age_hazard_coefficient, 0.0, 1e-3),
            ("aging_rate", self.aging_rate, 0.0, 1e-2),
            ("epistemic_hazard_multiplier", self.epistemic_hazard_multiplier, 1.0, 10.0),
            ("max_hazard_rate", self.max_hazard_rate, 1e-8, 0.01),
        ]);
        if self.max_hazard_rate < self.base_hazard_rate {
            all.push(Problem::new("max_hazard_rate", "must not lie below base_hazard_rate"));
        }
        all
    }
}

impl VitalityConfig {
    fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("economic_center", self.economic_center, 0.0, 1.0),
            ("economic_steepness", self.economic_steepness, 0.1, 100.0),
            ("epistemic_center", self.epistemic_center, 0.0, 1.0),
            ("epistemic_steepness", self.epistemic_steepness, 0.1, 100.0),
            ("age_drag", self.age_drag, 0.0, 1.0),
            ("reference_lifespan", self.reference_lifespan as f64, 1_000.0, 1e9),
            ("hysteresis", self.hysteresis, 0.0, 0.2),
            ("vigil_turns", self.vigil_turns as f64, 1.0, 10_000.0),
        ])
    }
}
