//! The life as chapters, and for the dead how it ended: the cause, its last words, and the first of what it left.

use super::reading::LifeReading;
use golem_grimoire::testament::{Testament, TestamentSection};
use golem_mortality::Death;
use golem_view::cause::cause;
use golem_view::page::{PagePart, PageTable};
use golem_view::story::in_words;
use golem_view::{money, time};

/// Sentences of each section of the testament that stand on the page.
const SENTENCES: usize = 4;

/// What it said last, where anybody may read it.
pub(super) fn last_words(life: &LifeReading) -> Option<PagePart> {
    life.testament.as_ref().map(|said| PagePart::Quote(said.last_words.text().to_owned()))
}

/// The story of its life.
pub(super) fn chapters(life: &LifeReading) -> Vec<PagePart> {
    let row = |chapter: &golem_view::story::StoryChapter| {
        vec![time::moment(chapter.at), chapter.title.clone(), chapter.text.clone()]
    };
    let table = PageTable {
        caption: String::new(),
        head: ["when", "chapter", "what happened"].map(str::to_owned).to_vec(),
        rows: life.told.chapters.iter().map(row).collect(),
    };
    vec![PagePart::Heading("Its life".to_owned()), PagePart::Table(table)]
}

/// How it ended; nothing for the living.
pub(super) fn ended(life: &LifeReading) -> Vec<PagePart> {
    let Some(death) = &life.status.death else { return Vec::new() };
    if !life.is_dead() {
        return dying(death);
    }
    let vitality = &death.final_vitality;
    let mut parts = vec![
        PagePart::Heading("How it ended".to_owned()),
        PagePart::Words(format!(
            "It died {} in turn {}, of {}. Its vitality was {:.3}: money {:.3}, knowledge {:.3}.",
            time::moment(life.ended_at()),
            money::grouped(u128::from(death.tick.0)),
            cause(&death.cause),
            vitality.composite,
            vitality.economic,
            vitality.epistemic
        )),
    ];
    match &life.testament {
        Some(said) => parts.extend(testament(said)),
        None => parts.push(PagePart::Words("It left no testament that anybody may read.".to_owned())),
    }
    parts
}

/// Its death is on record, and its last turns are not over.
fn dying(death: &Death) -> Vec<PagePart> {
    let turn = money::grouped(u128::from(death.tick.0));
    vec![
        PagePart::Heading("How it ends".to_owned()),
        PagePart::Words(format!(
            "It is dying since turn {turn}, of {}. Its testament is being written; a page that is made later has it.",
            cause(&death.cause)
        )),
    ]
}

fn testament(said: &Testament) -> Vec<PagePart> {
    let facts = [("settled", said.settlement.say()), ("went home", said.home.say())];
    let mut parts = vec![PagePart::Facts(facts.map(|(name, what)| (name.to_owned(), what)).to_vec())];
    for section in TestamentSection::ALL {
        let sentences = said.sections.of(section);
        if !sentences.is_empty() {
            parts.push(PagePart::Subheading(section.title().to_owned()));
            parts.push(PagePart::List(sentences.iter().take(SENTENCES).map(|s| in_words(s.text())).collect()));
        }
    }
    if !said.open_questions.is_empty() {
        parts.push(PagePart::Subheading("Open questions".to_owned()));
        parts.push(PagePart::List(said.open_questions.iter().take(SENTENCES).map(|s| in_words(s.text())).collect()));
    }
    let name = &said.by.name;
    parts.push(PagePart::Words(format!(
        "All of it, with the records behind each sentence: bardo golem testament {name}"
    )));
    parts
}
