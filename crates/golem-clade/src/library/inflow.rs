//! The five ways into an owner's library, the most reliable first, and what each asks of an entry: one table.
//!
//! Thresholds are held against the *stored* confidence, which only evidence moves: what is old and true is not turned away.

use golem_grimoire::causal::Edge;
use golem_grimoire::{Entry, EntryKind, EntryStatus};
use serde::{Deserialize, Serialize};

/// By which way something comes into a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LibraryInflow {
    /// A golem died, and what it was sure of is deposited.
    DeathDeposit,
    /// The owner takes it, whatever it is worth.
    ManualPull,
    /// The owner takes it from a golem that lives.
    LiveExport,
    /// Several golems have seen it come true.
    SiblingOverflow,
    /// A bundle of somebody else.
    MarketplacePurchase,
}

/// What one way asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InflowRule {
    /// Which way.
    pub inflow: LibraryInflow,
    /// The least stored confidence in basis points: of an insight, a heuristic, a warning, a causal link and a strategy
    /// fragment.
    pub least_bp: [u16; 5],
    /// Stretches of fresh data, or checks, that a causal link must have held in.
    pub least_evidence: u32,
    /// Decisions that must have used a strategy fragment.
    pub least_uses: u32,
    /// Distinct golems that must have seen it come true.
    pub least_validators: u32,
    /// The most that it is worth on arrival, in basis points.
    pub most_bp: u16,
}

/// The table.
pub const INFLOWS: [InflowRule; 5] = [
    InflowRule {
        least_bp: [6_000, 6_000, 0, 5_000, 4_000],
        least_evidence: 3,
        least_uses: 1,
        ..open(LibraryInflow::DeathDeposit)
    },
    open(LibraryInflow::ManualPull),
    InflowRule { least_bp: [5_000; 5], ..open(LibraryInflow::LiveExport) },
    InflowRule { least_validators: 3, ..open(LibraryInflow::SiblingOverflow) },
    InflowRule { most_bp: 3_000, ..open(LibraryInflow::MarketplacePurchase) },
];

/// A way that asks for nothing.
const fn open(inflow: LibraryInflow) -> InflowRule {
    InflowRule { inflow, least_bp: [0; 5], least_evidence: 0, least_uses: 0, least_validators: 0, most_bp: 10_000 }
}

impl LibraryInflow {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 5] =
        [Self::DeathDeposit, Self::ManualPull, Self::LiveExport, Self::SiblingOverflow, Self::MarketplacePurchase];

    /// What it asks.
    #[must_use]
    pub fn rule(self) -> &'static InflowRule {
        &INFLOWS[self as usize]
    }
    /// The word used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DeathDeposit => "death_deposit",
            Self::ManualPull => "manual_pull",
            Self::LiveExport => "live_export",
            Self::SiblingOverflow => "sibling_overflow",
            Self::MarketplacePurchase => "marketplace_purchase",
        }
    }
}

/// Why something does not come in by a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "refusal")]
pub enum InflowRefusal {
    /// Not sure enough.
    #[error("its confidence is {found_bp} of the {least_bp} basis points that are asked")]
    TooUnsure {
        /// What it has.
        found_bp: u16,
        /// What is asked.
        least_bp: u16,
    },
    /// Too little behind a causal link.
    #[error("it held {found} times, and {least} are asked")]
    TooLittleEvidence {
        /// How often.
        found: u32,
        /// How often it should have.
        least: u32,
    },
    /// No decision ever used it.
    #[error("no decision has used it")]
    Unused,
    /// Too few have seen it come true.
    #[error("{found} golems have seen it come true, and {least} are asked")]
    TooFewValidators {
        /// How many have.
        found: u32,
        /// How many should have.
        least: u32,
    },
    /// It is kept aside, in the archive or burnt where it comes from.
    #[error("it is not in use where it comes from")]
    NotInUse,
    /// No more fits.
    #[error("the library holds as much as it may")]
    Full,
}

impl InflowRefusal {
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().1
    }
    fn entry(&self) -> (u16, &'static str) {
        match self {
            Self::TooUnsure { .. } => (900, "confirmations, or the owner's own word (--anyway)"),
            Self::TooLittleEvidence { .. } => (901, "more stretches in which it holds, or the owner's own word"),
            Self::Unused => (902, "a decision that uses it, or the owner's own word"),
            Self::TooFewValidators { .. } => (903, "more golems that see it come true"),
            Self::NotInUse => (904, "its coming back into use there"),
            Self::Full => (905, "a library of one's own for other things"),
        }
    }
}

/// Whether an entry comes in by a way. `edge` is the causal edge that it speaks of, where its golem has it; `validators` how
/// many distinct golems have seen it come true.
///
/// # Errors
/// Why not.
pub fn admits(inflow: LibraryInflow, entry: &Entry, edge: Option<&Edge>, validators: u32) -> Result<(), InflowRefusal> {
    let (rule, body, standing) = (inflow.rule(), &entry.body, &entry.standing);
    if !is_offered(inflow, entry) {
        return Err(InflowRefusal::NotInUse);
    }
    let least_bp = rule.least_bp[body.kind as usize];
    if standing.confidence_bp < least_bp {
        return Err(InflowRefusal::TooUnsure { found_bp: standing.confidence_bp, least_bp });
    }
    let held = edge.map_or(standing.validated, |e| e.held.max(standing.validated));
    if body.kind == EntryKind::CausalLink && held < rule.least_evidence {
        return Err(InflowRefusal::TooLittleEvidence { found: held, least: rule.least_evidence });
    }
    if body.kind == EntryKind::StrategyFragment && standing.uses < rule.least_uses {
        return Err(InflowRefusal::Unused);
    }
    if validators < rule.least_validators {
        return Err(InflowRefusal::TooFewValidators { found: validators, least: rule.least_validators });
    }
    Ok(())
}

/// Whether an edge of the causal graph is deposited with a death.
#[must_use]
pub fn deposits_edge(edge: &Edge) -> bool {
    let rule = LibraryInflow::DeathDeposit.rule();
    let least_bp = rule.least_bp[EntryKind::CausalLink as usize];
    edge.holds() && edge.confidence_bp >= least_bp && edge.held >= rule.least_evidence
}

/// What is in use is offered; what is tied to a death also from the archive; the owner takes from the archive what it likes.
/// What was kept aside was never believed, and is not passed on by anybody's word.
fn is_offered(inflow: LibraryInflow, entry: &Entry) -> bool {
    let archived = matches!(entry.standing.status, EntryStatus::Archived(_));
    entry.is_in_use() || (archived && (entry.body.is_bloodstain || inflow == LibraryInflow::ManualPull))
}
