//! A life as it passes, for whoever watches a demo: chapters as they happen, and a line of vitals on a terminal.

use crate::chart::bar as gauge;
use crate::out::Out;
use crate::retell::Lessons;
use crate::screen::{Watch, notice_words};
use golem_core::Timestamp;
use golem_core::fact::Envelope;
use golem_life::{Fact, LifeFact};
use golem_mortality::MortalityFact;
use golem_runtime::{Notice, Reader};
use golem_view::story::{Story, StoryChapter, calendar};
use golem_view::wrap::{WIDTH, cut};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};

/// The line of vitals is drawn anew after so many turns.
const REDRAW: u64 = 256;

/// Chapters as they happen.
pub struct Chapters {
    out: Out,
    bar: Option<ProgressBar>,
    story: Story,
    dir: PathBuf,
    born_at: Timestamp,
    has_learnt: bool,
    turns: u64,
}

impl Chapters {
    /// Of the golem in a directory. With a number of turns the line says how many of them are over.
    pub fn of(dir: &Path, born_at: Timestamp, turns: Option<u64>, out: Out) -> Self {
        let bar = out.live.then(|| {
            let (bar, template) = match turns {
                Some(n) => (ProgressBar::new(n), "{percent:>3}% {msg}"),
                None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
            };
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        Self { out, bar, story: Story::default(), dir: dir.to_owned(), born_at, has_learnt: false, turns: 0 }
    }

    fn tell(&self, chapter: &StoryChapter) {
        for line in chapter.lines(WIDTH) {
            self.line(&line);
        }
    }

    fn line(&self, words: &str) {
        match &self.bar {
            Some(bar) => bar.println(words),
            None => self.out.say(words),
        }
    }

    /// The first lesson stands in its file by now: a fact is told once it is on disk.
    fn first_lesson(&mut self) {
        if self.has_learnt {
            return;
        }
        let lessons = Reader::open(&self.dir).map_err(Into::into).and_then(|r| Lessons::of(&r, self.born_at));
        if let Ok(Lessons { first: Some(first), .. }) = lessons {
            self.has_learnt = true;
            self.tell(&first.chapter("first lesson"));
        }
    }

    fn vitals(&self, fact: &MortalityFact, at: Timestamp) {
        let MortalityFact::VitalityUpdate { composite, epistemic, phase, .. } = fact else { return };
        let Some(bar) = &self.bar else { return };
        let day = (at.0.saturating_sub(self.born_at.0) / 86_400).saturating_add(1);
        let words = format!(
            "{}, day {day} · {phase} · vitality {} {composite:.2} · skill {epistemic:.2}",
            calendar::day(at),
            gauge(*composite)
        );
        // An echo that wraps would leave the line behind.
        bar.set_message(cut(&words, WIDTH - 8));
        bar.set_position(self.turns);
        bar.tick();
    }
}

impl Watch for Chapters {
    fn fact(&mut self, fact: &Envelope<Fact>) {
        for chapter in self.story.see(fact) {
            self.tell(&chapter);
        }
        match &fact.body {
            Fact::Mortality(vitals @ MortalityFact::VitalityUpdate { .. }) => {
                self.turns += 1;
                if self.turns.is_multiple_of(REDRAW) {
                    self.vitals(vitals, fact.at);
                }
            }
            Fact::Life(LifeFact::StagingSwept { promoted: 1.., .. } | LifeFact::PlaybookRevised { .. }) => {
                self.first_lesson();
            }
            _ => {}
        }
    }
    fn notice(&mut self, notice: &Notice) {
        if let Some(words) = notice_words(notice) {
            self.line(&words);
        }
    }
    fn news(&mut self, words: &str) {
        self.line(words);
    }
}

impl Drop for Chapters {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
