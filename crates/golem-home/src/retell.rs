//! A life read back from its file, for whoever tells it: facts, series, what it learnt, and what else its money could have
//! done.

use crate::budget;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::origins;
use crate::stored::{parse, series};
use golem_core::fact::Envelope;
use golem_core::{GolemId, Seq, Timestamp, Usdc, VirtualTime};
use golem_daimon::affect::AffectFact;
use golem_grimoire::change::NamedTable;
use golem_grimoire::entry::{EntryKind, Provenance};
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::{Entry, Remembered};
use golem_life::{Fact, LifeFact, LifePoint, Status};
use golem_mind::Template;
use golem_mortality::MortalityFact;
use golem_mortality::economic::Prices;
use golem_runtime::memory::Detail;
use golem_runtime::{FactRow, Reader};
use golem_view::lessons::{learnt, own_entries};
use golem_view::story::{Ending, Instead, Learnt, Story, Told};
use std::path::Path;

/// Facts that come often and that no story needs.
const PASSED_OVER: [&str; 4] = [
    LifeFact::named("Curated"),
    AffectFact::named("Appraisal"),
    LifeFact::named("Goal"),
    MortalityFact::named("Channel"),
];
/// Facts read at once.
const PAGE: u32 = 2_000;

/// A life as its file tells it.
pub struct Retold {
    /// How it stands.
    pub status: Status,
    /// Its series.
    pub series: Vec<LifePoint>,
    /// Its settings.
    pub file: GolemFile,
    /// When it was born.
    pub born_at: Timestamp,
    /// What it was given at birth.
    pub funding: Usdc,
    /// The story.
    pub told: Told,
    /// How it trades, and where, in words.
    pub way: String,
    /// What else could have been done with the money, where prices are known.
    pub instead: Option<Instead>,
    /// Facts of another form than this program knows.
    pub unread: u64,
}

/// Read it.
pub fn read(dir: &Path) -> Result<Retold, Fail> {
    let reader = Reader::open(dir)?;
    let row = reader.status()?.ok_or_else(|| Fail::hint("it has not lived yet", "bardo golem run ID"))?;
    let status: Status = parse(&row.body)?;
    let origin = reader.origin()?;
    let (file, born_at) = (origins::settings_of(&origin)?, origin.birth.born_at);
    let series = series(&reader)?;
    let (story, unread) = story(&reader, origin.birth.id, &series, born_at)?;
    let lessons = Lessons::of(&reader, born_at)?;
    let way = way(&file);
    let instead = instead(&file, &status, &series, origin.birth.funding);
    let told = story.tell(&Ending {
        status: &status,
        series: &series,
        born_at,
        way: &way,
        first_lesson: lessons.first,
        best_rule: lessons.best,
        rules: lessons.rules,
        instead,
    });
    Ok(Retold { status, series, file, born_at, funding: origin.birth.funding, told, way, instead, unread })
}

/// How it trades, and where.
fn way(file: &GolemFile) -> String {
    let does = match file.policy.template {
        Template::LpManagement => "provides liquidity where the fees pay for it",
        Template::TrendFollowing => "holds ETH while its price rises",
        Template::EthDca => "buys ETH for the same amount at even intervals",
        Template::StableYield => "holds USDC, and liquidity while it clearly pays",
    };
    let ground = match file.chain.kind {
        ChainWord::Paper => "paper",
        ChainWord::Embedded => "the embedded chain",
        ChainWord::Rpc => "a node's chain",
    };
    format!("{does} ({}, on {ground})", file.policy.template)
}

/// A stored fact with its address. `None` for one of another form: a file may be older than this program.
pub fn fact(row: &FactRow, golem: GolemId) -> Option<Envelope<Fact>> {
    let body = golem_view::fact::read(&row.name, row.tick, &row.body).ok()?;
    Some(Envelope { golem, seq: row.seq, tick: row.tick, at: row.at, cause: row.cause, body })
}

/// Show every stored fact of one name, or of all; how many could not be read comes back.
pub fn facts(
    reader: &Reader,
    golem: GolemId,
    name: Option<&str>,
    mut show: impl FnMut(&Envelope<Fact>),
) -> Result<u64, Fail> {
    let (mut after, mut unread): (Option<Seq>, u64) = (None, 0);
    loop {
        let page = reader.facts(after, name, PAGE)?;
        let Some(last) = page.last() else { return Ok(unread) };
        after = Some(last.seq);
        for row in page.iter().filter(|row| !PASSED_OVER.contains(&row.name.as_str())) {
            match fact(row, golem) {
                Some(fact) => show(&fact),
                None => unread += 1,
            }
        }
    }
}

/// Facts and prices in the order in which they came.
fn story(reader: &Reader, golem: GolemId, series: &[LifePoint], born_at: Timestamp) -> Result<(Story, u64), Fail> {
    let mut story = Story::default();
    let mut points = series.iter().peekable();
    let unread = facts(reader, golem, None, |fact| {
        while let Some(point) = points.next_if(|point| point.tick < fact.tick) {
            see_price(&mut story, point, born_at);
        }
        story.see(fact);
    })?;
    points.for_each(|point| see_price(&mut story, point, born_at));
    Ok((story, unread))
}

fn see_price(story: &mut Story, point: &LifePoint, born_at: Timestamp) {
    if let Some(price) = point.price {
        story.price(Timestamp(born_at.0.saturating_add((point.age_days * 86_400.0) as i64)), price);
    }
}

/// What else could have been done with the money, where the first price is known: from its world, or from the first hour of
/// its life on a chain that nobody can look back into.
fn instead(file: &GolemFile, status: &Status, series: &[LifePoint], funding: Usdc) -> Option<Instead> {
    let first = if file.chain.kind == ChainWord::Paper { budget::first_look(file) } else { None };
    let price_then = first.as_ref().and_then(|seen| seen.price).or(series.first().and_then(|p| p.price))?;
    let price_now = status.price?;
    let gwei_now = status.cortical.gas_gwei.map_or(0.0, f64::from);
    let gwei_then = first.and_then(|seen| seen.gas_gwei).unwrap_or(gwei_now);
    // Gwei are 1e-9 of the asset, and the price is USDC for one of it.
    let gas = |gwei: f64, price: f64| Usdc((gwei * file.policy.gas_units as f64 * price / 1e3).max(0.0) as u64);
    let operating = funding.share_bps(Prices::of(&file.mortality.economic).operating_bps);
    Some(Instead {
        capital: funding.minus(operating),
        price_then,
        price_now,
        fee: f64::from(golem_venue::pool::FEE) / 1e6,
        gas_then: gas(gwei_then, price_then),
        gas_now: gas(gwei_now, price_now),
    })
}

/// What it learnt, as far as a story tells it.
pub struct Lessons {
    /// The first.
    pub first: Option<Learnt>,
    /// The best.
    pub best: Option<Learnt>,
    /// Rules in its playbook.
    pub rules: usize,
}

impl Lessons {
    /// From its memory.
    pub fn of(reader: &Reader, born_at: Timestamp) -> Result<Self, Fail> {
        let all = reader.memory().remembered(None, Detail::Learnt)?;
        let at = |age: VirtualTime| born_at.after(age.age());
        let known = |entry: &Entry| learnt(entry, born_at);
        let entries = || own_entries(all.entries.iter().map(|(entry, _)| entry));
        // That one thing goes with another is not yet a lesson, nor what a dream rehearsed; they are told where there is nothing better.
        let rehearsed = |e: &Entry| e.body.kind == EntryKind::Warning && e.body.provenance == Provenance::Dream;
        let is_lesson = |e: &&Entry| e.body.kind != EntryKind::CausalLink && !rehearsed(e);
        let first = entries().filter(is_lesson).min_by_key(|e| e.body.learnt_at);
        let first = first.or_else(|| entries().min_by_key(|e| e.body.learnt_at)).map(known);
        let rules = rules(&all)?;
        let best_known = || entries().max_by_key(|e| (e.standing.validated, e.standing.confidence_bp)).map(known);
        let best = rules.iter().max_by_key(|(_, rule)| (rule.held, rule.confidence_bp)).map(|(since, rule)| {
            let mut rule = rule.clone();
            rule.at = at(*since);
            rule
        });
        Ok(Self { first, best: best.or_else(best_known), rules: rules.len() })
    }
}

/// The rules of the playbook, each with the age since which it stands there.
fn rules(all: &Remembered) -> Result<Vec<(VirtualTime, Learnt)>, Fail> {
    let stored = all.rows.iter().find(|(table, key, _)| *table == NamedTable::Playbook && key == PlaybookWriter::KEY);
    let Some((_, _, body)) = stored else { return Ok(Vec::new()) };
    let writer = PlaybookWriter::restore(body).map_err(|e| Fail::Bug(format!("the stored playbook: {e}")))?;
    let rule = |rule: &golem_grimoire::playbook::Rule| {
        let words = rule.words();
        let learnt = Learnt {
            at: Timestamp::default(),
            text: words.because.clone(),
            is_rule: true,
            held: words.validated,
            failed: words.contradicted,
            confidence_bp: words.confidence_bp,
        };
        (words.since, learnt)
    };
    Ok(writer.playbook().rules().map(rule).collect())
}
