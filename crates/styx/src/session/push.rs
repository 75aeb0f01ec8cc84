//! What a golem tells: checked one by one, paid from its budgets, and kept before it is acknowledged.

use super::{Session, over_quota};
use crate::counts::RelayCounts;
use crate::hub::RelayBudget;
use styx_wire::{DeltaFault, DeltaReceipt, RefuseReason, RelayFrame, SignedDelta};

/// Deltas that are checked without a pause.
const IN_ONE_TURN: usize = 8;

impl Session {
    /// Keep what can be kept; one receipt for each.
    pub(super) async fn push(&mut self, deltas: Vec<SignedDelta>) -> RelayFrame {
        let mut receipts: Vec<Option<DeltaReceipt>> = Vec::with_capacity(deltas.len());
        let mut kept = Vec::with_capacity(deltas.len());
        let mut held_up: Option<RefuseReason> = None;
        for (n, delta) in deltas.into_iter().enumerate() {
            // Each may be a signature to check: whoever tells much lets others have their turn in between.
            if n % IN_ONE_TURN == IN_ONE_TURN - 1 {
                tokio::task::yield_now().await;
            }
            // What follows one that is not kept would be a gap: it is told the same.
            let refused = held_up.or_else(|| self.refused(&delta));
            match refused {
                Some(reason) => {
                    RelayCounts::one(&self.relay.counts.refused);
                    if matches!(reason, RefuseReason::OverQuota { .. }) {
                        held_up = Some(reason);
                    }
                    receipts.push(Some(DeltaReceipt::Refused { id: delta.head.id(), reason }));
                }
                None => {
                    receipts.push(None);
                    kept.push(delta);
                }
            }
        }
        let heads: Vec<SignedDelta> =
            kept.iter().map(|d| SignedDelta { payload: styx_wire::Blob::default(), ..d.clone() }).collect();
        let outcomes = if kept.is_empty() { Ok(Vec::new()) } else { self.relay.writer.keep(kept).await };
        let mut outcomes = match outcomes {
            Ok(outcomes) => outcomes.into_iter().zip(&heads).map(|(o, d)| o.receipt(d)).collect::<Vec<_>>().into_iter(),
            Err(_) => return RelayFrame::Refuse(RefuseReason::Unavailable),
        };
        for receipt in &outcomes.as_slice().to_vec() {
            if let DeltaReceipt::Kept { id, .. } = receipt
                && let Some(delta) = heads.iter().find(|d| d.head.id() == *id)
            {
                self.chain_seq = self.chain_seq.max(delta.head.seq);
            }
        }
        let filled = receipts.into_iter().filter_map(|receipt| receipt.or_else(|| outcomes.next())).collect();
        RelayFrame::Ack(filled)
    }

    fn refused(&self, delta: &SignedDelta) -> Option<RefuseReason> {
        // A golem tells its own: what it heard is nobody's to tell again.
        if delta.head.origin != self.origin {
            return Some(RefuseReason::NotAccepted);
        }
        // What it told before is known by its id, and costs neither a purse nor a signature.
        if (1..=self.chain_seq).contains(&delta.head.seq) {
            return (delta.head.owner != self.owner).then_some(RefuseReason::NotAccepted);
        }
        // It pays before anything is checked: checking is what forgers cost.
        let limits = &self.relay.desk.limits;
        let what = RelayBudget::Lane(delta.head.kind.lane(), delta.payload.0.len() as u64);
        let paid = self.seat.hub.pay(self.origin, what, limits, self.relay.desk.now_ms());
        if let Err(wait_ms) = paid {
            return Some(over_quota(wait_ms));
        }
        match delta.check(self.owner) {
            Ok(()) => None,
            Err(DeltaFault::TooLarge) => Some(RefuseReason::TooLarge),
            Err(_) => Some(RefuseReason::NotAccepted),
        }
    }
}
