//! The one door to data: what a terminal asks of an owner's home, and what its owner wants done there.

use golem_clade::heirloom::InheritancePreview;
use golem_core::fact::{Envelope, Seq};
use golem_core::{GolemId, Tick, Timestamp, Usdc};
use golem_daimon::affect::Pad;
use golem_dreams::journal::DreamJournalEntry;
use golem_grimoire::causal::Edge;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::SignedTestament;
use golem_life::{Fact, LifePoint, Status};
use golem_mind::Prediction;
use golem_mortality::forecast::LifeForecast;
use std::sync::Arc;

/// Why something could not be shown or done, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFailure {
    pub what: String,
    pub hint: Option<String>,
}

/// A golem among others.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeCard {
    pub id: GolemId,
    pub name: String,
    /// None before its first turn, or where its file cannot be read.
    pub status: Option<Arc<Status>>,
    /// Of what it died, in a word or two.
    pub died_of: Option<String>,
    /// What it did last with its money, in a sentence.
    pub last_trade: Option<String>,
    /// Whether somebody lets it live at this moment.
    pub running: bool,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// False while only its name is known.
    pub read: bool,
}

/// All golems as far as they have been read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FleetLook {
    pub cards: Vec<LifeCard>,
    /// How many wait to be read: the next look goes on with them.
    pub waiting: usize,
}

/// One life as it stands now.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeNow {
    pub name: String,
    pub born_at: Timestamp,
    pub generation: u32,
    /// None before its first turn.
    pub status: Option<Status>,
    pub running: bool,
}

/// Something that is known: by a golem, or in the library.
#[derive(Debug, Clone, PartialEq)]
pub struct LoreEntry {
    pub id: String,
    pub text: String,
    pub kind: String,
    /// What it is worth now, from 0 to 1.
    pub confidence: f64,
    /// What else is to be said of it.
    pub note: String,
    /// Whose death paid for it, where one did.
    pub blood: Option<BloodMark>,
}

/// Whose death an entry is tied to.
#[derive(Debug, Clone, PartialEq)]
pub struct BloodMark {
    /// Its name, or its id where it is not in this home.
    pub of: String,
    /// Its mood in the end.
    pub mood: Option<Pad>,
}

/// A dead golem.
#[derive(Debug, Clone, PartialEq)]
pub struct GraveStone {
    pub id: GolemId,
    pub name: String,
    /// Of what, in a sentence.
    pub cause: String,
    pub age_days: f64,
    pub died_at: Timestamp,
    pub worth: Usdc,
    pub funded: Usdc,
    pub generation: u32,
    pub last_words: Option<String>,
    pub mood: Option<Pad>,
    /// The price it saw last.
    pub price: Option<f64>,
    /// Whether it lived on the market of the golem that is looked at.
    pub same_market: bool,
}

/// A dream, and how it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct DreamTold {
    pub entry: DreamJournalEntry,
    /// All of it, line by line.
    pub page: Vec<String>,
}

/// A golem of a line, in the order of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineNode {
    /// None for one that is not in this home.
    pub id: Option<GolemId>,
    pub depth: usize,
    pub words: String,
    pub dead: bool,
}

/// The successor that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuccessorWish {
    pub dead: GolemId,
    /// None for the name that is offered.
    pub name: Option<String>,
    /// None for what the dead one was given.
    pub budget: Option<Usdc>,
    /// Settings that differ from the dead one's.
    pub sets: Vec<(String, String)>,
    pub inherit: bool,
    pub force_similarity: bool,
}

/// What would be born of a wish.
#[derive(Debug, Clone, PartialEq)]
pub struct SuccessorOffer {
    pub name: String,
    pub budget: Usdc,
    pub generation: u32,
    /// The settings of its strategy, and whatever else the dead one was given.
    pub fields: Vec<(String, String)>,
    /// What the testament says to a successor, line by line.
    pub advice: Vec<String>,
    /// The settings that it advises.
    pub advised: Vec<(String, String)>,
    pub preview: InheritancePreview,
    /// What differs between the two ways of life.
    pub changes: Vec<String>,
    /// Why it would be refused: it is the dead one again.
    pub too_near: Option<String>,
    /// The successor that there is already.
    pub heir: Option<String>,
}

/// A golem that inherits nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshWish {
    pub name: String,
    pub budget: Usdc,
    pub template: String,
    /// None for a sealed life.
    pub seed: Option<u64>,
}

/// What an owner wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenOrder {
    Pause(GolemId),
    Resume(GolemId),
    Halt(GolemId),
    Feed(GolemId, Usdc),
    Kill(GolemId),
    Dream(GolemId),
    Judge {
        golem: GolemId,
        proposal: u64,
        approved: bool,
    },
    /// Take entries of a golem into the library.
    Pull {
        golem: GolemId,
        entries: Vec<String>,
    },
    Summon(SuccessorWish),
    Create(FreshWish),
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BirthTold {
    pub words: String,
    /// Who was born, where somebody was.
    pub born: Option<GolemId>,
}

/// An owner's home, as far as a terminal looks into it. Reads are short; nothing is held open between them that would keep a
/// golem from its turn.
pub trait LifeSource {
    /// All golems. A look is short: it reads those that have moved since the last one, and no more of them than an owner who
    /// types would not notice.
    ///
    /// # Errors
    /// What the home said.
    fn fleet(&mut self) -> Result<FleetLook, SourceFailure>;
    /// # Errors
    /// What its file said.
    fn now(&mut self, golem: GolemId) -> Result<LifeNow, SourceFailure>;
    /// Facts after a place in history, oldest first.
    ///
    /// # Errors
    /// What its file said.
    fn facts(
        &mut self,
        golem: GolemId,
        after: Option<Seq>,
        most: u32,
    ) -> Result<(Vec<Envelope<Fact>>, Option<Seq>), SourceFailure>;
    /// Points of its series after a turn, oldest first.
    ///
    /// # Errors
    /// What its file said.
    fn series(&mut self, golem: GolemId, after: Tick) -> Result<Vec<(Timestamp, LifePoint)>, SourceFailure>;
    /// How long it may yet live; none for the dead.
    ///
    /// # Errors
    /// What its file said.
    fn outlook(&mut self, golem: GolemId) -> Result<Option<LifeForecast>, SourceFailure>;
    /// The latest forecasts, the newest first: of now, or of what was known at a turn.
    ///
    /// # Errors
    /// What its file said.
    fn forecasts(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<Prediction>, SourceFailure>;
    /// The playbook as its page has it.
    ///
    /// # Errors
    /// What its file said.
    fn playbook(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<String, SourceFailure>;
    /// The edges of its causal graph.
    ///
    /// # Errors
    /// What its file said.
    fn causes(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<Edge>, SourceFailure>;
    /// What it knows about some words, the best first.
    ///
    /// # Errors
    /// What its file said.
    fn search(&mut self, golem: GolemId, words: &str, as_of: Option<Tick>) -> Result<Vec<LoreEntry>, SourceFailure>;
    /// Its dreams, the newest first.
    ///
    /// # Errors
    /// What its file said.
    fn dreams(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<DreamTold>, SourceFailure>;
    /// What waits in staging, or waited there at a turn.
    ///
    /// # Errors
    /// What its file said.
    fn staging(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<Proposal>, SourceFailure>;
    /// Its testament, once it is written.
    ///
    /// # Errors
    /// What its file said.
    fn testament(&mut self, golem: GolemId) -> Result<Option<SignedTestament>, SourceFailure>;
    /// All dead golems, the last to die first; with a golem given, whether they lived on its market.
    ///
    /// # Errors
    /// What the home said.
    fn graves(&mut self, seen_by: Option<GolemId>) -> Result<Vec<GraveStone>, SourceFailure>;
    /// The line that it stands in, in the order of the tree.
    ///
    /// # Errors
    /// What the home said.
    fn lineage(&mut self, golem: GolemId) -> Result<Vec<LineNode>, SourceFailure>;
    /// The owner's library, the best first.
    ///
    /// # Errors
    /// What the library said.
    fn library(&mut self) -> Result<Vec<LoreEntry>, SourceFailure>;
    /// All that a dead golem believed, the surest first: the owner may take of it.
    ///
    /// # Errors
    /// What its file said.
    fn remains(&mut self, golem: GolemId) -> Result<Vec<LoreEntry>, SourceFailure>;
    /// All that a dead golem believed when it died, the surest first.
    ///
    /// # Errors
    /// What its file said.
    fn snapshot(&mut self, golem: GolemId) -> Result<Vec<LoreEntry>, SourceFailure>;
    /// What keeps a successor from coming by itself, where one should have.
    ///
    /// # Errors
    /// What the treasury said.
    fn halted_heir(&mut self, dead: GolemId) -> Result<Option<String>, SourceFailure>;
    /// What would be born of a wish. Nobody is.
    ///
    /// # Errors
    /// What is wrong with the wish.
    fn offer(&mut self, wish: &SuccessorWish) -> Result<SuccessorOffer, SourceFailure>;
    /// Do it, or put it into the golem's inbox.
    ///
    /// # Errors
    /// Why it was refused.
    fn command(&mut self, command: &ScreenOrder) -> Result<BirthTold, SourceFailure>;
}
