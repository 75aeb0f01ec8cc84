//! The answers to reads: the reader's own values, and nothing that it does not say.

use crate::ServedHome;
use crate::fault::ApiFault;
use crate::query::AskedWords;
use crate::routes::ReadWord;
use axum::body::Bytes;
use golem_core::{Seq, Tick, Timestamp};
use golem_ferry::{CladeStanding, FerryFault, SiblingSeen};
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::SignedTestament;
use golem_home::Fail;
use golem_home::forecasts::domain;
use golem_home::golem_file::GolemFile;
use golem_home::obituary::Obituary;
use golem_life::LifePoint;
use golem_mortality::epistemic::NAIVE_FITNESS;
use golem_runtime::{Clock as _, RealClock};
use golem_view::cause::cause;
use golem_view::story::in_words;
use serde::Serialize;
use serde_json::json;

/// Answer one; reads files.
pub(crate) fn answer(word: ReadWord, asked: &AskedWords, served: &ServedHome) -> Result<Bytes, ApiFault> {
    let (home, id) = (&served.reader, asked.id.as_str());
    if !id.is_empty() {
        home.place(id).map_err(|fail| ApiFault::nobody(&fail))?;
    }
    let count = |name: &str, default: u64| usize::try_from(asked.number(name).unwrap_or(default)).unwrap_or(usize::MAX);
    let small = |name: &str, default: u32| asked.number(name).and_then(|n| u32::try_from(n).ok()).unwrap_or(default);
    match word {
        ReadWord::Golems => text(&served.fleet.cards()?.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
        ReadWord::Status => {
            // Whoever looks at a copy would give its orders to the one that lives where it belongs.
            home.home().is_at_home(&home.place(id)?)?;
            text(&home.report(id)?)
        }
        ReadWord::Vitals => text(&home.vitals(id)?),
        ReadWord::Forecast => text(&home.forecast(id)?),
        ReadWord::Facts => text(&home.facts(id, asked.number("after").map(Seq), small("limit", 200))?),
        ReadWord::Series => {
            let all = home.series(id, Tick(asked.number("after").unwrap_or(0)))?;
            text(&thinned(all, count("points", 2_000)))
        }
        ReadWord::Trades => text(&home.trades(id, asked.maybe_text("since"), Some(count("last", 1_000)))?),
        ReadWord::Logs => {
            text(&home.logs(id, small("last", 40), asked.maybe_text("only"), asked.maybe_text("since"))?)
        }
        ReadWord::Predictions => {
            let domain = asked.maybe_text("domain").map(domain).transpose()?;
            text(&home.predictions(id, domain, asked.number("as_of").map(Tick), count("top", 40))?)
        }
        ReadWord::Suffering => text(&home.suffering(id)?.1),
        ReadWord::SufferingHistory => text(&home.suffered(id, count("last", 50))?),
        ReadWord::Dreams => text(&home.dreams(id, asked.number("as_of").map(Tick), small("last", 20))?),
        ReadWord::Dream => text(&home.dream(id, asked.number("number").and_then(|n| u32::try_from(n).ok()))?),
        ReadWord::DreamStats => text(&home.dream_stats(id)?),
        ReadWord::Phages => text(&home.phages(id)?),
        ReadWord::Staging => {
            let staged: Vec<StagedWords> =
                home.staging(id, asked.number("as_of").map(Tick))?.into_iter().map(StagedWords::of).collect();
            text(&json!({ "staged": staged }))
        }
        ReadWord::Playbook => {
            let writer = home.playbook(id, asked.number("as_of").map(Tick))?;
            text(&json!({ "playbook": writer.playbook(), "text": writer.text() }))
        }
        ReadWord::PlaybookLint => text(&home.playbook_lint(id)?),
        ReadWord::PlaybookDiff => text(&home.playbook_diff(id)?),
        ReadWord::Causes => text(&home.causes(id, asked.number("as_of").map(Tick))?),
        ReadWord::GrimoireSearch => {
            text(&home.grimoire_search(id, asked.text("q"), asked.number("as_of"), count("top", 20))?)
        }
        ReadWord::GrimoireEntry => text(&home.grimoire_entry(id, asked.text("entry"))?),
        ReadWord::GrimoireWhy => text(&home.grimoire_why(id, asked.number("as_of"))?),
        ReadWord::GrimoireStats => text(&home.grimoire_stats(id)?),
        ReadWord::Testament => match home.testament(id)? {
            Some(signed) => {
                let page = golem_view::testament::page(&signed);
                text(&TestamentTold { signed, page })
            }
            None => Err(ApiFault::absent("it has left no testament", "a testament is written at the end of a life")),
        },
        ReadWord::Obituary => {
            let life = home.obituary(id)?;
            let cause_in_words = life.death.as_ref().map(|death| cause(&death.cause));
            let last_words = life.testament.as_ref().map(|left| left.last_words.text().to_owned());
            let rule_in_words = life.story.rule.as_ref().map(|rule| in_words(&rule.text));
            text(&ObituaryPage { life, cause_in_words, last_words, rule_in_words, naive_fitness: NAIVE_FITNESS })
        }
        ReadWord::Clade => {
            let (place, styx) = (home.place(id)?, home.config(id)?.styx);
            if !styx.enabled {
                return text(&Vec::<CladeStanding>::new());
            }
            let (id, name, owner) = (place.id.to_string(), place.name.to_string(), home.clade_owner()?);
            let standing = CladeStanding { id, name, relay: styx.relay, owner, ..CladeStanding::default() };
            text(&[standing.with_file(&place.dir, now_s()).map_err(ferry_fault)?])
        }
        ReadWord::Siblings => text(&SiblingSeen::all(&home.place(id)?.dir, now_s()).map_err(ferry_fault)?),
        ReadWord::Lineage => text(&home.lineage(id)?),
        ReadWord::Config => text(&home.config(id)?),
        ReadWord::Models => text(&home.models(id)?),
        ReadWord::Snapshots => text(&home.snapshots(id)?),
        ReadWord::Verify => text(&home.verify(id)?),
        ReadWord::Replay => match asked.maybe_text("diff") {
            Some(other) => text(&home.parted(id, other)?),
            None => text(&home.replay(id, asked.number("until").map(Tick))?),
        },
        ReadWord::Graveyard => {
            let all = home.graveyard(asked.maybe_text("beside"))?;
            text(&json!({ "graves": all.graves, "unreadable": all.unreadable }))
        }
        ReadWord::Library => text(&home.library()?),
        ReadWord::LibrarySearch => text(&home.library_search(asked.text("q"), count("top", 10))?),
        ReadWord::LibraryEntry => text(&home.library_entry(asked.text("entry"))?),
        ReadWord::LibraryBundles => match asked.maybe_text("name") {
            Some(name) => text(&home.library_bundle(name)?),
            None => text(&home.library_bundles()?),
        },
        ReadWord::Treasury => text(&home.treasury()?),
        ReadWord::Settings => text(&GolemFile::default()),
    }
}

fn ferry_fault(why: FerryFault) -> Fail {
    Fail::world(why.to_string())
}

fn now_s() -> u64 {
    u64::try_from(RealClock::default().now().0).unwrap_or(0)
}

/// A whole life as one page, the same that `bardo report` writes; reads all of the golem's file.
pub(crate) fn report(asked: &AskedWords, served: &ServedHome) -> Result<String, ApiFault> {
    let (home, id) = (&served.reader, asked.id.as_str());
    home.place(id).map_err(|fail| ApiFault::nobody(&fail))?;
    Ok(home.life_page(id)?.page.html())
}

fn text<T: Serialize>(value: &T) -> Result<Bytes, ApiFault> {
    let spelled = serde_json::to_vec(value).map_err(|e| ApiFault::from(Fail::Bug(e.to_string())))?;
    Ok(Bytes::from(spelled))
}

/// A proposal, and what it proposes in words.
#[derive(Debug, Serialize)]
struct StagedWords {
    #[serde(flatten)]
    proposal: Proposal,
    text: String,
}

impl StagedWords {
    fn of(proposal: Proposal) -> Self {
        let text = in_words(&proposal.change.text());
        Self { proposal, text }
    }
}

/// A testament, and the page that the terminal makes of it.
#[derive(Debug, Serialize)]
struct TestamentTold {
    #[serde(flatten)]
    signed: SignedTestament,
    page: String,
}

/// A life as a story, with what a page says at its head.
#[derive(Debug, Serialize)]
struct ObituaryPage {
    #[serde(flatten)]
    life: Obituary,
    cause_in_words: Option<String>,
    last_words: Option<String>,
    /// What it trusted most, without names of fields.
    rule_in_words: Option<String>,
    /// Fitness of whoever guesses naively.
    naive_fitness: f64,
}

/// A point with its moment.
#[derive(Debug, Serialize)]
struct DatedPoint {
    at: Timestamp,
    #[serde(flatten)]
    point: LifePoint,
}

/// About so many points, evenly chosen; the first and the newest are always there.
fn thinned(all: Vec<(Timestamp, LifePoint)>, most: usize) -> Vec<DatedPoint> {
    let (len, last) = (all.len(), all.len().saturating_sub(1));
    let step = len.div_ceil(most.max(1)).max(1);
    let kept = all.into_iter().enumerate().filter(|(n, _)| n % step == 0 || *n == last);
    kept.map(|(_, (at, point))| DatedPoint { at, point }).collect()
}
