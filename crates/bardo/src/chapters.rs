//! A life as it passes, for whoever watches a demo: chapters as they happen, and a line of vitals on a terminal.

use crate::chart::bar;
use crate::live_line::LiveLine;
use crate::out::Out;
use crate::retell::Lessons;
use crate::screen::{Watcher, notice_words};
use golem_core::Timestamp;
use golem_core::fact::Envelope;
use golem_life::{Fact, LifeFact};
use golem_mortality::MortalityFact;
use golem_runtime::{Notice, Reader};
use golem_view::story::{Story, StoryChapter, calendar};
use golem_view::wrap::WIDTH;
use std::path::{Path, PathBuf};

/// The line of vitals is drawn anew after so many turns.
const REDRAW: u64 = 256;

/// Chapters as they happen.
pub struct Chapters {
    out: Out,
    live: Option<LiveLine>,
    most: Option<u64>,
    story: Story,
    dir: PathBuf,
    born_at: Timestamp,
    has_learnt: bool,
    turns: u64,
}

impl Chapters {
    /// Of the golem in a directory. With a number of turns the line says how many of them are over.
    pub fn of(dir: &Path, born_at: Timestamp, turns: Option<u64>, out: Out) -> Self {
        let live = out.live.then(LiveLine::default);
        let (story, dir) = (Story::default(), dir.to_owned());
        Self { out, live, most: turns, story, dir, born_at, has_learnt: false, turns: 0 }
    }

    fn tell(&self, chapter: &StoryChapter) {
        for line in chapter.lines(WIDTH) {
            self.line(&line);
        }
    }

    fn line(&self, words: &str) {
        match &self.live {
            Some(live) => live.above(|| self.out.say(words)),
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
        let Some(live) = &self.live else { return };
        let day = (at.0.saturating_sub(self.born_at.0) / 86_400).saturating_add(1);
        let done = self.most.map_or(String::new(), |n| format!("{:>3} % · ", self.turns.min(n) * 100 / n.max(1)));
        live.show(&format!(
            "{done}{}, day {day} · {phase} · vitality {} {composite:.2} · skill {epistemic:.2}",
            calendar::day(at),
            bar(*composite)
        ));
    }
}

impl Watcher for Chapters {
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
