//! Doing what was done: on a fork of the point where a receipt stands, the same actions give the same receipt.

use super::life::Life;
use golem_venue::{Venue, act};

#[test]
fn what_was_done_is_done_again_where_it_was_done_with_the_very_same_receipt() {
    for usdc_is_token0 in [true, false] {
        let Some(mut life) = Life::new(usdc_is_token0, 5) else { return };
        let lived = life.live(220);
        let mut sent = 0;
        for then in &lived {
            let Some(point) = then.receipt.point else { continue };
            let mut there = life.chain.fork_at(point).unwrap();
            let again = act::carry_out(there.as_mut(), then.who, &then.preview).unwrap();
            assert_eq!(again, then.receipt, "{:?}", then.preview.intent);
            sent += then.preview.actions.len();
        }
        assert!(sent >= 150, "{sent} actions");
    }
}
