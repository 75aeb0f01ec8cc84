//! The loop guard: the same intent, with the same arguments, over and over. Asks that were denied count like others, save
//! those that the guard itself denied: they would keep a golem denied for as long as it goes on asking.

use crate::config::CageConfig;
use golem_core::plain;
use golem_core::{Elapsed, Hash, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// However wide the settings are, no more asks than this are remembered.
const KEPT: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct PastAsk {
    print: u64,
    at: VirtualTime,
}

/// The last asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Loops {
    last: VecDeque<PastAsk>,
}

impl Loops {
    /// How often this was asked among the last asks, this time included.
    pub(crate) fn times(&self, print: u64, now: VirtualTime, config: &CageConfig) -> u32 {
        let memory = Elapsed::secs(config.loop_memory_s);
        let same = self.last.iter().filter(|asked| asked.print == print && now.since(asked.at) < memory).count();
        u32::try_from(same).unwrap_or(u32::MAX).saturating_add(1)
    }
    /// Remember an ask.
    pub(crate) fn remember(&mut self, print: u64, now: VirtualTime, config: &CageConfig) {
        self.last.push_back(PastAsk { print, at: now });
        // The next ask is one of the window itself.
        let kept = usize::try_from(config.loop_window).unwrap_or(KEPT).min(KEPT).saturating_sub(1);
        while self.last.len() > kept {
            self.last.pop_front();
        }
    }
}

/// The print of something: of an intent, its kind and its arguments.
pub(crate) fn print<T: Serialize>(of: &T) -> u64 {
    u64::from_le_bytes(Hash::of(&plain::bytes(of)).short())
}
