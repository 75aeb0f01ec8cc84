//! The door a dreamer tries things through: what is run on a copy of the chain that is thrown away, and what came of it.
//!
//! Nothing here can touch money or the live chain: a run names where the copy begins, what is done on it and what weather
//! comes over it; its answer is what the copy looked like afterwards.

use crate::happening::ScenarioEvent;
use crate::intent::Outcome;
use crate::{Hash, Intent, Point, Usdc, plain};
use serde::{Deserialize, Serialize};

/// No run is longer than this: a virtual day of nominal ticks.
pub const MOST_FORK_STEPS: u32 = 2_160;
/// No run has more acts, or more weather, than this.
pub const MOST_FORK_ACTS: usize = 32;
pub const MOST_FORK_EVENTS: usize = 16;
/// No question asks for more runs than this.
pub const MOST_FORK_RUNS: usize = 64;

/// Where a copy begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkFrom {
    /// At a point that was lived through: where an act of the golem began (the place its receipt names), or where a step
    /// of the market ended. Where an act began, the copy begins before others reacted to it, so that they react to what is
    /// done instead. What the world outside and the market did since then happens on the copy too, up to the present and
    /// no further; what the golem did since then does not.
    Lived(Point),
    /// At the present. What comes then is made up: the price outside stands still but for the run's weather, and others
    /// trade by dice that are not those of the real future.
    Present,
}

/// Something that is done on a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkAct {
    /// After so many nominal ticks of the market.
    pub after: u32,
    pub what: ForkDeed,
}

/// What can be done on a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkDeed {
    /// One intent, made into actions like a preview's, with whoever trades around it.
    Once(Intent),
    /// From here on, liquidity of this half-width with a share of wealth in it, moved whenever the price has left it. A
    /// standing order ends the one before it.
    KeepRange { width_bps: u32, share_bps: u32 },
    /// From here on, a share of wealth in the asset, brought back to it whenever it is further away than the band.
    KeepShare { share_bps: u32, band_bps: u32 },
    /// Everything that is held is given back.
    Unwind,
    /// The very actions that were carried out at the lived point that the copy begins at, before its first step. An
    /// intent is made into actions by what was previewed; where another wish was previewed before it and then not carried
    /// out, the same intent would become other actions today. This cannot: it gives exactly the receipt that was lived.
    AsLived,
}

/// One thing that is tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkRun {
    pub from: ForkFrom,
    /// In the order of their steps.
    pub acts: Vec<ForkAct>,
    /// What happens to the market, its ticks counted from the copy's first step. Who lies in wait for a golem's own trades
    /// (rivals, a sandwich) with tick 0 is there for what is done before that step too.
    pub weather: Vec<ScenarioEvent>,
    /// Nominal ticks until the copy is looked at; a market whose steps are longer takes as many as cover them.
    pub steps: u32,
}

/// What a dream asks of a chain: each run on a copy of its own.
///
/// It cannot hold a permit, which is what moves money:
///
/// ```compile_fail,E0560
/// use golem_core::door::{ForkFrom, ForkRun};
/// fn acts(permit: golem_core::Intent) -> ForkRun {
///     ForkRun { from: ForkFrom::Present, acts: Vec::new(), weather: Vec::new(), steps: 1, permit }
/// }
/// ```
///
/// nor name the live chain as the place where it acts:
///
/// ```compile_fail,E0599
/// use golem_core::door::ForkFrom;
/// fn on_the_chain() -> ForkFrom {
///     ForkFrom::Live
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForkRequest {
    pub runs: Vec<ForkRun>,
}

/// What came of one act. One whose step never came held, at no cost and not once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkActed {
    /// Of the last thing that was done for it.
    pub outcome: Outcome,
    /// What its gas cost, taken together.
    pub gas: Usdc,
    /// How often it acted: standing orders act when they have to.
    pub times: u32,
}

impl ForkActed {
    /// Nothing was done.
    pub const NOTHING: Self = Self { outcome: Outcome::Held, gas: Usdc::ZERO, times: 0 };
}

/// What a copy looked like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkRan {
    /// One for each act.
    pub acted: Vec<ForkActed>,
    /// What the account was worth before the first act, after the last step, and at the worst look between (after every act,
    /// and whenever the price, gas or liquidity was clearly worse than at any look before): what it has
    /// and what unwinding the rest would bring, less the gas of unwinding, less the gas of everything done on the copy
    /// until then.
    pub before: Usdc,
    pub after: Usdc,
    pub lowest: Usdc,
    /// The pool's price at the beginning and at the end.
    pub prices: [f64; 2],
    /// Nominal ticks that there were: the lived path may have been shorter.
    pub steps: u32,
}

/// Why a run has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkFailure {
    /// There is no chain here to make a copy of.
    NoChain,
    /// That point is not in its history any more, or never was.
    NoSuchPoint,
    /// What is asked for is not sound: too long, out of order, or as lived where nothing was.
    Unsound,
    /// The copy could not go on.
    Stuck,
}

/// One run's end.
pub type ForkResult = Result<ForkRan, ForkFailure>;

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkReply {
    /// The hash of the request that it answers.
    pub request: Hash,
    /// One for each run.
    pub runs: Vec<ForkResult>,
}

impl ForkRun {
    /// True when it is within its bounds and in order.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.steps <= MOST_FORK_STEPS
            && self.acts.len() <= MOST_FORK_ACTS
            && self.weather.len() <= MOST_FORK_EVENTS
            && self.acts.is_sorted_by_key(|act| act.after)
            && self.acts.iter().all(|act| act.after <= self.steps)
            && self.acts.iter().all(|act| act.what != ForkDeed::AsLived || self.begins_as_lived(act))
            && self.weather.iter().all(|event| event.problems().is_empty())
    }
    /// What was lived can be done again where it was done, and nowhere else.
    fn begins_as_lived(&self, act: &ForkAct) -> bool {
        act.after == 0 && matches!(self.from, ForkFrom::Lived(_))
    }
}

impl ForkRequest {
    /// The hash by which a recorded reply is matched.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(plain::json(self).as_bytes())
    }
    /// The reply where nothing can be tried.
    #[must_use]
    pub fn unanswered(&self, why: ForkFailure) -> ForkReply {
        ForkReply { request: self.hash(), runs: self.runs.iter().map(|_| Err(why)).collect() }
    }
}

impl ForkReply {
    /// True when it answers this request, run by run.
    #[must_use]
    pub fn is_for(&self, request: &ForkRequest) -> bool {
        self.request == request.hash() && self.runs.len() == request.runs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(from: ForkFrom, what: &[(u32, ForkDeed)], steps: u32) -> ForkRun {
        let acts = what.iter().map(|(after, what)| ForkAct { after: *after, what: *what }).collect();
        ForkRun { from, acts, weather: Vec::new(), steps }
    }

    #[test]
    fn a_reply_is_lean_comes_back_and_names_its_request() {
        let lived = ForkFrom::Lived(Point { block: 7, index: 2 });
        let request = ForkRequest { runs: vec![run(lived, &[(0, ForkDeed::AsLived)], 90)] };
        let kept: ForkRequest = serde_json::from_str(&plain::json(&request)).unwrap();
        assert_eq!((&kept, kept.hash()), (&request, request.hash()));
        let acted = ForkActed { outcome: Outcome::Held, gas: Usdc(1_234), times: 3 };
        let money = Usdc::whole(10_000);
        let ran = ForkRan {
            acted: vec![acted],
            before: money,
            after: money,
            lowest: money,
            prices: [3_012.345_678_901_234, 2_987.654_321_098_765],
            steps: 90,
        };
        let reply = ForkReply { request: request.hash(), runs: vec![Ok(ran)] };
        let text = plain::json(&reply);
        assert_eq!(serde_json::from_str::<ForkReply>(&text).unwrap(), reply);
        assert!(text.len() < 320, "{}: {text}", text.len());
        assert!(reply.is_for(&request) && !reply.is_for(&ForkRequest::default()));
    }

    #[test]
    fn what_was_lived_is_done_again_where_it_was_done_and_nowhere_else() {
        let lived = ForkFrom::Lived(Point::default());
        let as_lived = [(0, ForkDeed::AsLived)];
        assert!(run(lived, &as_lived, 0).is_sound());
        assert!(!run(ForkFrom::Present, &as_lived, 0).is_sound());
        assert!(!run(lived, &[(1, ForkDeed::AsLived)], 5).is_sound());
    }
}
