//! The one way in for surfaces: each question is a short read of a golem's file, by its name, its id or the beginning of
//! either.

use crate::cards::{self, GolemCard, StatusReport};
use crate::dreams::{self, DreamBook};
use crate::facts::{self, ToldFact};
use crate::fail::Fail;
use crate::forecasts::{self, Foretold};
use crate::golem_file::GolemFile;
use crate::graves::{self, Graveyard};
use crate::home::{Home, Place};
use crate::line::{self, LineMember};
use crate::obituary::{self, Obituary};
use crate::orders::{self, OrderAnswer, OwnerCommand};
use crate::origins;
use crate::pain::{self, Burden};
use crate::rules;
use crate::search::{self, SearchResult};
use crate::shelf::{self, LibraryPage};
use crate::stored;
use crate::testament;
use crate::trades;
use crate::vitals::{self, VitalSigns};
use golem_core::{Seq, Tick, Timestamp};
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::SignedTestament;
use golem_life::{LifePoint, Status};
use golem_mortality::forecast::LifeForecast;
use golem_runtime::{Clock as _, Reader, RealClock};
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

    /// The downsampled series after a turn, with the moment of each point.
    pub fn series(&self, id: &str, after: Tick) -> Result<Vec<(Timestamp, LifePoint)>, Fail> {
        stored::points_after(&Reader::open(&self.place(id)?.dir)?, after)
    }

    /// What it did with its money, the oldest first.
    pub fn trades(&self, id: &str) -> Result<Vec<Trade>, Fail> {
        Ok(trades::read(&Reader::open(&self.place(id)?.dir)?)?.all().to_vec())
    }

    /// What it has foretold: the scores, and the latest that are settled.
    pub fn predictions(&self, id: &str, top: usize) -> Result<Foretold, Fail> {
        forecasts::read(&self.place(id)?, None, None, top)
    }

    /// The settings that it was born with, without what may be a key.
    pub fn config(&self, id: &str) -> Result<GolemFile, Fail> {
        let origin = Reader::open(&self.place(id)?.dir)?.origin()?;
        Ok(origins::settings_of(&origin)?.shown())
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
    pub fn dreams(&self, id: &str, last: u32) -> Result<DreamBook, Fail> {
        dreams::journal(&self.place(id)?, last)
    }

    /// What is being tested of what it dreamt.
    pub fn staging(&self, id: &str) -> Result<Vec<Proposal>, Fail> {
        dreams::staging(&self.place(id)?)
    }

    /// The rules that it lives by.
    pub fn playbook(&self, id: &str) -> Result<PlaybookWriter, Fail> {
        rules::playbook(&self.place(id)?, None)
    }

    /// What it knows and remembers of something.
    pub fn grimoire_search(&self, id: &str, words: &str, top: usize) -> Result<SearchResult, Fail> {
        search::search(&self.place(id)?, words, None, top)
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

    /// The dead.
    pub fn graveyard(&self) -> Result<Graveyard, Fail> {
        graves::graveyard(&self.home)
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

    /// Its life as a story with figures.
    pub fn obituary(&self, id: &str) -> Result<Obituary, Fail> {
        let place = self.place(id)?;
        cards::status(&place)?;
        obituary::read(&place.dir)
    }

    /// Tell it something, and wait a little for its answer.
    pub fn command(&self, id: &str, command: &OwnerCommand) -> Result<OrderAnswer, Fail> {
        let place = self.place(id)?;
        let order = orders::send(&place, command, &self.home)?;
        orders::await_answer(&place, order)
    }
}
