//! The context policy: what a model is shown, as a versioned record. Shares of the token budget per section, how deep
//! memory is searched, and how much of it may come from whom.
//!
//! It shapes what is read, never what may be done: every permission is decided without it.

use golem_core::{Hash, Problem};
use golem_grimoire::Provenance;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A part of what a model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Vitality, phase, projected life and hazard band.
    Vitality,
    /// How it feels: stands above the goals.
    Suffering,
    /// What it is after.
    Goals,
    /// What is observed, and what is expected.
    Situation,
    /// Rules of the playbook whose condition holds.
    Playbook,
    /// Entries that memory offers.
    Knowledge,
    /// Episodes like this one.
    Episodes,
    /// What the owner said.
    Owner,
}

impl Section {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Vitality,
        Self::Suffering,
        Self::Goals,
        Self::Situation,
        Self::Playbook,
        Self::Knowledge,
        Self::Episodes,
        Self::Owner,
    ];
}

/// What a model is shown. A change makes a new revision; a decision names the one it was made under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContextPolicy {
    /// Its revision, from 1.
    pub revision: u32,
    /// Tokens of a small model's context, and of a large one's.
    pub tokens: [u32; 2],
    /// Shares of the tokens, in basis points; together 10,000. What a section does not need goes to knowledge.
    pub shares_bps: BTreeMap<Section, u16>,
    /// How many entries and episodes memory is asked for.
    pub depth: u16,
    /// The most that entries of one source may take of what memory offers, in basis points.
    pub source_caps_bps: BTreeMap<Provenance, u16>,
    /// Turns between two draws of what speaks against the mood.
    pub contrarian_every: u32,
}

impl Default for ContextPolicy {
    fn default() -> Self {
        let shares = [800, 500, 800, 2_000, 1_500, 2_400, 1_500, 500];
        let caps = [
            (Provenance::SelfGenerated, 10_000),
            (Provenance::Owner, 5_000),
            (Provenance::Dream, 3_000),
            (Provenance::Clade, 3_000),
            (Provenance::Replicant, 2_000),
            (Provenance::Marketplace, 1_500),
            (Provenance::Testament, 4_000),
        ];
        Self {
            revision: 1,
            tokens: [2_000, 6_000],
            shares_bps: Section::ALL.into_iter().zip(shares).collect(),
            depth: 12,
            source_caps_bps: caps.into_iter().collect(),
            contrarian_every: 100,
        }
    }
}

impl ContextPolicy {
    /// The tokens of a section, in a context of so many.
    #[must_use]
    pub fn tokens_of(&self, section: Section, tokens: u32) -> u32 {
        let share = u64::from(self.shares_bps.get(&section).copied().unwrap_or(0).min(10_000));
        // At most `tokens`, so it fits.
        (u64::from(tokens) * share / 10_000) as u32
    }
    /// How many of `n` places in memory's answer one source may take; at least one where it may take any.
    #[must_use]
    pub fn places_of(&self, source: Provenance, n: usize) -> usize {
        let cap = usize::from(self.source_caps_bps.get(&source).copied().unwrap_or(0).min(10_000));
        if cap == 0 { 0 } else { (n * cap / 10_000).max(1) }
    }
    /// What identifies it: the hash of everything in it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut bytes = Vec::new();
        bytes.extend(self.revision.to_le_bytes());
        bytes.extend(self.tokens.iter().flat_map(|t| t.to_le_bytes()));
        bytes.extend(self.depth.to_le_bytes());
        bytes.extend(self.contrarian_every.to_le_bytes());
        bytes.push(self.shares_bps.len() as u8);
        for (section, share) in &self.shares_bps {
            bytes.push(*section as u8);
            bytes.extend(share.to_le_bytes());
        }
        for (source, cap) in &self.source_caps_bps {
            bytes.push(*source as u8);
            bytes.extend(cap.to_le_bytes());
        }
        Hash::of(&bytes)
    }
    /// Another policy in its place, as the next revision. The same content is no revision.
    ///
    /// # Errors
    /// Every problem of the new one; then this one stays.
    pub fn revise(&mut self, mut next: Self) -> Result<bool, Vec<Problem>> {
        next.revision = self.revision;
        if next == *self {
            return Ok(false);
        }
        let problems = next.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        next.revision = self.revision.saturating_add(1);
        *self = next;
        Ok(true)
    }
    /// More room for one source, at most twice what the owner's policy gives it: true when that makes a new revision.
    pub fn make_room(&mut self, source: Provenance, more_bps: u16, owners: &Self) -> bool {
        let most = owners.source_caps_bps.get(&source).copied().unwrap_or(0).saturating_mul(2).min(10_000);
        let mut next = self.clone();
        let share = next.source_caps_bps.entry(source).or_default();
        *share = share.saturating_add(more_bps).min(most).max(*share);
        self.revise(next) == Ok(true)
    }
    /// Every problem, with the key it is about.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut hold = |holds: bool, key: &str, message: String| {
            if !holds {
                found.push(Problem::new(key, message));
            }
        };
        let sum: u32 = self.shares_bps.values().map(|s| u32::from(*s)).sum();
        hold(sum == 10_000, "shares_bps", format!("the shares sum to {sum}; they must sum to 10000"));
        let [small, large] = self.tokens;
        let sound = (256..=200_000).contains(&small) && (small..=200_000).contains(&large);
        hold(
            sound,
            "tokens",
            format!("{small} and {large}: from 256 to 200000, the large context not the smaller one"),
        );
        let depth = self.depth;
        hold((1..=200).contains(&depth), "depth", format!("{depth} is out of range; it must lie between 1 and 200"));
        let over = self.source_caps_bps.values().find(|cap| **cap > 10_000);
        hold(over.is_none(), "source_caps_bps", format!("{} is more than all; at most 10000", over.unwrap_or(&0)));
        hold(self.contrarian_every > 0, "contrarian_every", "0 is never; write at least 1".to_owned());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_sound_and_its_sections_fit() {
        let policy = ContextPolicy::default();
        assert_eq!(policy.problems(), []);
        for tokens in [1, 999, 2_000, u32::MAX] {
            let all: u64 = Section::ALL.iter().map(|s| u64::from(policy.tokens_of(*s, tokens))).sum();
            assert!(all <= u64::from(tokens) && all + 8 > u64::from(tokens), "{tokens}: {all}");
        }
        assert_eq!(policy.tokens_of(Section::Situation, 2_000), 400);
        assert_eq!((policy.places_of(Provenance::Clade, 12), policy.places_of(Provenance::Marketplace, 4)), (3, 1));
    }

    #[test]
    fn a_revision_is_counted_and_hashed_and_nothing_unsound_becomes_one() {
        let mut policy = ContextPolicy::default();
        let first = policy.hash();
        assert_eq!(policy.revise(ContextPolicy { revision: 9, ..policy.clone() }), Ok(false), "nothing is new");
        assert_eq!(policy.revise(ContextPolicy { depth: 20, ..policy.clone() }), Ok(true));
        assert_eq!((policy.revision, policy.depth), (2, 20));
        assert_ne!(policy.hash(), first);
        let before = policy.clone();
        let mut bad = ContextPolicy { depth: 0, contrarian_every: 0, tokens: [9_000, 1_000], ..policy.clone() };
        bad.shares_bps.insert(Section::Owner, 9_999);
        bad.source_caps_bps.insert(Provenance::Clade, 10_001);
        let keys: Vec<_> = policy.revise(bad).unwrap_err().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["shares_bps", "tokens", "depth", "source_caps_bps", "contrarian_every"]);
        assert_eq!(policy, before);
        let text = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<ContextPolicy>(&text).unwrap(), policy);
    }

    #[test]
    fn every_part_of_it_is_in_the_hash() {
        let base = ContextPolicy::default();
        let mut shares = base.clone();
        shares.shares_bps.insert(Section::Owner, 501);
        let mut caps = base.clone();
        caps.source_caps_bps.remove(&Provenance::Dream);
        let others = [
            ContextPolicy { revision: 2, ..base.clone() },
            ContextPolicy { tokens: [2_001, 6_000], ..base.clone() },
            ContextPolicy { depth: 13, ..base.clone() },
            ContextPolicy { contrarian_every: 99, ..base.clone() },
            shares,
            caps,
        ];
        let hashes: std::collections::BTreeSet<_> = others.iter().chain([&base]).map(|p| p.hash().0).collect();
        assert_eq!(hashes.len(), 7);
    }
}
