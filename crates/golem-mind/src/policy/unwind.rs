//! Giving everything up over fifty turns, in equal pieces, within slippage: what a declining golem does.

use super::{MOST_INTENTS, PolicyConfig, Stand, Valuation, remove, sell};
use golem_core::Intent;
use golem_core::intent::Holdings;

/// One turn of unwinding. `turn` counts them; when the time is over, all that is left goes at once, in every turn until
/// it is gone.
pub(super) fn step(
    turn: &mut u32,
    stand: &Stand,
    holdings: &Holdings,
    value: &Valuation,
    config: &PolicyConfig,
) -> Vec<Intent> {
    *turn = turn.saturating_add(1);
    let pieces_left = pieces_left(*turn, config);
    let mut wishes = Vec::new();
    let Some(pieces) = pieces_left else { return wishes };
    let last = pieces == 1;
    let enough = |micro: f64| last || micro / f64::from(pieces) >= config.min_trade_usdc.0 as f64;
    if holdings.units > 0 && enough(value.liquidity.0 as f64) {
        wishes.push(remove(10_000u32.div_ceil(pieces), value, config));
    }
    if holdings.asset.0 > 0 && enough(stand.asset * stand.capital) {
        wishes.extend(sell(holdings.asset.0.div_ceil(u64::from(pieces)), stand.price, config));
    }
    wishes.truncate(MOST_INTENTS);
    wishes
}

/// Pieces still to go, this one included, if this turn has one.
fn pieces_left(turn: u32, config: &PolicyConfig) -> Option<u32> {
    let turns = config.unwind_turns.max(1);
    let pieces = config.unwind_pieces.clamp(1, turns);
    if turn >= turns {
        return Some(1);
    }
    // Piece k of n falls on turn ceil(k turns / n).
    let done = |turn: u32| u64::from(turn) * u64::from(pieces) / u64::from(turns);
    let (before, now) = (done(turn - 1), done(turn));
    (now > before).then(|| pieces - before as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_spread_and_the_last_is_last() {
        let config = PolicyConfig::default();
        let all: Vec<_> = (1..=52).filter_map(|t| pieces_left(t, &config).map(|p| (t, p))).collect();
        let expected: Vec<_> = (1..=10).map(|k| (5 * k, 11 - k)).chain([(51, 1), (52, 1)]).collect();
        assert_eq!(all, expected);
        let odd = PolicyConfig { unwind_turns: 7, unwind_pieces: 3, ..config };
        let all: Vec<_> = (1..=7).filter_map(|t| pieces_left(t, &odd).map(|p| (t, p))).collect();
        assert_eq!(all, [(3, 3), (5, 2), (7, 1)]);
    }
}
