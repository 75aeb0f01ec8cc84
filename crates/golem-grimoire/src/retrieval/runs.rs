//! The numbers of a life's episodes, in order. Nearly all of them follow each other, so that only where a run begins is kept.

use crate::episode::EpisodeId;

/// The list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct EpisodeRuns {
    /// The first number of each run, and its place.
    begins: Vec<(EpisodeId, usize)>,
    len: usize,
}

impl EpisodeRuns {
    /// Add a number that is higher than every earlier one.
    pub fn push(&mut self, id: EpisodeId) {
        if self.last().is_none_or(|last| last.0.checked_add(1) != Some(id.0)) {
            self.begins.push((id, self.len));
        }
        self.len += 1;
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    pub fn last(&self) -> Option<EpisodeId> {
        self.get(self.len.checked_sub(1)?)
    }
    /// The number at a place.
    pub fn get(&self, at: usize) -> Option<EpisodeId> {
        let run = self.begins.partition_point(|(_, from)| *from <= at);
        let (first, from) = self.begins.get(run.checked_sub(1)?)?;
        (at < self.len).then(|| EpisodeId(first.0 + (at - from) as u64))
    }
    /// How many are lower than this one: its place, where it is there.
    pub fn below(&self, id: EpisodeId) -> usize {
        let run = self.begins.partition_point(|(first, _)| *first < id);
        let Some((first, from)) = run.checked_sub(1).and_then(|run| self.begins.get(run)) else { return 0 };
        let end = self.begins.get(run).map_or(self.len, |(_, next)| *next);
        (from + usize::try_from(id.0 - first.0).unwrap_or(usize::MAX).min(self.len)).min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_list(ids in prop::collection::btree_set(0..60_u64, 0..40), at in 0..50_usize, id in 0..70_u64) {
            let plain: Vec<EpisodeId> = BTreeSet::into_iter(ids).map(EpisodeId).collect();
            let mut runs = EpisodeRuns::default();
            plain.iter().for_each(|id| runs.push(*id));
            prop_assert_eq!((runs.len(), runs.is_empty()), (plain.len(), plain.is_empty()));
            prop_assert_eq!((runs.get(at), runs.last()), (plain.get(at).copied(), plain.last().copied()));
            prop_assert_eq!(runs.below(EpisodeId(id)), plain.partition_point(|there| there.0 < id));
        }
    }

    #[test]
    fn a_life_without_gaps_is_one_run() {
        let mut runs = EpisodeRuns::default();
        (1..=10_000).for_each(|id| runs.push(EpisodeId(id)));
        assert_eq!(runs.begins, [(EpisodeId(1), 0)]);
    }
}
