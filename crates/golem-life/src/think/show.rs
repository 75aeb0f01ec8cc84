//! What there is to show a model in this turn, from every room. Only what was recorded; how much of it is shown is the
//! context policy's.

use crate::life::Life;
use golem_core::VirtualTime;
use golem_core::words::one_line;
use golem_grimoire::retrieval::EpisodeQuery;
use golem_grimoire::{EntryId, Episode, Grimoire, Went};
use golem_mind::deliberate::{Material, OfferedEntry};

/// Characters of a testament's passage that are shown beside an entry.
const PASSAGE: usize = 240;
/// At most this many earlier times like this one are shown.
const TIMES: usize = 6;

impl Life {
    pub(super) fn material(&self) -> Material {
        let (seen, now) = (&self.turn.known.snapshot, self.state.core.age);
        let situation =
            seen.observed().map(|(field, value)| format!("{} = {} ({})", field.name(), short(&value), field.unit()));
        let goal = |g: &golem_mind::goals::Goal| {
            let far = g.success.distance(seen).map_or_else(|| g.success.to_string(), |d| d.say("reached"));
            let hours = g.deadline.since(now).0 as f64 / 3_600_000.0;
            format!("{} within {hours:.0} h: {far}", g.name.replace('_', " "))
        };
        Material {
            awareness: self.awareness(),
            suffering: self.suffering_lines(),
            goals: self.state.mind.goals().open().iter().map(goal).collect(),
            situation: situation.collect(),
            playbook: self.grimoire.as_ref().map(rules).unwrap_or_default(),
            knowledge: self.grimoire.as_ref().map(|g| self.memories(g)).unwrap_or_default(),
            episodes: self.grimoire.as_ref().map(|g| self.times(g)).unwrap_or_default(),
            owner: self.state.diary.owner().map(str::to_owned).collect(),
        }
    }

    /// What this turn's retrieval found.
    fn memories(&self, grimoire: &Grimoire) -> Vec<OfferedEntry> {
        let now = self.state.core.age;
        let one = |id| {
            let entry = grimoire.shelf().entry(id)?;
            let (source, confidence) = (entry.body.provenance, entry.effective(now));
            let text = with_passage(&entry.body.text, passage(grimoire, id));
            Some(OfferedEntry { id, source, confidence, text })
        };
        self.turn.known.used.retrieved.iter().filter_map(|id| one(*id)).collect()
    }

    fn times(&self, grimoire: &Grimoire) -> Vec<String> {
        let now = self.state.core.age;
        let situation = Some(grimoire.situation(&self.turn.known.snapshot, None));
        let from = grimoire.shelf().latest_from();
        let query = EpisodeQuery { as_of: now, from, situation, ..EpisodeQuery::default() };
        let found = grimoire.episodes().recall(&query, TIMES);
        found.iter().filter_map(|hit| grimoire.shelf().episode(hit.id)).map(|e| time(e, now)).collect()
    }
}

/// What the testament of whoever left an entry says of it, on one line.
pub(crate) fn passage(grimoire: &Grimoire, id: EntryId) -> Option<String> {
    let said = grimoire.told_beside(id)?.passage.as_deref()?;
    Some(one_line(said, PASSAGE))
}

fn with_passage(text: &str, passage: Option<String>) -> String {
    passage.map_or_else(|| text.to_owned(), |said| format!("{text} (the testament it came with: {said})"))
}

fn rules(grimoire: &Grimoire) -> Vec<String> {
    let held = grimoire.fired().ids.iter().filter_map(|id| grimoire.playbook().rule(id));
    let one = |rule: &golem_grimoire::playbook::Rule| {
        let whose = if rule.is_owners() { "owner" } else { "own" };
        format!("[{whose} {:.2}] {}", f64::from(rule.words().confidence_bp) / 1e4, rule.in_words())
    };
    held.map(one).collect()
}

fn time(episode: &Episode, now: VirtualTime) -> String {
    let hours = now.since(episode.age).0 as f64 / 3_600_000.0;
    let went = match episode.went {
        Went::Positive => ", went well",
        Went::Negative => ", went badly",
        Went::Neutral | Went::Descriptive => "",
    };
    format!("[{hours:.1} h ago{went}] {}", episode.text)
}

/// A value with as many digits as anybody needs.
fn short(value: &golem_core::observed::Value) -> String {
    match value.as_f64() {
        Some(x) if x.abs() >= 1e6 || x.fract() == 0.0 => format!("{x:.0}"),
        Some(x) if x.abs() >= 100.0 => format!("{x:.2}"),
        Some(x) if x.abs() >= 0.01 => format!("{x:.4}"),
        Some(x) => format!("{x:.6}"),
        None => value.to_string(),
    }
}
