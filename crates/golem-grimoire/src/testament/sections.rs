//! The nine sections of a testament.

use super::sentence::TestamentSentence;
use serde::{Deserialize, Serialize};

/// A section, in the order of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestamentSection {
    Learned,
    GotWrong,
    Confused,
    NeverTested,
    KilledMe,
    WouldChange,
    Suspect,
    CausalEdges,
    EmotionalTopology,
}

impl TestamentSection {
    /// All nine, in the order of reading.
    pub const ALL: [Self; 9] = [
        Self::Learned,
        Self::GotWrong,
        Self::Confused,
        Self::NeverTested,
        Self::KilledMe,
        Self::WouldChange,
        Self::Suspect,
        Self::CausalEdges,
        Self::EmotionalTopology,
    ];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Learned => "What I learned",
            Self::GotWrong => "What I got wrong",
            Self::Confused => "What confused me",
            Self::NeverTested => "What I never tested",
            Self::KilledMe => "What killed me",
            Self::WouldChange => "What I would change",
            Self::Suspect => "What I suspect but cannot prove",
            Self::CausalEdges => "The strongest causes I found",
            Self::EmotionalTopology => "How it felt",
        }
    }

    /// What is said where nothing is on record.
    #[must_use]
    pub fn when_empty(self) -> &'static str {
        match self {
            Self::Learned => "Nothing that I believed was borne out.",
            Self::GotWrong => "Nothing on record speaks against what I believed or did.",
            Self::Confused => "No question was open.",
            Self::NeverTested => "Nothing was left untested.",
            Self::KilledMe => "No cause is on record.",
            Self::WouldChange => "Nothing on record asks for a change.",
            Self::Suspect => "No guess was under test.",
            Self::CausalEdges => "I found no cause that held.",
            Self::EmotionalTopology => "Nothing was felt, or nothing was kept of it.",
        }
    }
}

/// The sentences of the nine sections.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestamentSections {
    pub learned: Vec<TestamentSentence>,
    pub got_wrong: Vec<TestamentSentence>,
    pub confused: Vec<TestamentSentence>,
    pub never_tested: Vec<TestamentSentence>,
    pub killed_me: Vec<TestamentSentence>,
    pub would_change: Vec<TestamentSentence>,
    pub suspect: Vec<TestamentSentence>,
    pub causal_edges: Vec<TestamentSentence>,
    pub emotional_topology: Vec<TestamentSentence>,
}

impl TestamentSections {
    /// The sentences of one.
    #[must_use]
    pub fn of(&self, section: TestamentSection) -> &[TestamentSentence] {
        match section {
            TestamentSection::Learned => &self.learned,
            TestamentSection::GotWrong => &self.got_wrong,
            TestamentSection::Confused => &self.confused,
            TestamentSection::NeverTested => &self.never_tested,
            TestamentSection::KilledMe => &self.killed_me,
            TestamentSection::WouldChange => &self.would_change,
            TestamentSection::Suspect => &self.suspect,
            TestamentSection::CausalEdges => &self.causal_edges,
            TestamentSection::EmotionalTopology => &self.emotional_topology,
        }
    }
    /// The sentences of one, to be written.
    pub(super) fn of_mut(&mut self, section: TestamentSection) -> &mut Vec<TestamentSentence> {
        match section {
            TestamentSection::Learned => &mut self.learned,
            TestamentSection::GotWrong => &mut self.got_wrong,
            TestamentSection::Confused => &mut self.confused,
            TestamentSection::NeverTested => &mut self.never_tested,
            TestamentSection::KilledMe => &mut self.killed_me,
            TestamentSection::WouldChange => &mut self.would_change,
            TestamentSection::Suspect => &mut self.suspect,
            TestamentSection::CausalEdges => &mut self.causal_edges,
            TestamentSection::EmotionalTopology => &mut self.emotional_topology,
        }
    }
    fn all_mut(&mut self) -> [&mut Vec<TestamentSentence>; 9] {
        [
            &mut self.learned,
            &mut self.got_wrong,
            &mut self.confused,
            &mut self.never_tested,
            &mut self.killed_me,
            &mut self.would_change,
            &mut self.suspect,
            &mut self.causal_edges,
            &mut self.emotional_topology,
        ]
    }
    /// Every sentence, in the order of reading.
    pub fn sentences(&self) -> impl Iterator<Item = &TestamentSentence> {
        TestamentSection::ALL.into_iter().flat_map(|section| self.of(section))
    }
    /// Where a section has nothing to say, an earlier draft of it says it.
    pub fn begin_with(&mut self, draft: Self) {
        let mut draft = draft;
        for (mine, theirs) in self.all_mut().into_iter().zip(draft.all_mut()) {
            if mine.is_empty() {
                *mine = std::mem::take(theirs);
            }
        }
    }
    pub(super) fn retain(&mut self, keep: impl Fn(&TestamentSentence) -> bool) {
        self.all_mut().into_iter().for_each(|section| section.retain(&keep));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testament::TestamentSource;
    use golem_core::Tick;

    #[test]
    fn a_draft_speaks_where_nothing_else_does() {
        let say = |n: u64| vec![TestamentSentence::of(TestamentSource::Turn(Tick(n)), "something")];
        let mut now = TestamentSections { learned: say(1), ..TestamentSections::default() };
        now.begin_with(TestamentSections { learned: say(2), suspect: say(3), ..TestamentSections::default() });
        assert_eq!((&now.learned, &now.suspect), (&say(1), &say(3)));
        assert_eq!(now.sentences().count(), 2);
        for section in TestamentSection::ALL {
            assert!(!section.title().is_empty() && section.when_empty().ends_with('.'));
        }
    }
}
