//! What the position manager logs of a position.

use alloy_primitives::B256;
use alloy_sol_types::SolEvent;
use golem_venue::Done;
use golem_wallet::abi::NonfungiblePositionManager as Positions;

/// Note what the position manager logged of a position: the only place that the number of a new one is taken from.
pub(super) fn read_deed(topics: &[B256], data: &[u8], done: &mut Done) {
    let topics = || topics.iter().copied();
    if let Ok(more) = Positions::IncreaseLiquidity::decode_raw_log(topics(), data) {
        done.liquidity = i128::try_from(more.liquidity).unwrap_or(i128::MAX);
        done.position = Some(more.tokenId.saturating_to());
    } else if let Ok(less) = Positions::DecreaseLiquidity::decode_raw_log(topics(), data) {
        done.liquidity = i128::try_from(less.liquidity).map_or(i128::MIN, |l| -l);
        done.position = Some(less.tokenId.saturating_to());
    } else if let Ok(fees) = Positions::Collect::decode_raw_log(topics(), data) {
        done.position = Some(fees.tokenId.saturating_to());
    }
}
