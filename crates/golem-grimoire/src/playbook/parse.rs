//! Reading the file back: rules where there are rules, everything else as it was written, and a line for every problem.

use super::render::HELP;
use super::rule::RuleWords;
use super::spell::{self, OUT_OF_FORCE};
use super::{KeptSection, MAX_BYTES, MAX_RULES, Playbook, PlaybookProblem, PlaybookSection, Rule, RuleId};
use crate::entry::{Provenance, RuleAction};
use golem_core::observed::Expression;
use golem_core::words::one_line;
use golem_core::{GolemId, Hash, Name, VirtualTime};
use std::collections::BTreeMap;

/// What is believed of an owner's rule that does not say.
const OWNERS_CONFIDENCE_BP: u16 = 6_000;
const KEYS: [&str; 8] = ["id", "when", "do", "because", "confidence", "evidence", "source", "since"];

/// What a file says.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaybookReading {
    /// Everything that could be read; what could not is kept in it as text.
    pub playbook: Playbook,
    /// True when the hash in the file fits what is said in it: nobody but the writer touched it.
    pub untouched: bool,
    /// What is wrong, in the order of lines.
    pub problems: Vec<PlaybookProblem>,
    /// The line of each rule's heading.
    pub lines: BTreeMap<RuleId, usize>,
    /// Rules that read well but whose id stands above already: with their line and the number of their section.
    pub(super) spare: Vec<(usize, usize, Rule)>,
}

/// A playbook in which everything can be read.
///
/// # Errors
/// Every problem, with its line.
pub fn parse(text: &str) -> Result<Playbook, Vec<PlaybookProblem>> {
    let reading = read(text, &[])?;
    if reading.problems.is_empty() { Ok(reading.playbook) } else { Err(reading.problems) }
}

/// Everything that can be read of a file, and what is wrong with the rest. Parameters that are not among `parameters` are
/// refused; an empty list refuses none.
///
/// # Errors
/// When it is no playbook at all: too long, or without the lines that say whose it is.
pub fn read(text: &str, parameters: &[&str]) -> Result<PlaybookReading, Vec<PlaybookProblem>> {
    if text.len() > MAX_BYTES {
        let what = format!("the file has {} bytes, at most {MAX_BYTES} are read", text.len());
        return Err(vec![PlaybookProblem::new(1, what, "remove notes or rules")]);
    }
    let shown: Vec<String> = text.lines().map(spell::shown).collect();
    let lines: Vec<&str> = shown.iter().map(String::as_str).collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|i| spell::is_heading(lines[*i])).collect();
    let front = &lines[..starts.first().copied().unwrap_or(lines.len())];
    let (mut playbook, hash) = read_front(front)?;
    let mut reading_problems = Vec::new();
    let (mut known, mut spare) = (BTreeMap::new(), Vec::new());
    for (i, &start) in starts.iter().enumerate() {
        let section = &lines[start..starts.get(i + 1).copied().unwrap_or(lines.len())];
        let (at, full) = (start + 1, known.len() >= MAX_RULES);
        let read = match read_rule(section, at, parameters) {
            Ok(Some(rule)) if known.contains_key(rule.id()) => {
                let above = known[rule.id()];
                let problem =
                    PlaybookProblem::new(at, format!("{} is the id of another rule", rule.id()), "remove the id line");
                spare.push((at, i, rule));
                Err(vec![PlaybookProblem { hint: format!("it stands in line {above}; {}", problem.hint), ..problem }])
            }
            Ok(Some(_)) if full => Err(vec![PlaybookProblem::new(
                at,
                format!("a playbook holds {MAX_RULES} rules"),
                "remove another rule",
            )]),
            read => read,
        };
        playbook.sections.push(match read {
            Ok(Some(rule)) => {
                known.insert(rule.id().clone(), at);
                PlaybookSection::Rule(Box::new(rule))
            }
            Ok(None) => PlaybookSection::Kept(KeptSection { text: kept(section), problem: None }),
            Err(problems) => {
                // The line is told elsewhere; beside the section it would be wrong after the next edit.
                let told = problems.first().map(|p| PlaybookProblem { hint: stable(&p.hint), ..p.clone() }.say());
                reading_problems.extend(problems);
                PlaybookSection::Kept(KeptSection { text: kept(section), problem: told })
            }
        });
    }
    let untouched = hash == Some(playbook.hash());
    Ok(PlaybookReading { playbook, untouched, problems: reading_problems, lines: known, spare })
}

/// A hint without its line numbers.
fn stable(hint: &str) -> String {
    hint.split_once("; ").filter(|(a, _)| a.contains("line ")).map_or(hint, |(_, b)| b).to_owned()
}

/// A section's text without what we wrote beside it ourselves.
fn kept(section: &[&str]) -> String {
    let heading = one_line(section.first().copied().unwrap_or("##"), 200);
    // Only the first line is a heading, so nothing in the rest is bent.
    let rest = spell::paragraph(&section.get(1..).unwrap_or_default().join("\n"));
    if rest.is_empty() { heading } else { format!("{heading}\n\n{rest}") }
}

/// `- key: value`.
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix("- ")?.split_once(':')?;
    Some((key.trim(), value.trim()))
}

fn read_front(front: &[&str]) -> Result<(Playbook, Option<Hash>), Vec<PlaybookProblem>> {
    let mut problems = Vec::new();
    let name = front.first().and_then(|l| l.strip_prefix("# Playbook of ")).and_then(|n| n.trim().parse::<Name>().ok());
    if name.is_none() {
        problems.push(PlaybookProblem::new(1, "this is no playbook", "begin with \"# Playbook of NAME\""));
    }
    let body = front.iter().position(|l| field(l).is_some()).unwrap_or(front.len());
    let end = front[body..].iter().position(|l| field(l).is_none()).map_or(front.len(), |i| body + i);
    let get = |key: &str| front[body..end].iter().filter_map(|l| field(l)).find(|(k, _)| *k == key).map(|(_, v)| v);
    let golem = get("golem").and_then(|v| v.parse::<GolemId>().ok());
    if golem.is_none() {
        problems.push(PlaybookProblem::new(
            body.min(front.len()) + 1,
            "the golem's id is missing",
            "write \"- golem: ID\"",
        ));
    }
    let revision = get("revision").and_then(|v| v.parse::<u32>().ok());
    if revision.is_none() {
        problems.push(PlaybookProblem::new(
            body.min(front.len()) + 1,
            "the revision is missing",
            "write \"- revision: 0\"",
        ));
    }
    let (Some(name), Some(golem), Some(revision)) = (name, golem, revision) else { return Err(problems) };
    let mut playbook = Playbook::empty(name, golem);
    playbook.revision = revision;
    let struck = get("struck").unwrap_or_default();
    playbook.struck = struck.split(',').filter_map(|id| id.trim().parse().ok()).take(super::MAX_STRUCK).collect();
    let words = front[end..].join("\n").replacen(HELP, "", 1);
    playbook.preamble = spell::paragraph(&words);
    Ok((playbook, get("hash").and_then(|v| v.parse().ok())))
}

/// A section as a rule; none when nothing in it looks like one.
fn read_rule(section: &[&str], at: usize, parameters: &[&str]) -> Result<Option<Rule>, Vec<PlaybookProblem>> {
    let mut found = BTreeMap::new();
    let mut end = 1;
    for (i, line) in section.iter().enumerate().skip(1) {
        match field(line).filter(|(key, _)| KEYS.contains(key) && !found.contains_key(key)) {
            Some((key, value)) => {
                found.insert(key, (at + i, value));
                end = i + 1;
            }
            None if line.trim().is_empty() || line.starts_with(OUT_OF_FORCE) => (),
            None => break,
        }
    }
    if !found.contains_key("when") && !found.contains_key("do") && !found.contains_key("id") {
        return Ok(None);
    }
    let (rule, mut problems) = read_fields(&found, at, section[0], &section[end..]);
    let Some(rule) = rule.filter(|_| problems.is_empty()) else { return Err(problems) };
    if let RuleAction::Scale { parameter, .. } = &rule.words().action
        && !parameters.is_empty()
        && !parameters.contains(&parameter.as_str())
    {
        let line = found.get("do").map_or(at, |(line, _)| *line);
        problems.push(unknown_parameter(line, parameter, parameters));
        return Err(problems);
    }
    Ok(Some(rule))
}

/// A parameter that the templates in use do not have.
pub(super) fn unknown_parameter(line: usize, parameter: &str, parameters: &[&str]) -> PlaybookProblem {
    let nearest = parameters.iter().min_by_key(|known| (strsim::osa_distance(known, parameter), **known));
    let hint = nearest.map_or_else(String::new, |near| format!("did you mean {near}?"));
    PlaybookProblem::new(line, format!("there is no parameter {parameter}"), hint)
}

type FieldsFound<'a> = BTreeMap<&'a str, (usize, &'a str)>;

fn read_fields(
    found: &FieldsFound<'_>,
    at: usize,
    heading: &str,
    note: &[&str],
) -> (Option<Rule>, Vec<PlaybookProblem>) {
    let mut problems = Vec::new();
    let mut bad = |line: usize, what: String, hint: &str| problems.push(PlaybookProblem::new(line, what, hint));
    let forms = "write scale `parameter` by 1.5, risk 0.5 or stand aside";
    let missing = |what, hint| (at, String::from(what), hint);
    let when = match found.get("when") {
        None => Err(missing("the rule says nothing about when", "write \"- when: `market.gas_ratio > 2.0`\"")),
        Some((line, text)) => {
            Expression::compile(text.trim_matches('`').trim()).map_err(|error| (*line, error.to_string(), ""))
        }
    };
    let action = match found.get("do") {
        None => Err(missing("the rule does nothing", forms)),
        Some((line, text)) => {
            spell::read_action(text).ok_or_else(|| (*line, format!("do: {text:?} is no action"), forms))
        }
    };
    for (line, what, hint) in [when.as_ref().err(), action.as_ref().err()].into_iter().flatten() {
        bad(*line, what.clone(), hint);
    }
    let mut value = |key: &str, hint: &str, ok: &dyn Fn(&str) -> bool| {
        if let Some((line, text)) = found.get(key).filter(|(_, text)| !ok(text)) {
            bad(*line, format!("{key}: {text:?} cannot be read"), hint);
        }
    };
    value("id", "use a-z, 0-9 and '-', or remove the line", &|t| t.parse::<RuleId>().is_ok());
    value("confidence", "write a fraction from 0 to 1 such as 0.60", &|t| spell::read_confidence(t).is_some());
    value("evidence", "write 3 validated, 1 contradicted, 2 episodes", &|t| read_evidence(t).is_some());
    value("source", &format!("it is one of {}", spell::sources()), &|t| spell::read_source(t).is_some());
    value("since", "write day 12 06:30:00", &|t| spell::read_age(t).is_some());
    let (Ok(when), Ok(action)) = (when, action) else { return (None, problems) };
    let text = |key: &str| found.get(key).map_or("", |(_, text)| *text);
    let (validated, contradicted, episodes) = read_evidence(text("evidence")).unwrap_or_default();
    let words = RuleWords {
        id: text("id").parse().unwrap_or_else(|_| RuleId::of(&when, &action)),
        title: heading.trim_start_matches('#').to_owned(),
        when,
        action,
        because: text("because").to_owned(),
        confidence_bp: spell::read_confidence(text("confidence")).unwrap_or(OWNERS_CONFIDENCE_BP),
        validated,
        contradicted,
        episodes,
        source: spell::read_source(text("source")).unwrap_or(Provenance::Owner),
        since: spell::read_age(text("since")).unwrap_or(VirtualTime(0)),
        note: note.join("\n"),
    };
    match Rule::new(words) {
        Ok(rule) => (Some(rule), problems),
        Err(error) => {
            problems.push(PlaybookProblem::new(found.get("do").map_or(at, |(line, _)| *line), error.to_string(), ""));
            (None, problems)
        }
    }
}

/// `14 validated, 3 contradicted, 9 episodes`.
fn read_evidence(text: &str) -> Option<(u32, u32, u32)> {
    let parts: Vec<(u32, &str)> = text
        .split(',')
        .map(|p| p.trim().split_once(' ').and_then(|(n, w)| Some((n.parse().ok()?, w))))
        .collect::<Option<_>>()?;
    match parts.as_slice() {
        [(held, "validated"), (failed, "contradicted"), (episodes, "episodes")] => Some((*held, *failed, *episodes)),
        _ => None,
    }
}
