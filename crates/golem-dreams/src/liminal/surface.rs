//! Waking up: the gate opens, and of what was thought at the edge of sleep some surfaces, some is staged, some is let
//! go.

use super::fragment::{FragmentStatus, LiminalFragment};
use super::gate::ThalamicGate;
use super::params::OnsetParams;
use golem_core::words::one_line;
use serde::{Deserialize, Serialize};

/// The most characters of the line that surfaces.
const MOST_LINE: usize = 200;

/// What happens to a fragment on return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum LucidVerdict {
    /// It surfaced by itself: it goes to staging first.
    Promote,
    /// It goes to staging.
    Stage,
    Discard,
}

/// What return brought.
#[derive(Debug, Clone, PartialEq)]
pub struct ReturnOutcome {
    /// In the order of the fragments.
    pub verdicts: Vec<LucidVerdict>,
    /// One line of what surfaced.
    pub line: String,
    /// Open again.
    pub gate: ThalamicGate,
}

/// What a fragment is worth now: what reality cannot check is let go, what is very new surfaces by itself.
#[must_use]
pub fn verdict(fragment: &LiminalFragment, params: &OnsetParams) -> LucidVerdict {
    let is_kept = matches!(fragment.status, FragmentStatus::SelectedForRem | FragmentStatus::Developed);
    match fragment.claim {
        Some(_) if is_kept && fragment.novelty_score >= params.promote_above => LucidVerdict::Promote,
        Some(_) if is_kept => LucidVerdict::Stage,
        _ => LucidVerdict::Discard,
    }
}

/// Wake up. The fragments' standing is set by the verdicts.
pub fn surface(fragments: &mut [LiminalFragment], params: &OnsetParams) -> ReturnOutcome {
    let mut verdicts = Vec::new();
    for fragment in fragments.iter_mut() {
        let verdict = verdict(fragment, params);
        match verdict {
            LucidVerdict::Promote => fragment.status = FragmentStatus::Promoted,
            LucidVerdict::Stage => {}
            LucidVerdict::Discard => fragment.status = FragmentStatus::Discarded,
        }
        verdicts.push(verdict);
    }
    let alive = fragments.iter().zip(&verdicts).filter(|(_, v)| **v != LucidVerdict::Discard);
    let newest = alive.reduce(|a, b| if b.0.novelty_score > a.0.novelty_score { b } else { a });
    let line =
        newest.map_or_else(|| "nothing surfaced".to_owned(), |(fragment, _)| one_line(&fragment.content, MOST_LINE));
    ReturnOutcome { verdicts, line, gate: ThalamicGate::OPEN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::DreamProvenance;
    use crate::liminal::HoriStage;
    use golem_core::Timestamp;
    use golem_grimoire::Claim;

    fn fragment(novelty: f64, claims: bool, status: FragmentStatus) -> LiminalFragment {
        let claim = Claim { when: "a".into(), then: "b".into(), unless: None, after_ticks: 90 };
        LiminalFragment {
            id: "onset/1/0".into(),
            content: format!("novelty {novelty}"),
            novelty_score: novelty,
            semantic_distance: 0.0,
            emotional_tone: 0.0,
            provenance: DreamProvenance::Hypnagogic,
            dali_cycle: 0,
            hori_stage: HoriStage::Peak,
            source_episodes: Vec::new(),
            timestamp: Timestamp(0),
            confidence: 0.1,
            status,
            claim: claims.then_some(claim),
        }
    }

    #[test]
    fn what_is_very_new_surfaces_and_what_cannot_be_checked_is_let_go() {
        use FragmentStatus as S;
        let table = [
            (0.6, true, S::SelectedForRem, LucidVerdict::Promote, S::Promoted),
            (0.59, true, S::SelectedForRem, LucidVerdict::Stage, S::SelectedForRem),
            (0.59, true, S::Developed, LucidVerdict::Stage, S::Developed),
            (0.9, false, S::SelectedForRem, LucidVerdict::Discard, S::Discarded),
            (0.9, true, S::Raw, LucidVerdict::Discard, S::Discarded),
            (0.9, true, S::Discarded, LucidVerdict::Discard, S::Discarded),
            (f64::NAN, true, S::SelectedForRem, LucidVerdict::Stage, S::SelectedForRem),
        ];
        for (novelty, claims, status, verdict, after) in table {
            let mut all = [fragment(novelty, claims, status)];
            let out = surface(&mut all, &OnsetParams::default());
            assert_eq!(
                (out.verdicts.as_slice(), all[0].status),
                (&[verdict][..], after),
                "{novelty} {claims} {status:?}"
            );
        }
    }

    #[test]
    fn one_line_surfaces_and_the_gate_opens() {
        use FragmentStatus as S;
        let mut all = [
            fragment(0.4, true, S::SelectedForRem),
            fragment(0.7, true, S::SelectedForRem),
            fragment(0.9, false, S::SelectedForRem),
        ];
        all[1].content.push_str("\nand more");
        let out = surface(&mut all, &OnsetParams::default());
        assert_eq!(out.line, "novelty 0.7 and more");
        assert!(!out.gate.is_shut());
        assert_eq!(surface(&mut [], &OnsetParams::default()).line, "nothing surfaced");
        assert_eq!(serde_json::to_string(&LucidVerdict::Promote).unwrap(), "\"PROMOTE\"");
    }
}
