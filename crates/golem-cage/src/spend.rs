//! What was put at risk within the last hour, the last day and the life so far. It may count an amount for up to five
//! minutes too long; it never counts one for too short.

use crate::limits::{DAY, Window};
use golem_core::{Usdc, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Amounts of the same slot are added up under the latest of their times, so that a day has at most 289 of them.
const SLOT_MS: u64 = 300_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Sum {
    at: VirtualTime,
    amount: Usdc,
}

/// The books of what was put at risk.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Spend {
    day: VecDeque<Sum>,
    life: Usdc,
}

impl Spend {
    /// Book an amount. Time never goes back here: whoever calls sees to that.
    pub(crate) fn book(&mut self, now: VirtualTime, amount: Usdc) {
        if amount == Usdc::ZERO {
            return;
        }
        self.life = self.life.plus(amount);
        match self.day.back_mut() {
            Some(last) if last.at.0 / SLOT_MS == now.0 / SLOT_MS => {
                *last = Sum { at: last.at.max(now), amount: last.amount.plus(amount) };
            }
            _ => self.day.push_back(Sum { at: now, amount }),
        }
    }
    /// Book an amount that is too old for the hour and the day.
    pub(crate) fn book_of_old(&mut self, amount: Usdc) {
        self.life = self.life.plus(amount);
    }
    /// Forget what is out of every window.
    pub(crate) fn slide(&mut self, now: VirtualTime) {
        while self.day.front().is_some_and(|oldest| now.since(oldest.at) >= DAY) {
            self.day.pop_front();
        }
    }
    /// What was put at risk within a window that ends now.
    pub(crate) fn within(&self, window: Window, now: VirtualTime) -> Usdc {
        match (window, window.length()) {
            (_, Some(length)) => {
                let recent = self.day.iter().rev().take_while(|sum| now.since(sum.at) < length);
                recent.fold(Usdc::ZERO, |total, sum| total.plus(sum.amount))
            }
            (Window::Life, None) => self.life,
            (_, None) => Usdc::ZERO,
        }
    }
}
