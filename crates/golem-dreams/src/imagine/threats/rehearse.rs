//! One threat, lived through on copies of the present: once for each response, with what is held now.

use super::guard::{ActiveGuard, coverage};
use crate::imagine::catalogue::{BEGINS, ThreatCard, by_id, price_factor};
use crate::imagine::score::{loss_bps, was_refused, worst_bps};
use crate::journal::{ThreatCoverage, ThreatSimulated};
use golem_core::door::{ForkAct, ForkDeed, ForkFrom, ForkResult, ForkRun};
use golem_core::happening::ScenarioEvent;
use golem_core::intent::Holdings;
use golem_core::{Asset, Intent, Usdc};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is held is valued so long after a threat's time: gas and liquidity are as usual again by then.
const AFTERMATH: u32 = 5;
/// Why a response has no moment.
const UNNOTICED: &str = "this time it would not be noticed";
/// What is missing of one threat is told in so many lines at most.
const MOST_GAPS: usize = 4;
/// Losses at which it may give up, in basis points of wealth.
const STOPS_BPS: [u32; 2] = [200, 500];

/// What can be done about a threat. All of it takes risk away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreatResponse {
    DoNothing,
    /// Everything out, as soon as it is noticed.
    UnwindAtOnce,
    /// Everything out, once so many basis points are lost.
    UnwindAtLoss {
        bps: u32,
    },
    /// Half out, as soon as it is noticed.
    Halve,
}

impl ThreatResponse {
    /// In the order of the rehearsal.
    pub const ALL: [Self; 5] = [
        Self::DoNothing,
        Self::UnwindAtOnce,
        Self::UnwindAtLoss { bps: STOPS_BPS[0] },
        Self::UnwindAtLoss { bps: STOPS_BPS[1] },
        Self::Halve,
    ];
}

impl fmt::Display for ThreatResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoNothing => f.pad("do nothing"),
            Self::UnwindAtOnce => f.pad("unwind at once"),
            Self::UnwindAtLoss { bps } => write!(f, "unwind at a loss of {} %", bps / 100),
            Self::Halve => f.pad("halve"),
        }
    }
}

/// The runs of one threat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreatPlan {
    #[serde(with = "by_id")]
    pub card: &'static ThreatCard,
    pub runs: Vec<ForkRun>,
    /// The response of each run.
    pub responses: Vec<ThreatResponse>,
    /// Why other responses are not run, for people.
    pub skipped: Vec<String>,
}

/// A response and what it lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RehearsedResponse {
    pub response: ThreatResponse,
    pub loss_bps: f64,
    /// At the worst moment.
    pub worst_bps: f64,
}

/// What a rehearsal showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreatSimulation {
    #[serde(with = "by_id")]
    pub card: &'static ThreatCard,
    /// Every response that came to its end; doing nothing first.
    pub rehearsed: Vec<RehearsedResponse>,
    /// The one that lost least.
    pub best: RehearsedResponse,
    pub coverage: ThreatCoverage,
    /// What is missing, for people.
    pub gaps: Vec<String>,
}

impl ThreatPlan {
    /// The runs in a weather, for what is held. `exposure` is the share of wealth that is at risk: it says when a loss would be
    /// reached.
    #[must_use]
    pub fn of(card: &'static ThreatCard, weather: &[ScenarioEvent], holdings: &Holdings, exposure: f64) -> Self {
        let mut plan = Self { card, runs: Vec::new(), responses: Vec::new(), skipped: Vec::new() };
        let noticed = card.noticed(weather);
        for response in ThreatResponse::ALL {
            match acts((card, weather, noticed), response, holdings, exposure) {
                Ok(acts) => {
                    let weather = weather.to_vec();
                    plan.runs.push(ForkRun {
                        from: ForkFrom::Present,
                        acts,
                        weather,
                        steps: card.timeline + AFTERMATH,
                    });
                    plan.responses.push(response);
                }
                Err(why) => plan.skipped.push(format!("{}, {response}: {why}", card.id)),
            }
        }
        plan
    }

    /// What the runs showed; none where not even doing nothing came to its end.
    #[must_use]
    pub fn read(&self, results: &[ForkResult], active: &[ActiveGuard]) -> Option<ThreatSimulation> {
        let mut rehearsed = Vec::new();
        for (response, result) in self.responses.iter().zip(results) {
            let Ok(ran) = result else { continue };
            // Standing still cannot be refused; a way out that was refused is none.
            if was_refused(ran) {
                continue;
            }
            if let (Some(loss_bps), Some(worst_bps)) = (loss_bps(ran), worst_bps(ran)) {
                rehearsed.push(RehearsedResponse { response: *response, loss_bps, worst_bps });
            }
        }
        // The earlier of equals: nothing is done for nothing.
        let best = rehearsed.iter().copied().reduce(|a, b| if b.loss_bps < a.loss_bps { b } else { a })?;
        if rehearsed.first()?.response != ThreatResponse::DoNothing {
            return None;
        }
        let (coverage, gaps) = coverage(self.card, active);
        Some(ThreatSimulation { card: self.card, rehearsed, best, coverage, gaps })
    }
}

impl ThreatSimulation {
    /// What doing nothing lost.
    #[must_use]
    pub fn loss_bps(&self) -> f64 {
        self.rehearsed.first().map_or(0.0, |nothing| nothing.loss_bps)
    }
    /// What the best response saves.
    #[must_use]
    pub fn saves_bps(&self) -> f64 {
        self.loss_bps() - self.best.loss_bps
    }
    /// As the journal tells it.
    #[must_use]
    pub fn told(&self) -> ThreatSimulated {
        ThreatSimulated {
            threat_id: self.card.id.to_owned(),
            tier: self.card.tier.number(),
            loss_bps: self.loss_bps(),
            best_response: self.best.response.to_string(),
            best_loss_bps: self.best.loss_bps,
            coverage: self.coverage,
            gaps: self.gaps.iter().take(MOST_GAPS).cloned().collect(),
        }
    }
}

fn acts(
    (card, weather, noticed): (&ThreatCard, &[ScenarioEvent], Option<u32>),
    response: ThreatResponse,
    holdings: &Holdings,
    exposure: f64,
) -> Result<Vec<ForkAct>, &'static str> {
    let act = |after, what| vec![ForkAct { after, what }];
    match response {
        ThreatResponse::DoNothing => Ok(Vec::new()),
        _ if holdings.asset == Asset::ZERO && holdings.liquidity == 0 => Err("nothing is held"),
        ThreatResponse::UnwindAtLoss { bps } => {
            let after = loss_reached((card, weather), exposure, bps).ok_or("the loss is not reached")?;
            Ok(act(after, ForkDeed::Unwind))
        }
        // As soon as it is noticed: nobody can answer what does not show.
        ThreatResponse::UnwindAtOnce => Ok(act(noticed.ok_or(UNNOTICED)?, ForkDeed::Unwind)),
        ThreatResponse::Halve => Ok(halve(holdings, noticed.ok_or(UNNOTICED)?)),
    }
}

/// The step after which a loss of so many basis points is reached with this exposure, as far as the price outside makes
/// it.
fn loss_reached((card, weather): (&ThreatCard, &[ScenarioEvent]), exposure: f64, bps: u32) -> Option<u32> {
    let exposure = if exposure.is_nan() { 0.0 } else { exposure.clamp(0.0, 1.0) };
    let reached = |step: &u32| exposure * (1.0 - price_factor(weather, u64::from(*step))) * 10_000.0 >= f64::from(bps);
    (BEGINS as u32 + 1..card.timeline).find(reached).map(|step| step + 1)
}

/// Half of the position out, and half of the asset sold.
fn halve(holdings: &Holdings, after: u32) -> Vec<ForkAct> {
    let out = Intent::Remove { share_bps: 5_000, tolerance_bps: 10_000 };
    let sell = Intent::Sell { give: Asset(holdings.asset.0 / 2), min_out: Usdc::ZERO };
    let both = [(holdings.liquidity > 0, out), (holdings.asset.0 >= 2, sell)];
    let wanted = both.into_iter().filter(|(there, _)| *there);
    wanted.map(|(_, intent)| ForkAct { after, what: ForkDeed::Once(intent) }).collect()
}

#[cfg(test)]
mod tests;
