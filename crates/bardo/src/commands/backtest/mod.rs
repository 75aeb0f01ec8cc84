//! `bardo backtest`: a whole golem over recorded history, held against buying and holding, holding USDC, and the same golem
//! without learning. It ends with a page; the same arguments give the same report.

mod baselines;
mod export;
mod life;
mod page;
mod report;
mod seeds;
mod table;
mod watch;

use crate::birth;
use crate::chain::{self, Newcomer, OpenChains, Stand};
use crate::cli::Backtest;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile, WorldKind, moment};
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::world::{CsvOptions, CsvWorld, Survey};
use golem_mortality::config::Deaths;
use golem_view::page::ReportPage;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, PoisonError};

/// What all lives of a backtest have in common.
struct Bench<'a> {
    args: &'a Backtest,
    file: GolemFile,
    home: &'a Home,
    out: &'a Out,
    /// The page of the first seed, once it is there.
    page: Mutex<Option<ReportPage>>,
    /// Whether somebody wants a page, for which more is kept of a life.
    wants_page: bool,
    /// What the history is like.
    survey: Survey,
    /// One step for every bar of every account.
    bar: ProgressBar,
}

/// Run it.
pub fn run(args: &Backtest, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    birth::check_budget(args.budget)?;
    let mut file = settings(args)?;
    let survey = survey(&file)?;
    let to = PagePlace::of(&args.report, home, "backtest", args.export.is_some(), yes)?;
    let _claim = args.export.as_deref().map(export::claim).transpose()?;
    chain::fall_back(&mut file, home, out)?;
    out.say(&format!("{} over {} on {}", args.template, args.data.display(), file.chain.kind.name()));
    let accounts = survey.bars.saturating_add(survey.missing).saturating_mul(3).saturating_mul(args.seeds);
    let bar = progress(Some(accounts).filter(|_| out.live));
    let wants_page = to.is_wanted() || args.export.is_some();
    let bench = Bench { args, file, home, out, page: Mutex::new(None), wants_page, survey, bar };
    let told = seeds::all(&bench);
    bench.bar.finish_and_clear();
    let told = told?;
    let page = bench.page.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(mut page) = page {
        page.parts.extend(told.seeds.iter().flat_map(page::seeds));
        to.write(&page, out)?;
    }
    out.result(&told, || table::text(&told))
}

fn settings(args: &Backtest) -> Result<GolemFile, Fail> {
    let mut file = GolemFile::read("", &args.set)?;
    file.world.kind = WorldKind::Csv;
    file.world.path = args.data.display().to_string();
    file.world.from = args.from.clone().unwrap_or(file.world.from);
    file.world.until = args.to.clone().unwrap_or(file.world.until);
    file.policy.template = args.template;
    file.chain.kind = args.chain;
    file.market.gas_gwei = args.gas_gwei.unwrap_or(file.market.gas_gwei);
    // They advise only, and a life without them is the same life.
    file.diagnostics.enabled = false;
    if !args.stop_at_death {
        file.mortality.deaths = Deaths::Recorded;
    }
    if file.chain.kind == ChainWord::Rpc {
        let what = "a node's chain cannot be taken back to the beginning of a history";
        return Err(Fail::hint(what, "backtest on --chain paper or --chain embedded"));
    }
    file.world.settle()?;
    file.check()?;
    Ok(file)
}

/// Look the history through before anybody lives in it.
fn survey(file: &GolemFile) -> Result<Survey, Fail> {
    Ok(history(file)?.survey())
}

/// The bars that are lived in.
fn history(file: &GolemFile) -> Result<CsvWorld, Fail> {
    let time = |text: &str| moment(text).map_err(|e| Fail::owner(format!("{text:?} is no time: {e}")));
    let (from, until) = (time(&file.world.from)?, time(&file.world.until)?);
    let options = CsvOptions { from, until, ..CsvOptions::default() };
    CsvWorld::open(&file.world.path, &options).map_err(|e| Fail::hint(e.to_string(), e.hint()))
}

impl Bench<'_> {
    /// The settings of one seed.
    fn seeded(&self, seed: u64) -> GolemFile {
        let mut file = self.file.clone();
        file.world.seed = seed;
        file
    }

    /// Where an account stands: a chain of its own that nobody else sees and that leaves no file.
    fn stand(&self, file: &GolemFile) -> Result<Stand, Fail> {
        let (home, out, chains) = (self.home, self.out, OpenChains::default());
        chain::stand(Newcomer { file, home, origin: None, store: None, chains: &chains, key: None, out })
    }
}

fn progress(total: Option<u64>) -> ProgressBar {
    let Some(total) = total else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {eta} left");
    let bar = ProgressBar::new(total);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
