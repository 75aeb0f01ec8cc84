//! Giving everything up over fifty turns, in equal pieces, within slippage: what a declining golem does.

use super::desk::Desk;
use golem_core::Intent;
use golem_core::intent::Asset;
use golem_core::reference::BLIND_PARTS;
use serde::{Deserialize, Serialize};

/// How far the unwinding has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Unwinding {
    /// Turns of it.
    turn: u32,
    /// The most that was held since there is no reference for the price.
    asset: u128,
    liquidity: u128,
}

impl Unwinding {
    /// One turn of it. When the time is over, all that is left goes at once, in every turn until it is gone. Liquidity
    /// is gone a turn earlier than the asset, since taking it out brings some of the asset in.
    pub(super) fn step(&mut self, desk: &Desk<'_>) -> Vec<Intent> {
        self.turn = self.turn.saturating_add(1);
        if desk.outlook.blind {
            return self.step_blind(desk);
        }
        (self.asset, self.liquidity) = (0, 0);
        let (config, mut wishes) = (desk.config, Vec::new());
        let (turns, pieces) = (config.unwind_turns.max(2), config.unwind_pieces);
        // Liquidity comes out at the pool's own price: it waits until that is believed.
        if desk.holdings.liquidity > 0
            && desk.outlook.price.is_some()
            && let Some(left) = pieces_left(self.turn, turns - 1, pieces)
            && enough(desk, desk.stand.liquidity, left)
        {
            wishes.push(desk.remove(1.0 / f64::from(left)));
        }
        if let Some(left) = pieces_left(self.turn, turns, pieces)
            && enough(desk, desk.stand.asset, left)
        {
            wishes.extend(desk.sell(Asset(desk.holdings.asset.0.div_ceil(u128::from(left)))));
        }
        wishes
    }

    /// Where there is no reference for the price, nothing goes in one piece, however late or little it is: it goes in
    /// equal parts of what was held, the liquidity's beside those of the asset that it brings in.
    fn step_blind(&mut self, desk: &Desk<'_>) -> Vec<Intent> {
        let (held, turns) = (desk.holdings, desk.config.unwind_turns.max(2));
        self.asset = self.asset.max(held.asset.0);
        self.liquidity = self.liquidity.max(held.liquidity);
        if pieces_left(self.turn, turns, BLIND_PIECES).is_none() {
            return Vec::new();
        }
        let mut wishes = Vec::new();
        if held.liquidity > 0 {
            wishes.push(desk.remove_at_most(self.liquidity.div_ceil(BLIND_PARTS)));
        }
        wishes.extend(desk.sell(Asset(self.asset.div_ceil(BLIND_PARTS))));
        wishes
    }
}

/// Turns with a part in them, without a reference: the liquidity's, then those of the asset that was in it, and some to
/// spare for parts that fail.
const BLIND_PIECES: u32 = 25;

/// Pieces that are no trade wait for the last one.
fn enough(desk: &Desk<'_>, share: f64, pieces_left: u32) -> bool {
    pieces_left == 1 || desk.is_trade(desk.micro(share) / f64::from(pieces_left))
}

/// Pieces still to go, this one included, if this turn has one.
fn pieces_left(turn: u32, turns: u32, pieces: u32) -> Option<u32> {
    let pieces = pieces.clamp(1, turns.max(1));
    if turn >= turns {
        return Some(1);
    }
    // Piece k of n falls on turn ceil(k turns / n).
    let done = |turn: u32| u64::from(turn) * u64::from(pieces) / u64::from(turns);
    let (before, now) = (done(turn.saturating_sub(1)), done(turn));
    (now > before).then(|| pieces - before as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_spread_and_the_last_is_last() {
        let spread = |last: u32, turns: u32, pieces: u32| {
            (1..=last).filter_map(|t| pieces_left(t, turns, pieces).map(|p| (t, p))).collect::<Vec<_>>()
        };
        let expected: Vec<_> = (1..=10).map(|k| (5 * k, 11 - k)).chain([(51, 1), (52, 1)]).collect();
        assert_eq!(spread(52, 50, 10), expected);
        assert_eq!(spread(7, 7, 3), [(3, 3), (5, 2), (7, 1)]);
        assert_eq!(spread(3, 1, 10), [(1, 1), (2, 1), (3, 1)]);
    }
}
