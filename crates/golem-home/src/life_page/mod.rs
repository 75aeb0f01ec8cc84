//! A whole life as one page: what it was worth beside what else could have been done, what it did, foretold, dreamt, learnt and
//! felt, and how it ended. Read here, so that every surface that writes such a page writes the same.

mod end;
mod inner;
mod mind;
mod money;
mod reading;

use crate::fail::Fail;
use crate::home::Place;
use golem_core::{GolemId, Name, Usdc};
use golem_life::LifeStanding;
use golem_mortality::BehavioralPhase;
use golem_view::dreamt::dreamt;
use golem_view::foresight::foretold;
use golem_view::metrics::Ratios;
use golem_view::page::{PagePart, ReportPage};
use golem_view::story::calendar;
use golem_view::{money as words, time};
use reading::LifeReading;
use serde::Serialize;

/// The page, and the figures that it shows.
#[derive(Debug, Clone)]
pub struct LifePage {
    pub page: ReportPage,
    pub figures: LifeFigures,
}

/// What `report --json` prints beside the path; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct LifeFigures {
    pub id: GolemId,
    pub name: Name,
    pub turns: u64,
    pub age_days: f64,
    pub phase: BehavioralPhase,
    pub standing: LifeStanding,
    /// Of what it died, or is dying; none while it lives.
    pub cause: Option<String>,
    /// The same in a sentence, for people.
    pub cause_in_words: Option<String>,
    #[serde(rename = "given_micro_usdc")]
    pub given: Usdc,
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    /// What buying at birth and holding would have left, where prices are known.
    #[serde(rename = "buy_and_hold_micro_usdc")]
    pub buy_and_hold: Option<Usdc>,
    /// What holding USDC would have left.
    #[serde(rename = "hold_usdc_micro_usdc")]
    pub hold_usdc: Usdc,
    pub max_drawdown: f64,
    pub trades: u64,
    pub forecasts_settled: u64,
    pub dreams: u32,
    pub rules: usize,
    /// Head of the hash chain: what the page was made from.
    pub hash: String,
}

/// Read a golem's life and compose the page.
pub fn read(place: &Place) -> Result<LifePage, Fail> {
    let life = LifeReading::of(place)?;
    let course = money::course(&life);
    let mut page = ReportPage::new(&title(&life), &lead(&life));
    page.parts.extend(end::last_words(&life));
    page.add(PagePart::Facts(facts(&life)));
    page.add(PagePart::Heading("Worth".to_owned()));
    page.add(course.worth(&money::note(&life))).add(course.drawdown());
    page.parts.extend(course.phases());
    page.add(course.table());
    page.add(PagePart::Heading("What it did".to_owned()));
    page.parts.extend(course.trades(&life.trades));
    page.parts.extend(foretold(&life.foretold.scores, &life.foretold.settled));
    page.parts.extend(mind::learnt(&life));
    page.parts.extend(dreamt(life.status.dreams.as_ref(), &life.dreams, &life.staged));
    page.parts.extend(inner::felt(&life));
    page.parts.extend(inner::clocks(&life));
    page.parts.extend(money::reckoning(&life));
    page.parts.extend(end::chapters(&life));
    page.parts.extend(end::ended(&life));
    page.add(PagePart::Heading("This page".to_owned()));
    page.add(PagePart::Words(
        "It was made from the golem's own file, and needs nothing else. Made again it says the same, as long as nothing was lived \
         since."
            .to_owned(),
    ));
    page.add(PagePart::Command(format!("bardo report {}", life.status.name)));
    let figures = LifeFigures {
        id: life.status.id,
        name: life.status.name.clone(),
        turns: life.turns,
        age_days: life.age_days(),
        phase: life.status.phase,
        standing: life.status.standing,
        cause: life.status.death.as_ref().map(|death| death.cause.name().to_owned()),
        cause_in_words: life.status.death.as_ref().map(|death| golem_view::cause::cause(&death.cause)),
        given: life.status.funded,
        worth: life.status.worth(),
        buy_and_hold: life.told.holding,
        hold_usdc: life.told.nothing,
        max_drawdown: Ratios::of(&course.mine).depth(),
        trades: life.status.trades,
        forecasts_settled: life.foretold.scores.iter().map(|scores| scores.settled).sum(),
        dreams: life.status.dreams.as_ref().map_or(0, |dreams| dreams.cycles),
        rules: life.lessons.rules.len(),
        hash: life.hash.clone(),
    };
    Ok(LifePage { page, figures })
}

fn title(life: &LifeReading) -> String {
    let name = &life.status.name;
    if life.is_dead() { format!("† {name}") } else { name.to_string() }
}

fn lead(life: &LifeReading) -> String {
    let age = time::age(life.age_days());
    let way = &life.way;
    match &life.status.death {
        Some(death) if !life.is_dead() => {
            let (born, why) = (calendar::date(life.born_at), golem_view::cause::cause(&death.cause));
            format!("Born {born}, {age} old. It {way}. It is dying of {why}, and its testament is being written.")
        }
        Some(death) => {
            let days = calendar::stretch(life.born_at, life.ended_at());
            format!("{days}, {age}. It {way}. It died of {}.", golem_view::cause::cause(&death.cause))
        }
        None => {
            let born = calendar::date(life.born_at);
            format!("Born {born}, {age} old, {}. It {way}.", life.status.phase)
        }
    }
}

fn facts(life: &LifeReading) -> Vec<(String, String)> {
    let s = &life.status;
    let change = golem_view::metrics::change(s.funded, s.worth());
    let mut rows = vec![
        (
            "worth",
            format!("{} USDC of {} given, {}", words::usdc(s.worth()), words::usdc(s.funded), words::change(change)),
        ),
        ("held instead", held_instead(life)),
        ("turns", words::grouped(u128::from(life.turns))),
        (
            "skill",
            format!(
                "{:.3}, where {} is a naive guess",
                s.vitality.epistemic,
                golem_mortality::epistemic::NAIVE_FITNESS
            ),
        ),
        ("phase", s.phase.to_string()),
    ];
    if s.death.is_none() {
        let left = s.projected_life_h.map_or_else(|| "nothing burns".to_owned(), |h| time::age(h / 24.0));
        rows.push(("runway", format!("{left} at what living costs now")));
        rows.push(("next 24 hours", format!("{} to survive them, by the dice alone", words::percent(s.survival_24h))));
    }
    rows.push(("id", s.id.to_string()));
    rows.push(("hash", life.hash.clone()));
    if life.unread > 0 {
        rows.push(("left out", format!("{} facts of another form than this program knows", life.unread)));
    }
    rows.into_iter().map(|(name, what)| (name.to_owned(), what)).collect()
}

fn held_instead(life: &LifeReading) -> String {
    let nothing = format!("{} USDC by holding USDC", words::usdc(life.told.nothing));
    match life.told.holding {
        Some(holding) => format!("{} USDC by buying at birth and holding, {nothing}", words::usdc(holding)),
        None => nothing,
    }
}
