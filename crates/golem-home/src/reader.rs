//! The one way in for surfaces: each question is a short read of a golem's file, by its name, its id or the beginning of
//! either.

use crate::cards::{self, GolemCard, StatusReport};
use crate::causes::{self, KnownCause};
use crate::dreams::{self, DreamBook};
use crate::estate;
use crate::facts::{self, ToldFact};
use crate::fail::Fail;
use crate::forecasts::{self, Foretold};
use crate::golem_file::GolemFile;
use crate::graves::{self, Graveyard};
use crate::holdings::{self, BundleList, BundlePage, HoldingPage, HoldingsFound};
use crate::home::{Home, Place};
use crate::insured::{self, SnapshotRow};
use crate::knowledge::ReadMemory;
use crate::life_page::{self, LifePage};
use crate::line::{self, LineMember};
use crate::logs::{self, LogsWanted};
use crate::lore::{self, EntryPage, LastRecall, LoreStats};
use crate::obituary::{self, Obituary};
use crate::orders::{self, OrderAnswer, OwnerCommand};
use crate::origins;
use crate::pain::{self, Burden};
use crate::record::{self, PartedWays, VerifyReport};
use crate::rules::{self, PageDiff, PageLint};
use crate::search::{self, SearchResult};
use crate::shelf::{self, LibraryPage};
use crate::stored;
use crate::testament;
use crate::thinkers::ModelsListed;
use crate::trades;
use crate::vitals::{self, VitalSigns};
use golem_clade::library::OwnerLibrary;
use golem_core::{Seq, Tick, Timestamp};
use golem_dreams::cycle::DreamStats;
use golem_dreams::journal::DreamJournalEntry;
use golem_dreams::phage::PhageStats;
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::SignedTestament;
use golem_life::{LifePoint, Status};
use golem_mortality::Domain;
use golem_mortality::forecast::LifeForecast;
use golem_runtime::memory::Detail;
use golem_runtime::{Clock as _, Reader, RealClock, ReplayReport};
use golem_view::trade::Trade;
use serde_json::Value;

/// A home, open for looking.
#[derive(Debug, Clone)]
pub struct HomeReader {
    home: Home,
}

impl HomeReader {
    /// Look into a home. It may be empty, and golems may be born into it while one looks.
    pub fn open(home: Home) -> Self {
        Self { home }
    }

    /// The home itself.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// One golem by name, id or unique beginning of either. A whole id is found without a look at the others.
    pub fn place(&self, id: &str) -> Result<Place, Fail> {
        let known = id.parse().ok().and_then(|id| self.home.place_of(id));
        known.map_or_else(|| self.home.golem(id), Ok)
    }

    /// Every golem at a glance, by name.
    pub fn golems(&self) -> Result<Vec<GolemCard>, Fail> {
        cards::cards(&self.home)
    }

    /// How it stands, and what its file says beside that.
    pub fn report(&self, id: &str) -> Result<StatusReport, Fail> {
        let place = self.place(id)?;
        cards::report(&place, cards::status(&place)?)
    }

    /// The last committed status.
    pub fn status(&self, id: &str) -> Result<Status, Fail> {
        cards::status(&self.place(id)?)
    }

    /// The clocks.
    pub fn vitals(&self, id: &str) -> Result<VitalSigns, Fail> {
        Ok(vitals::read(&self.place(id)?)?.signs)
    }

    /// How long it may yet live.
    pub fn forecast(&self, id: &str) -> Result<LifeForecast, Fail> {
        Ok(vitals::ahead(&self.place(id)?)?.1)
    }

    /// Facts after a place in history, the oldest first; without a place, the newest.
    pub fn facts(&self, id: &str, after: Option<Seq>, at_most: u32) -> Result<Vec<ToldFact>, Fail> {
        let reader = Reader::open(&self.place(id)?.dir)?;
        match after {
            Some(seq) => facts::after(&reader, Some(seq), at_most),
            None => facts::newest(&reader, at_most),
        }
    }

    /// The last facts as they are recorded, of some kinds, since some moment.
    pub fn logs(&self, id: &str, last: u32, only: Option<&str>, since: Option<&str>) -> Result<Vec<Value>, Fail> {
        let reader = Reader::open(&self.place(id)?.dir)?;
        let wanted = LogsWanted::read(&reader, only, since)?;
        Ok(wanted.last(&reader, last)?.iter().filter(|row| wanted.takes(row)).map(logs::recorded).collect())
    }

    /// The downsampled series after a turn, with the moment of each point.
    pub fn series(&self, id: &str, after: Tick) -> Result<Vec<(Timestamp, LifePoint)>, Fail> {
        stored::points_after(&Reader::open(&self.place(id)?.dir)?, after)
    }

    /// What it did with its money, the oldest first: since a moment, and of that the last so many.
    pub fn trades(&self, id: &str, since: Option<&str>, last: Option<usize>) -> Result<Vec<Trade>, Fail> {
        let reader = Reader::open(&self.place(id)?.dir)?;
        let since = logs::moment(&reader, since)?;
        Ok(trades::chosen(trades::read(&reader)?.all(), since, last).to_vec())
    }

    /// What it has foretold, in one domain or all, as of a turn or now: the scores, and the latest that are settled.
    pub fn predictions(
        &self,
        id: &str,
        domain: Option<Domain>,
        as_of: Option<Tick>,
        top: usize,
    ) -> Result<Foretold, Fail> {
        forecasts::read(&self.place(id)?, domain, as_of, top)
    }

    /// The settings that it was born with, without what may be a key.
    pub fn config(&self, id: &str) -> Result<GolemFile, Fail> {
        let origin = Reader::open(&self.place(id)?.dir)?.origin()?;
        Ok(origins::settings_of(&origin)?.shown())
    }

    /// Whose clade this home's golems are of; none where it has no key for that yet.
    pub fn clade_owner(&self) -> Result<Option<String>, Fail> {
        let path = self.home.path().join("clade").join("owner.key");
        // To look makes none.
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        Ok(Some(golem_wallet::CladeKey::at(&path)?.owner().to_string()))
    }

    /// What weighs on it; who lives without suffering is refused with a word of why.
    pub fn suffering(&self, id: &str) -> Result<(Status, Burden), Fail> {
        pain::read(&self.place(id)?)
    }

    /// What has weighed on it, the latest last.
    pub fn suffered(&self, id: &str, last: usize) -> Result<Vec<Value>, Fail> {
        pain::history(&self.place(id)?, last)
    }

    /// Its dreams, the newest first.
    pub fn dreams(&self, id: &str, as_of: Option<Tick>, last: u32) -> Result<DreamBook, Fail> {
        dreams::journal(&self.place(id)?, as_of, last)
    }

    /// One dream, whole; the latest without a number.
    pub fn dream(&self, id: &str, number: Option<u32>) -> Result<DreamJournalEntry, Fail> {
        dreams::one(&self.place(id)?, number)
    }

    /// What came of its dreams; who does not dream is refused with a word of why.
    pub fn dream_stats(&self, id: &str) -> Result<DreamStats, Fail> {
        dreams::stats(&self.place(id)?)
    }

    /// Its short-lived children; none where it has none.
    pub fn phages(&self, id: &str) -> Result<Option<PhageStats>, Fail> {
        Ok(self.status(id)?.phages)
    }

    /// The models that it may ask.
    pub fn models(&self, id: &str) -> Result<ModelsListed, Fail> {
        let origin = Reader::open(&self.place(id)?.dir)?.origin()?;
        Ok(ModelsListed::of(&origins::settings_of(&origin)?.inference))
    }

    /// What is being tested of what it dreamt.
    pub fn staging(&self, id: &str, as_of: Option<Tick>) -> Result<Vec<Proposal>, Fail> {
        dreams::staging(&self.place(id)?, as_of)
    }

    /// The rules that it lives by, or lived by as of a turn.
    pub fn playbook(&self, id: &str, as_of: Option<Tick>) -> Result<PlaybookWriter, Fail> {
        rules::playbook(&self.place(id)?, as_of)
    }

    /// What is wrong with the page beside it.
    pub fn playbook_lint(&self, id: &str) -> Result<PageLint, Fail> {
        rules::check(&self.place(id)?)
    }

    /// What the page beside it says otherwise.
    pub fn playbook_diff(&self, id: &str) -> Result<PageDiff, Fail> {
        rules::compare(&self.place(id)?)
    }

    /// What it takes for causes, now or as of a turn: those that hold first, of those the surest first.
    pub fn causes(&self, id: &str, as_of: Option<Tick>) -> Result<Vec<KnownCause>, Fail> {
        let edges = causes::edges(&Reader::open(&self.place(id)?.dir)?, as_of)?;
        Ok(edges.into_iter().map(KnownCause::of).collect())
    }

    /// What it knows and remembers of something, now or as of a turn.
    pub fn grimoire_search(&self, id: &str, words: &str, as_of: Option<u64>, top: usize) -> Result<SearchResult, Fail> {
        search::search(&self.place(id)?, words, as_of, top)
    }

    /// One entry of what it knows, by its id or the beginning of it.
    pub fn grimoire_entry(&self, id: &str, entry: &str) -> Result<EntryPage, Fail> {
        let memory = lore::memory(&self.place(id)?)?;
        Ok(EntryPage::of(memory.entry(entry)?, &memory))
    }

    /// What it recalled last, and why each of it; now or as of a turn.
    pub fn grimoire_why(&self, id: &str, as_of: Option<u64>) -> Result<LastRecall, Fail> {
        lore::recalled(&ReadMemory::open(&self.place(id)?, as_of, Detail::Learnt)?)
    }

    /// How much it knows, and how much of it is junk.
    pub fn grimoire_stats(&self, id: &str) -> Result<LoreStats, Fail> {
        lore::stats(&self.place(id)?)
    }

    /// Whether its record is whole and its life was lived as told: lives all of it again.
    pub fn verify(&self, id: &str) -> Result<VerifyReport, Fail> {
        record::verify(&self.place(id)?, &self.home)
    }

    /// Live its recorded life again and compare every turn.
    pub fn replay(&self, id: &str, until: Option<Tick>) -> Result<ReplayReport, Fail> {
        record::relive(&self.place(id)?, until)
    }

    /// Where its record parts ways with another's.
    pub fn parted(&self, id: &str, other: &str) -> Result<PartedWays, Fail> {
        record::parted(&self.place(id)?, &self.place(other)?)
    }

    /// The insurance snapshots that it can be brought back from.
    pub fn snapshots(&self, id: &str) -> Result<Vec<SnapshotRow>, Fail> {
        insured::snapshots(&self.place(id)?)
    }

    /// What it left; none before it is written.
    pub fn testament(&self, id: &str) -> Result<Option<SignedTestament>, Fail> {
        let place = self.place(id)?;
        let Some(signed) = testament::read(&place.dir)? else { return Ok(None) };
        if testament::sealed_to(&place.dir)?.is_empty() {
            return Ok(Some(signed));
        }
        let hint = format!("with the key that opens it: bardo golem testament {} --key-file FILE", place.name);
        Err(Fail::refused_hint("its testament is sealed to its owner", hint))
    }

    /// What it left; who has left none is refused with a word of why.
    pub fn testament_left(&self, id: &str) -> Result<SignedTestament, Fail> {
        match self.testament(id)? {
            Some(left) => Ok(left),
            None => Err(testament::absent(&self.place(id)?)?),
        }
    }

    /// The dead; with a golem named, whether each lived on its market.
    pub fn graveyard(&self, beside: Option<&str>) -> Result<Graveyard, Fail> {
        let mut all = graves::graveyard(&self.home)?;
        if let Some(golem) = beside {
            let origin = Reader::open(&self.place(golem)?.dir)?.origin()?;
            let market = graves::market(&origins::settings_of(&origin)?);
            all.graves.iter_mut().for_each(|grave| grave.same_market = Some(grave.lies_on(&market)));
        }
        Ok(all)
    }

    /// The line that it stands in, ancestors first.
    pub fn lineage(&self, id: &str) -> Result<Vec<LineMember>, Fail> {
        let line = Reader::open(&self.place(id)?.dir)?.origin()?.birth.lineage;
        Ok(line::members(line, &self.home)?.0)
    }

    /// The owner's library, as it is.
    pub fn library(&self) -> Result<LibraryPage, Fail> {
        shelf::look(&self.home, RealClock::default().now())
    }

    /// What the library holds about something.
    pub fn library_search(&self, words: &str, top: usize) -> Result<HoldingsFound, Fail> {
        let (library, now) = self.held()?;
        Ok(holdings::search(&library, words, top, now))
    }

    /// One entry of the library, by its id or the beginning of it.
    pub fn library_entry(&self, entry: &str) -> Result<HoldingPage, Fail> {
        let (library, now) = self.held()?;
        let (id, held) = holdings::one(&library, entry)?;
        Ok(HoldingPage::of(id, held, now))
    }

    /// The library's collections.
    pub fn library_bundles(&self) -> Result<BundleList, Fail> {
        let (library, now) = self.held()?;
        Ok(holdings::bundles(&library, now))
    }

    /// What is in one of them.
    pub fn library_bundle(&self, name: &str) -> Result<BundlePage, Fail> {
        let (library, now) = self.held()?;
        holdings::contents(&library, name, now)
    }

    fn held(&self) -> Result<(OwnerLibrary, Timestamp), Fail> {
        Ok((shelf::find(&self.home)?.unwrap_or_default(), RealClock::default().now()))
    }

    /// The owner's credit, and where every succession stands.
    pub fn treasury(&self) -> Result<Value, Fail> {
        Ok(estate::told(&estate::find(&self.home)?, RealClock::default().now()))
    }

    /// Its life as a story with figures.
    pub fn obituary(&self, id: &str) -> Result<Obituary, Fail> {
        let place = self.place(id)?;
        cards::status(&place)?;
        obituary::read(&place.dir)
    }

    /// Its whole life as one page with charts, dead or alive.
    pub fn life_page(&self, id: &str) -> Result<LifePage, Fail> {
        let place = self.place(id)?;
        cards::status(&place)?;
        life_page::read(&place)
    }

    /// Tell it something, and wait a little for its answer.
    pub fn command(&self, id: &str, command: &OwnerCommand) -> Result<OrderAnswer, Fail> {
        let place = self.place(id)?;
        let order = orders::send(&place, command, &self.home)?;
        orders::await_answer(&place, order)
    }
}
