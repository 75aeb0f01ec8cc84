//! Episodes and results for tests.

use golem_core::door::{ForkRan, ForkResult};
use golem_core::{Asset, Elapsed, GolemId, Intent, Point, Regime, Tick, Timestamp, Usdc, UsdcDelta, VirtualTime};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::standing::Support;
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Standing};
use golem_grimoire::{Episode, EpisodeId, EpisodeKind, Importance, Marks, Situation, Went};

pub(crate) fn deed(intent: Intent, block: u64) -> EpisodeDeed {
    EpisodeDeed {
        intent,
        point: Point { block, index: 0 },
        trade: 1,
        predicted_bps: None,
        actual_bps: None,
        realised: UsdcDelta(0),
        outcome: None,
        on_paper: false,
    }
}

pub(crate) fn buy() -> Intent {
    Intent::Buy { pay: Usdc(1_000_000), min_out: Asset(5) }
}

/// Something that was done at a nominal tick; its point is the block of that number.
pub(crate) fn acted(id: u64, tick: u64, regime: Regime, intent: Intent) -> (Episode, Marks) {
    let (mut episode, marks) = watched(id, tick, regime);
    (episode.kind, episode.deed) = (EpisodeKind::Action, Some(deed(intent, tick)));
    (episode, marks)
}

/// Something that was only watched.
pub(crate) fn watched(id: u64, tick: u64, regime: Regime) -> (Episode, Marks) {
    let episode = Episode {
        id: EpisodeId(id),
        tick: Tick(tick),
        age: at(tick),
        at: Timestamp(0),
        kind: EpisodeKind::Observation,
        situation: Situation::default(),
        text: format!("what happened in turn {tick}"),
        regime,
        deed: None,
        surprise: 0.0,
        went: Went::Neutral,
        importance: Importance::Routine,
        cost: Usdc::ZERO,
        affect: None,
    };
    (episode, Marks::default())
}

pub(crate) fn at(tick: u64) -> VirtualTime {
    VirtualTime(Elapsed::nominal(tick).0)
}

/// A run that began with 100 USDC and gained so many basis points.
pub(crate) fn gained(bps: i64, steps: u32) -> ForkResult {
    let before = 100_000_000u64;
    let after = Usdc(before.saturating_add_signed(bps * 10_000));
    let lowest = after.min(Usdc(before));
    Ok(ForkRan { acted: Vec::new(), before: Usdc(before), after, lowest, prices: [1.0; 2], steps })
}

/// An open question that was learnt at a nominal tick.
pub(crate) fn question(text: &str, tick: u64) -> Entry {
    let origin = EntryOrigin { golem: GolemId([0; 16]), generation: 0 };
    let body = EntryBody { is_question: true, ..EntryBody::own(EntryKind::Insight, text.to_owned(), origin, at(tick)) };
    Entry::new(body, Standing::first(EntryStatus::Active, 5_000, Support::default(), at(tick)))
}
