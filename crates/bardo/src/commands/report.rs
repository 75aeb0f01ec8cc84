//! `bardo report ID`: a whole life as one page that can be sent to anybody.

use crate::cli::ReportOf;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use crate::page_file;
use golem_home::HomeReader;
use golem_home::life_page::{LifeFigures, LifePage};
use golem_life::LifeStanding;
use golem_view::{money, time};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What others rely on.
#[derive(Debug, Serialize)]
struct ReportTold {
    path: String,
    bytes: usize,
    #[serde(flatten)]
    figures: LifeFigures,
}

/// Write it.
pub fn run(args: &ReportOf, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    let reader = HomeReader::open(home.clone());
    let name = reader.place(&args.id)?.name;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.html")));
    if path == Path::new("-") {
        // Whoever reads it reads the page and nothing else.
        return out.line(reader.life_page(&args.id)?.page.html().trim_end());
    }
    page_file::check(&path, yes)?;
    let LifePage { page, figures } = reader.life_page(&args.id)?;
    let html = page.html();
    page_file::write(&path, &html, yes)?;
    let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone()).display().to_string();
    let told = ReportTold { path: absolute, bytes: html.len(), figures };
    out.result(&told, || folded(&text(&told, &path)))
}

fn text(told: &ReportTold, path: &Path) -> String {
    let of = &told.figures;
    let how = match &of.cause_in_words {
        None => of.phase.to_string(),
        Some(cause) => {
            let verb = if of.standing == LifeStanding::Dead { "died" } else { "is dying" };
            format!("{verb}: {cause}")
        }
    };
    format!(
        "{}: {} in {}, {how}; worth {} of {} USDC\n  page  {}",
        of.name,
        time::age(of.age_days),
        golem_view::wrap::counted(usize::try_from(of.turns).unwrap_or(usize::MAX), "turn"),
        money::usdc(of.worth),
        money::usdc(of.given),
        path.display()
    )
}
