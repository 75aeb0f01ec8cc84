//! A small world in which one thing follows from another, and a golem that lives in it with its memory alone.

use crate::kit::Chance;
use golem_core::dice::Strand;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, Regime, Secret, Tick, VirtualTime};
use golem_grimoire::retrieval::Query;
use golem_grimoire::{EntryId, Grimoire};

/// What really says something: 13 minutes after the afternoon begins, three things are high.
pub const CAUSE: &str = "market.hour > 12.0";
pub const EFFECTS: [&str; 3] =
    ["market.fee_yield_ratio > 1.5", "market.volatility_ratio > 1.5", "market.volume_ratio > 1.5"];

/// What the heir sees in a turn. Only the hour says anything about what follows.
pub fn seen(tick: u64, chance: &mut Chance) -> Snapshot {
    let now = VirtualTime(Elapsed::nominal(tick).0);
    let hour = |tick: u64| (tick * 40) as f64 / 3_600.0 % 24.0;
    let high = hour(tick.saturating_sub(20)) > 12.0;
    let mut level = |is: bool| if chance.unit() < if is { 0.93 } else { 0.07 } { 2.0 } else { 0.8 };
    let mut moment = Snapshot::new();
    let effects = [Field::MarketFeeYieldRatio, Field::MarketVolatilityRatio, Field::MarketVolumeRatio];
    for field in effects {
        moment.set_number(field, level(high)).expect("a number");
    }
    let others = [
        (Field::MarketPrice, 3_000.0 * (1.0 + 0.02 * (chance.unit() - 0.5))),
        (Field::MarketHour, hour(tick)),
        (Field::MarketGasRatio, 0.5 + 5.0 * chance.unit()),
        (Field::MarketReturn15, 0.02 * (chance.unit() - 0.5)),
        (Field::MarketReturn90, 0.04 * (chance.unit() - 0.5)),
        (Field::MarketLeadReturn, 0.04 * (chance.unit() - 0.5)),
        (Field::MarketShock, 4.0 * chance.unit()),
        (Field::MarketVolume, 1e6 * chance.unit()),
        (Field::GolemAgeDays, now.age().as_days()),
    ];
    for (field, x) in others {
        moment.set_number(field, x).expect("a number");
    }
    moment
}

/// So many turns. Whatever is recalled is used, whoever said it.
pub fn live(heir: &mut Grimoire, turns: u64, chance: &mut Chance, mut look: impl FnMut(&Grimoire, u64)) {
    let dice = Secret::from_seed(7).dice(Strand::Mind);
    for tick in 1..=turns {
        let (now, moment) = (VirtualTime(Elapsed::nominal(tick).0), seen(tick, chance));
        heir.observe(Tick(tick), now, Regime::RangeBound, &moment);
        if tick % 20 == 0 {
            let text = "fees, gas, volume and volatility".to_owned();
            let query = Query { text, seen: Some(moment.clone()), ..Query::at(now) };
            let hits: Vec<EntryId> = heir.recall(Tick(tick), &query).hits.iter().map(|hit| hit.id).collect();
            heir.shown(&hits);
        }
        heir.reflect(Tick(tick), now, [None; 6], &dice, true);
        heir.take_changes();
        look(heir, tick);
    }
}
