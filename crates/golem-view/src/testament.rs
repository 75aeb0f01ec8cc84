//! A testament for people: a page worth reading, on which every sentence points at its records, and a few lines of it.

use crate::cause::cause;
use crate::story::{calendar, in_words};
use crate::wrap::fold;
use crate::{money, time};
use golem_core::Usdc;
use golem_grimoire::testament::{
    HomeReport, LifeStatistics, SettlementReport, SignedTestament, Testament, TestamentSection, TestamentSentence,
};

/// The page, as Markdown.
#[must_use]
pub fn page(signed: &SignedTestament) -> String {
    let said = &signed.testament;
    let mut page = MarkdownPage::default();
    page.line(&format!("# † {}", plain(said.by.name.as_str())));
    page.line(&head(said));
    let retold = said.told.as_ref();
    if let Some(words) = retold.and_then(|told| told.last_words.as_ref()) {
        let words = page.noted(words);
        page.line(&format!("> *{words}*"));
    }
    page.line(&format!("> {}", plain(said.last_words.text())));
    if retold.is_some() {
        page.line(
            "*What stands in italics is a model's telling of the same records. Nothing is decided or inherited by it.*",
        );
    }
    page.line("## The life");
    page.retold(retold.map(|told| &told.narrative[..]));
    let told: Vec<String> = said.narrative.iter().map(|sentence| page.noted(sentence)).collect();
    page.line(&told.join(" "));
    for section in TestamentSection::ALL {
        page.line(&format!("## {}", section.title()));
        page.retold(retold.map(|told| told.sections.of(section)));
        page.list(said.sections.of(section), section.when_empty());
    }
    page.line("## Open questions");
    page.list(&said.open_questions, "None.");
    page.line("## What was settled");
    page.settlement(&said.settlement);
    page.line("## What went home");
    page.home(&said.home);
    page.line("## For a successor");
    page.advice(said);
    page.line("## In figures");
    page.table(&figures(&said.statistics));
    if !said.final_playbook.is_empty() {
        page.line("## PLAYBOOK.md, as it was in the end");
        // A fence longer than any that a rule's words could hold.
        page.line(&format!("~~~~~~~~ markdown\n{}\n~~~~~~~~", said.final_playbook.trim_end()));
    }
    page.line("## Proof");
    page.table(&proof(signed));
    page.end()
}

/// A few lines of it, within a width: the last words, what was settled, and the first of what it says.
#[must_use]
pub fn excerpt(said: &Testament, width: usize) -> Vec<String> {
    let mut lines = vec!["  its testament".to_owned()];
    lines.extend(fold("    ", &format!("\"{}\"", said.last_words.text()), width));
    lines.extend(fold("    settled     ", &sentence_case(&said.settlement.say()), width));
    for left in &said.settlement.failed {
        let text = format!("{} worth {} USDC: {}", left.what.name(), money::usdc(left.worth), left.why);
        lines.extend(fold("    stays open  ", &text, width));
    }
    let firsts = [
        ("    learned     ", TestamentSection::Learned),
        ("    got wrong   ", TestamentSection::GotWrong),
        ("    suspects    ", TestamentSection::Suspect),
        ("    changes     ", TestamentSection::WouldChange),
    ];
    for (head, section) in firsts {
        if let Some(first) = said.sections.of(section).first() {
            lines.extend(fold(head, &in_words(first.text()), width));
        }
    }
    lines
}

fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn head(said: &Testament) -> String {
    let (by, death) = (&said.by, &said.death);
    let ended = by.born_at.after(death.age.age());
    format!(
        "*{} · {} · {} turns · generation {} · {} in the end*\n\n{}",
        calendar::stretch(by.born_at, ended),
        time::age(death.age.age().as_days()),
        money::grouped(u128::from(death.tick.0)),
        by.generation,
        said.phase,
        plain(&cause(&death.cause))
    )
}

fn figures(s: &LifeStatistics) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("turns", money::grouped(u128::from(s.turns))),
        ("age", time::age(s.lifetime_hours / 24.0)),
        ("given", format!("{} USDC", money::usdc(s.funded))),
        ("spent on living", format!("{} USDC", money::usdc(s.spent))),
        ("earned by trading", format!("{} USDC", money::gain(s.earned))),
        ("left", format!("{} USDC", money::usdc(s.final_nav))),
        ("acts", format!("{} ({} won, {} lost)", s.trades_executed, s.trades_won, s.trades_lost)),
        ("fitness", format!("{:.3}, at best {:.3}", s.final_epistemic_fitness, s.peak_epistemic_fitness)),
        ("forecasts right", format!("{} of {}", s.forecasts_right, s.forecasts_settled)),
        (
            "entries",
            format!("{} in use, {} set aside, {} burnt", s.entries_active, s.entries_archived, s.entries_burnt),
        ),
        ("rules", s.rules.to_string()),
        ("episodes", s.episodes.to_string()),
    ];
    if s.dreams > 0 {
        rows.push(("dreams", format!("{}, of which {} things came true", s.dreams, s.dreams_confirmed)));
    }
    if let Some(mood) = &s.dominant_mood {
        rows.push(("mood", format!("mostly {mood}, in the end {}", s.final_mood.as_deref().unwrap_or("unknown"))));
    }
    rows
}

fn proof(signed: &SignedTestament) -> Vec<(&'static str, String)> {
    let said = &signed.testament;
    let mut rows = vec![
        ("checksum", said.checksum.to_string()),
        ("commitment at birth", said.by.commitment.to_string()),
        ("key", said.by.public_key.to_string()),
    ];
    rows.extend(signed.death_secret.map(|secret| ("secret behind its dice", secret.to_string())));
    rows.extend(signed.signature.clone().map(|signature| ("signature", signature)));
    rows
}

/// A page as it grows, with its notes.
#[derive(Default)]
struct MarkdownPage {
    text: String,
    notes: Vec<String>,
}

impl MarkdownPage {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str("\n\n");
    }
    /// A sentence with a mark that leads to its records.
    fn noted(&mut self, sentence: &TestamentSentence) -> String {
        let sources: Vec<String> = sentence.rests_on().iter().map(|source| plain(&source.to_string())).collect();
        let note = sources.join(", ");
        let number = self.notes.iter().position(|known| *known == note).unwrap_or_else(|| {
            self.notes.push(note);
            self.notes.len() - 1
        });
        format!("{}[^{}]", plain(&in_words(sentence.text())), number + 1)
    }
    /// A model's telling of a part, where there is one.
    fn retold(&mut self, sentences: Option<&[TestamentSentence]>) {
        let told: Vec<String> = sentences.unwrap_or_default().iter().map(|s| format!("*{}*", self.noted(s))).collect();
        if !told.is_empty() {
            self.line(&told.join(" "));
        }
    }
    fn list(&mut self, sentences: &[TestamentSentence], when_empty: &str) {
        if sentences.is_empty() {
            return self.line(&format!("*{when_empty}*"));
        }
        let items: Vec<String> = sentences.iter().map(|sentence| format!("- {}", self.noted(sentence))).collect();
        self.line(&items.join("\n"));
    }
    fn table(&mut self, rows: &[(&str, String)]) {
        let mut lines = vec!["| | |".to_owned(), "|---|---|".to_owned()];
        lines.extend(rows.iter().map(|(what, value)| format!("| {what} | {} |", plain(value))));
        self.line(&lines.join("\n"));
    }
    fn settlement(&mut self, report: &SettlementReport) {
        self.line(&format!("{}.", sentence_case(&report.say())));
        let mut rows: Vec<(&str, String)> = Vec::new();
        for act in &report.actions {
            let text = format!(
                "turn {}: {} USDC, {} ETH, gas {}, {} against its cost",
                act.tick,
                money::usdc(act.got),
                money::eth(act.asset),
                money::usdc(act.gas),
                money::gain(act.realised)
            );
            rows.push((act.what.name(), text));
        }
        for left in &report.failed {
            let text = format!(
                "stays open, worth {} USDC after {} tries: {}",
                money::usdc(left.worth),
                left.attempts,
                left.why
            );
            rows.push((left.what.name(), text));
        }
        if report.gas_limit > Usdc::ZERO && !rows.is_empty() {
            self.table(&rows);
        }
    }
    fn home(&mut self, report: &HomeReport) {
        self.line(&format!("{}.", sentence_case(&report.say())));
        let mut rows: Vec<(&str, String)> = Vec::new();
        for went in &report.sent {
            let text = format!("turn {}: {}, gas {}", went.tick, money::sum(went.sum), money::usdc(went.gas));
            rows.push((went.sum.name(), text));
        }
        for left in &report.failed {
            let text = format!("{} stays behind after {} tries: {}", money::sum(left.sum), left.attempts, left.why);
            rows.push((left.sum.name(), text));
        }
        if rows.is_empty() {
            return;
        }
        let to = report.to.map_or_else(|| "the owner's account on its chain".to_owned(), |to| to.to_string());
        rows.push(("to", to));
        if report.spent_before > Usdc::ZERO {
            let text = format!("{} USDC, settled off the chain", money::usdc(report.spent_before));
            rows.push(("of it spent before", text));
        }
        self.table(&rows);
    }
    fn advice(&mut self, said: &Testament) {
        let advice = &said.successor_recommendations;
        let mut items = Vec::new();
        for one in &advice.config {
            let set = format!("set `{}` to `{}` (was `{}`): ", one.key, one.to, one.was);
            items.push(format!("- {set}{}", self.noted(&one.because)));
        }
        for one in &advice.playbook {
            items.push(format!("- {} this rule: {}", one.change.name(), self.noted(&one.because)));
        }
        for one in &advice.stale_heuristics {
            items.push(format!("- stale: {}", self.noted(&one.because)));
        }
        for one in &advice.priorities {
            items.push(format!("- {}: {}", one.weight.name(), self.noted(&one.what)));
        }
        let text =
            if items.is_empty() { "*Nothing on record asks for anything.*".to_owned() } else { items.join("\n") };
        self.line(&text);
    }
    fn end(mut self) -> String {
        for (n, note) in self.notes.iter().enumerate() {
            self.text.push_str(&format!("[^{}]: {note}\n", n + 1));
        }
        self.text
    }
}

/// Words of strangers as plain text: nothing in them is a mark of the page.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in golem_core::words::one_line(text, usize::MAX).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobodys_words_are_marks_of_the_page() {
        assert_eq!(plain("a *b* <i>\n# c | `d`"), "a \\*b\\* \\<i\\> \\# c \\| \\`d\\`");
        assert_eq!(sentence_case("nothing was open"), "Nothing was open");
    }
}
