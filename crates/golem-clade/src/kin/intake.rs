//! How much of what siblings say is handed to a golem, and in which order: 200 an hour, 100 of one source, warnings from a budget of
//! their own, and what is too much waits its turn in a queue that is bounded. The relay is not trusted to have counted.

use crate::knowledge_domain::KnowledgeDomain;
use golem_core::GolemId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

const HOUR_MS: u64 = 3_600_000;

/// How much there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KinLimits {
    /// In an hour, of everybody.
    pub per_hour: usize,
    /// In an hour, of one source.
    pub per_source: usize,
    /// Urgent ones in an hour, of one source: they count for nothing else.
    pub urgent_per_source: usize,
    /// That wait.
    pub waiting: usize,
}

impl Default for KinLimits {
    fn default() -> Self {
        Self { per_hour: 200, per_source: 100, urgent_per_source: 30, waiting: 512 }
    }
}

/// Something that came, with what its place in the queue follows from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KinArrival {
    /// The key under which it is handed on, once.
    pub key: String,
    pub source: GolemId,
    pub urgent: bool,
    pub confidence_bp: u16,
    pub field: KnowledgeDomain,
    /// What is handed on.
    pub body: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Handed {
    at_ms: u64,
    source: GolemId,
    urgent: bool,
}

/// What waits, and what was handed on within the last hour. Plain data: it is kept, so that coming again fills no purse.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KinQueue {
    waiting: Vec<KinArrival>,
    handed: VecDeque<Handed>,
    /// How much was handed on of each field: what is heard for the first time is news.
    fields: BTreeMap<KnowledgeDomain, u32>,
    dropped: u64,
}

impl KinQueue {
    /// Something came. Where there is no room, the least of all is dropped, which may be this one.
    pub fn came(&mut self, arrival: KinArrival, limits: &KinLimits) {
        if self.waiting.iter().any(|waiting| waiting.key == arrival.key) {
            return;
        }
        self.waiting.push(arrival);
        if self.waiting.len() > limits.waiting {
            self.in_order();
            self.waiting.pop();
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// What may be handed on at a moment, the most important first. A clock that goes back gives nothing anew, and takes no more than an hour
    /// away: what was handed on in a future that was none counts as handed on now.
    pub fn take(&mut self, now_ms: u64, limits: &KinLimits) -> Vec<KinArrival> {
        if self.handed.back().is_some_and(|last| last.at_ms > now_ms.saturating_add(HOUR_MS)) {
            self.handed.iter_mut().for_each(|handed| handed.at_ms = handed.at_ms.min(now_ms));
        }
        let now_ms = self.handed.back().map_or(now_ms, |last| last.at_ms.max(now_ms));
        while self.handed.front().is_some_and(|first| now_ms.saturating_sub(first.at_ms) >= HOUR_MS) {
            self.handed.pop_front();
        }
        self.in_order();
        let (mut due, mut left) = (Vec::new(), Vec::new());
        for arrival in std::mem::take(&mut self.waiting) {
            if !self.may_pass(&arrival, limits) {
                left.push(arrival);
                continue;
            }
            self.handed.push_back(Handed { at_ms: now_ms, source: arrival.source, urgent: arrival.urgent });
            let heard = self.fields.entry(arrival.field.clone()).or_default();
            *heard = heard.saturating_add(1);
            due.push(arrival);
        }
        self.waiting = left;
        while self.fields.len() > limits.waiting {
            self.fields.pop_first();
        }
        due
    }

    fn may_pass(&self, arrival: &KinArrival, limits: &KinLimits) -> bool {
        let of = |lane: bool| self.handed.iter().filter(move |h| h.urgent == lane);
        let from = |lane: bool| of(lane).filter(|h| h.source == arrival.source).count();
        match arrival.urgent {
            true => from(true) < limits.urgent_per_source,
            false => of(false).count() < limits.per_hour && from(false) < limits.per_source,
        }
    }

    /// Warnings, then confidence times novelty, then as they came.
    fn in_order(&mut self) {
        let fields = &self.fields;
        let worth = |a: &KinArrival| {
            let heard = f64::from(fields.get(&a.field).copied().unwrap_or(0));
            f64::from(a.confidence_bp) / (1.0 + heard)
        };
        self.waiting.sort_by(|a, b| b.urgent.cmp(&a.urgent).then(worth(b).total_cmp(&worth(a))));
    }

    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
    /// How many had no room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}
