//! Perturbed replay: some acts are run again on a copy of the chain as they were lived, and once more with something
//! gone wrong. An act that a little bad luck would have spoilt is fragile.

use super::rules::ReplayRules;
use super::select::ChosenEpisode;
use super::utility::{ReplayScene, size};
use golem_core::door::{ForkAct, ForkDeed, ForkFrom, ForkResult, ForkRun, MOST_FORK_RUNS, MOST_FORK_STEPS};
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::intent::Outcome;
use golem_core::{Intent, Point, Usdc};
use golem_grimoire::EpisodeId;
use golem_grimoire::episode::EpisodeDeed;

/// Where the draws begin among those of a tick, two for each episode.
const PERTURB_DRAW: u32 = 0x2000_0000;
/// Below so many hours of money nobody experiments any more.
const LEAST_LIFE_H: f64 = 24.0;
/// Deviations from what a preview said are taken to be no smaller than this, and are raised to the first of these rungs
/// that is at least twice as much.
const USUAL_DEVIATION_BPS: f64 = 15.0;
const SLIPPAGE_LADDER_BPS: [u32; 3] = [50, 100, 200];
const LATENCY_BLOCKS: u32 = 3;
const GAS_FACTOR: f64 = 5.0;
/// Ten minutes without data: the act comes so many ticks later.
const DROPOUT_TICKS: u32 = 15;
const DRAINED_BPS: u32 = 5_000;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Perturbation {
    /// Others are quicker: the price is at least twice as far from what the preview said.
    Slippage,
    /// It is mined three blocks late.
    Latency,
    /// Gas costs five times as much.
    Gas,
    /// Nothing is seen for ten minutes, and only then it acts.
    Dropout,
    /// Half of the liquidity is gone.
    Liquidity,
    /// What came after does not come: the price outside goes no way at all.
    Decorrelation,
}

impl Perturbation {
    pub const ALL: [Self; 6] =
        [Self::Slippage, Self::Latency, Self::Gas, Self::Dropout, Self::Liquidity, Self::Decorrelation];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        ["slippage", "latency", "gas", "dropout", "liquidity", "decorrelation"][self as usize]
    }
    /// By how many steps it delays the act.
    fn delay(self) -> u32 {
        match self {
            Self::Latency => LATENCY_BLOCKS,
            Self::Dropout => DROPOUT_TICKS,
            _ => 0,
        }
    }
    /// What it does to the market.
    fn weather(self, deed: &EpisodeDeed) -> Option<Happening> {
        match self {
            Self::Slippage => Some(slippage(deed)),
            Self::Gas => Some(Happening::Gas { factor: GAS_FACTOR }),
            Self::Liquidity => Some(Happening::LiquidityDrain { share_bps: DRAINED_BPS }),
            Self::Decorrelation => Some(Happening::Volatility { factor: 0.0 }),
            Self::Latency | Self::Dropout => None,
        }
    }
}

/// What was off between preview and receipt is raised to a rung of the ladder. A swap is front-run by as much as that
/// takes: whoever trades `m` times as much ahead of a swap makes its price worse by `2 m` times its own effect.
/// Liquidity is not swapped, so there others trade in between, the more the higher the rung.
fn slippage(deed: &EpisodeDeed) -> Happening {
    let said = deed.predicted_bps.zip(deed.actual_bps).map(|(said, came)| (said - came).abs());
    let off = said.filter(|off| off.is_finite()).unwrap_or(0.0).clamp(USUAL_DEVIATION_BPS, 10_000.0);
    let [.., highest] = SLIPPAGE_LADDER_BPS;
    let rung = SLIPPAGE_LADDER_BPS.into_iter().find(|rung| f64::from(*rung) >= 2.0 * off).unwrap_or(highest);
    match deed.intent {
        Intent::Buy { .. } | Intent::Sell { .. } => {
            let times = ((f64::from(rung) / off - 1.0) / 2.0).max(0.5);
            Happening::Sandwich { times, every: 1 }
        }
        _ => {
            let size_usdc = Usdc(size(deed).0.clamp(1_000_000, 1_000_000_000_000));
            Happening::Rivals { trades: (rung * 16 / highest).clamp(1, 16), size_usdc }
        }
    }
}

/// An act that is run twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerturbPlan {
    pub episode: EpisodeId,
    pub what: Perturbation,
}

/// What is tried: for each plan two runs, as it was and with the change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PerturbAsk {
    pub plans: Vec<PerturbPlan>,
    pub runs: Vec<ForkRun>,
}

/// What a change did to an act.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerturbScore {
    pub plan: PerturbPlan,
    /// What the change cost, in basis points of what there was before the act.
    pub cost_bps: f64,
    /// True when it was not done at all: its own bounds kept it back.
    pub refused: bool,
    pub fragile: bool,
}

/// Which of the chosen acts are run again, and how. Dice decide for each alone, so that choosing another episode too
/// changes nothing here.
#[must_use]
pub fn ask(scene: &ReplayScene<'_>, chosen: &[ChosenEpisode<'_>]) -> PerturbAsk {
    let mut asked = PerturbAsk::default();
    if scene.seen.projected_life_h.is_some_and(|h| h < LEAST_LIFE_H) {
        return asked;
    }
    for episode in chosen.iter().map(|c| c.of.episode) {
        let Some(deed) = episode.deed.as_ref().filter(|d| can_be_run(d)) else { continue };
        let (tick, draw) = (scene.seen.tick.0, PERTURB_DRAW.wrapping_add((episode.id.0 as u32).wrapping_mul(2)));
        let all = Perturbation::ALL;
        let is_hit = scene.dice.uniform(tick, draw) < scene.rules.perturbation_rate;
        if !is_hit || asked.runs.len() + 2 > MOST_FORK_RUNS {
            continue;
        }
        let what = all[(scene.dice.bits(tick, draw.wrapping_add(1)) % all.len() as u64) as usize];
        asked.plans.push(PerturbPlan { episode: episode.id, what });
        asked.runs.extend(pair(scene.rules, deed, what));
    }
    asked
}

/// True for what happened at a place on the chain.
fn can_be_run(deed: &EpisodeDeed) -> bool {
    deed.was_carried_out() && deed.intent != Intent::Hold && deed.point != Point::default()
}

/// The act as it was, and with the change, over the same steps.
fn pair(rules: &ReplayRules, deed: &EpisodeDeed, what: Perturbation) -> [ForkRun; 2] {
    let steps = rules.perturb_steps.clamp(DROPOUT_TICKS, MOST_FORK_STEPS);
    // The very actions that were lived, and anew what comes later: then nothing is where it was.
    let act =
        |after: u32| ForkAct { after, what: if after == 0 { ForkDeed::AsLived } else { ForkDeed::Once(deed.intent) } };
    let run = |after: u32, weather: Option<Happening>| ForkRun {
        from: ForkFrom::Lived(deed.point),
        acts: vec![act(after)],
        weather: weather
            .map(|what| ScenarioEvent { at_tick: 0, for_ticks: u64::from(steps) + 1, what })
            .into_iter()
            .collect(),
        steps,
    };
    [run(0, None), run(what.delay(), what.weather(deed))]
}

/// What the runs say. What has no result, or not over the same steps, says nothing.
#[must_use]
pub fn take(rules: &ReplayRules, plans: &[PerturbPlan], results: &[ForkResult]) -> Vec<PerturbScore> {
    let scored = plans.iter().zip(results.chunks_exact(2)).filter_map(|(plan, pair)| {
        let [Ok(plain), Ok(changed)] = pair else { return None };
        if plain.steps != changed.steps || plain.before == Usdc::ZERO {
            return None;
        }
        let cost = i128::from(plain.after.0) - i128::from(changed.after.0);
        let before = i128::from(plain.before.0);
        Some(PerturbScore {
            plan: *plan,
            cost_bps: cost as f64 / before as f64 * 1e4,
            refused: changed.acted.iter().any(|a| matches!(a.outcome, Outcome::Refused { .. })),
            fragile: cost * 10_000 > i128::from(rules.fragile_bps) * before,
        })
    });
    scored.collect()
}
