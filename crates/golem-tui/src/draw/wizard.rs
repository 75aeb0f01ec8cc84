//! The succession wizard: settings beside advice, what is inherited, what is taken, name and money, a yes, and a birth.

use super::DrawStage;
use super::cards::entry;
use super::death::cells;
use super::panes::{PaneItem, folded, framed, items, marked};
use super::plot::bar;
use crate::source::SuccessorOffer;
use crate::sprite::{SCENE_MS, dispersal, mixed};
use crate::wizard::{PULL_MS, SuccessionWizard, WizardField, WizardStep};
use golem_clade::bottleneck::INHERITANCE_BUDGET;
use golem_view::wrap::{counted, cut};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// The least room that a value needs beside its key.
const VALUE: usize = 16;
/// What is left of a confidence with every generation.
const PER_GENERATION: f64 = 0.85;

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    if wizard.step == WizardStep::Birth {
        return birth(frame, area, stage, wizard);
    }
    let [head, steps, body, problem, hint] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(u16::from(wizard.problem.is_some()) * 2),
        Constraint::Length(1),
    ])
    .areas(area);
    let title = match wizard.dead {
        Some(_) => format!(" A successor of † {}", wizard.dead_name),
        None => " A golem with nothing of anybody's".to_owned(),
    };
    frame.render_widget(Paragraph::new(title).style(stage.palette.strong()), head);
    step_bar(frame, steps, stage, wizard);
    match wizard.step {
        WizardStep::Strategy => strategy(frame, body, stage, wizard),
        WizardStep::Inheritance => inheritance(frame, body, stage, wizard),
        WizardStep::Pull => pull(frame, body, stage, wizard),
        WizardStep::Funding => {
            let inner = framed(frame, body, "name and money", true, stage.palette.accent());
            fields(frame, inner, stage, wizard, &wizard.funding);
        }
        WizardStep::Confirm | WizardStep::Birth => confirm(frame, body, stage, wizard),
    }
    if let Some(why) = &wizard.problem {
        let lines = folded(" ", why, problem.width, stage.palette.bad());
        frame.render_widget(Paragraph::new(lines), problem);
    }
    let words = match &stage.state.message {
        Some((words, _)) => words.clone(),
        None => hints(wizard),
    };
    frame.render_widget(
        Paragraph::new(format!(" {}", cut(&words, usize::from(hint.width) - 2))).style(stage.palette.dim()),
        hint,
    );
}

fn step_name(step: WizardStep) -> &'static str {
    ["strategy", "inheritance", "pull", "funding", "confirm", "birth"][step as usize]
}

fn step_bar(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    let mut spans = vec![Span::raw(" ")];
    for (n, step) in wizard.steps().iter().enumerate() {
        let style = if *step == wizard.step { stage.palette.chosen() } else { stage.palette.dim() };
        spans.push(Span::styled(format!(" {} {} ", n + 1, step_name(*step)), style));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn hints(wizard: &SuccessionWizard) -> String {
    if wizard.editing.is_some() {
        return "type, Enter keeps it, Esc leaves it".to_owned();
    }
    if wizard.waiting {
        return "one moment".to_owned();
    }
    match wizard.step {
        WizardStep::Strategy => "Enter edit  t take its advice  PgDn read on in it  Tab next  Esc back  ? help",
        WizardStep::Inheritance => "i inherit or not  f force though too near  ↑↓ fields  Tab next  Esc back",
        WizardStep::Pull => "space mark  h hold the clock  Tab take what is marked, next  Esc back",
        WizardStep::Funding => "Enter edit  Tab next  Esc back",
        WizardStep::Confirm if wizard.dead.is_some() => {
            "Enter it shall be born  i inherit or not  f force though too near  Esc back"
        }
        WizardStep::Confirm => "Enter it shall be born  Esc back",
        WizardStep::Birth => "Enter look at it",
    }
    .to_owned()
}

fn fields(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard, all: &[WizardField]) {
    let width = usize::from(area.width);
    let key = all.iter().map(|f| f.key.chars().count()).max().unwrap_or(0).min(44);
    // Where a key leaves no room for its value, the value stands under it.
    let beneath = key + 4 + VALUE > width;
    let room = if beneath { width.saturating_sub(6) } else { width.saturating_sub(key + 4) };
    let lines: Vec<PaneItem> = all
        .iter()
        .enumerate()
        .map(|(n, f)| {
            let chosen = n == wizard.row;
            let value = match &wizard.editing {
                Some(text) if chosen => {
                    let from = text.chars().count().saturating_sub(room.saturating_sub(1));
                    format!("{}▏", text.chars().skip(from).collect::<String>())
                }
                _ => cut(&f.value, room),
            };
            let style = if f.value == f.was { Style::new() } else { stage.palette.accent() };
            let mark = if f.value == f.was { " " } else { "*" };
            let lines = if beneath {
                let key = cut(&f.key, width.saturating_sub(2));
                vec![Line::raw(format!("{mark}{key}")), Line::from(vec![Span::raw("    "), Span::styled(value, style)])]
            } else {
                let key = format!("{mark}{:<key$}  ", cut(&f.key, key));
                vec![Line::from(vec![Span::raw(key), Span::styled(value, style)])]
            };
            marked(lines, chosen && wizard.editing.is_none(), stage.palette.chosen())
        })
        .collect();
    items(frame, area, &lines, Some(wizard.row), " reading its settings", stage.palette.dim());
}

/// Its settings, and beside them what the dead one says.
fn strategy(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(area);
    let inner = framed(frame, left, "its settings", true, stage.palette.accent());
    fields(frame, inner, stage, wizard, &wizard.settings);
    let inner = framed(frame, right, "what the dead one advises", false, stage.palette.dim());
    let advice = wizard.offer.as_ref().map(|o| &o.advice[..]).unwrap_or_default();
    let below = advice.iter().skip(wizard.advice_top);
    let lines: Vec<PaneItem> = below.map(|line| folded(" · ", line, inner.width, Style::new())).collect();
    items(frame, inner, &lines, None, " nothing on record asks for anything", stage.palette.dim());
}

fn inheritance(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    let Some(offer) = &wizard.offer else { return };
    // What differs are lines of a page: they take half of what is more than the least.
    let [left, right] = Layout::horizontal([
        Constraint::Fill(1),
        Constraint::Length(if area.width < 100 { 36 } else { area.width / 2 }),
    ])
    .areas(area);
    let inner = framed(frame, left, "what it would inherit", true, stage.palette.accent());
    let width = inner.width;
    let p = &offer.preview;
    let left_over = PER_GENERATION.powi(i32::try_from(offer.generation).unwrap_or(i32::MAX));
    let mut lines: Vec<PaneItem> = vec![
        folded(
            " ",
            &format!(
                "{} of {INHERITANCE_BUDGET}, and {}",
                counted(p.entries, "entry"),
                counted(p.questions, "question")
            ),
            width,
            stage.palette.strong(),
        ),
        folded(
            " ",
            &format!(
                "{} marked by a death, {} from the dead, {} thrice survived",
                counted(p.bloodstains, "bloodstain"),
                p.from_the_dead,
                p.thrice_survived
            ),
            width,
            Style::new(),
        ),
        folded(
            " ",
            &format!("confidence: {PER_GENERATION}^{} = {left_over:.2} of what was confirmed", offer.generation),
            width,
            Style::new(),
        ),
        vec![Line::styled(" before           after", stage.palette.dim())],
    ];
    lines.extend(histogram(offer, stage));
    frame.render_widget(Paragraph::new(lines.into_iter().flatten().collect::<Vec<_>>()), inner);
    let [fields, near] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(right);
    let inner = framed(frame, fields, "by field", false, stage.palette.dim());
    let lines: Vec<PaneItem> = p
        .domains
        .iter()
        .enumerate()
        .map(|(at, (field, n))| {
            let item = folded(&format!(" {n:>5}  "), &field_words(field.as_str()), inner.width, Style::new());
            marked(item, at == wizard.row && p.domains.len() > 1, stage.palette.chosen())
        })
        .collect();
    items(
        frame,
        inner,
        &lines,
        Some(wizard.row),
        if wizard.inherit { " nothing" } else { " nothing: i inherits" },
        stage.palette.dim(),
    );
    let inner = framed(frame, near, "what differs from the dead one", false, stage.palette.dim());
    let mut lines: Vec<PaneItem> = Vec::new();
    if let Some(why) = &offer.too_near {
        let forced = if wizard.force_similarity { "forced: " } else { "" };
        lines.push(folded(" ", &format!("{forced}{why}"), inner.width, stage.palette.bad()));
    }
    lines.extend(offer.changes.iter().map(|line| folded(" ", line, inner.width, Style::new())));
    items(frame, inner, &lines, None, " nothing", stage.palette.dim());
}

/// How sure the entries are, with the dead and with the heir.
fn histogram(offer: &SuccessorOffer, stage: &DrawStage<'_>) -> Vec<PaneItem> {
    let p = &offer.preview;
    let most = p.before.iter().chain(&p.after).copied().max().unwrap_or(0).max(1);
    let share = |n: u32| f64::from(n) / f64::from(most);
    (0..p.before.len())
        .rev()
        .map(|band| {
            let (b, a) = (p.before[band], p.after[band]);
            vec![Line::from(vec![
                Span::raw(format!(" .{band} ")),
                Span::styled(format!("{:<8}", bar(share(b), 8).replace('░', " ")), stage.palette.dim()),
                Span::raw(format!("{b:>4}  ")),
                Span::styled(format!("{:<8}", bar(share(a), 8).replace('░', " ")), stage.palette.accent()),
                Span::raw(format!("{a:>4}")),
            ])]
        })
        .collect()
}

/// A field of knowledge in words.
fn field_words(field: &str) -> String {
    let (domain, subject) = field.split_once('/').unwrap_or((field, ""));
    let words = |part: &str| part.trim_start_matches("market.").trim_start_matches("golem.").replace('_', " ");
    format!("{}: {}", words(domain), words(subject))
}

/// All that it believed, and a clock.
fn pull(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    let left = wizard.left_ms(stage.state.now_ms).unwrap_or(PULL_MS);
    let held = if wizard.held.is_some() { ", held" } else { "" };
    let title = format!("take into your library: {} marked · {} s{held}", wizard.marked.len(), left.div_ceil(1_000));
    let inner = framed(frame, area, &title, true, stage.palette.accent());
    let [clock, list] = Layout::vertical([Constraint::Length(2), Constraint::Fill(1)]).areas(inner);
    let share = left as f64 / PULL_MS as f64;
    let lines = vec![
        Line::styled(format!(" {}", bar(share, usize::from(clock.width).saturating_sub(2))), stage.palette.warn()),
        Line::styled(
            " what the deposit left; its file stays: bardo library pull takes it later too",
            stage.palette.dim(),
        ),
    ];
    frame.render_widget(Paragraph::new(lines), clock);
    let all: Vec<PaneItem> = wizard
        .remains
        .iter()
        .enumerate()
        .map(|(n, e)| {
            let mark = if wizard.marked.contains(&n) { "[x]" } else { "[ ]" };
            let mut item = entry(e, list.width.saturating_sub(4), stage);
            for (row, line) in item.iter_mut().enumerate() {
                let lead = if row == 0 { format!("{mark} ") } else { "    ".to_owned() };
                line.spans.insert(0, Span::raw(lead));
            }
            marked(item, n == wizard.row, stage.palette.chosen())
        })
        .collect();
    let empty = if wizard.waiting { " reading what it knew" } else { " it believed nothing" };
    items(frame, list, &all, Some(wizard.row), empty, stage.palette.dim());
}

fn confirm(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    let inner = framed(frame, area, "shall it be born?", true, stage.palette.accent());
    let width = inner.width;
    let mut lines: Vec<PaneItem> = Vec::new();
    for f in wizard.funding.iter().filter(|f| !f.value.is_empty()) {
        lines.push(folded(&format!(" {:<10} ", f.key), &f.value, width, stage.palette.strong()));
    }
    if let Some(offer) = &wizard.offer {
        let p = &offer.preview;
        let what = match wizard.inherit {
            true => format!(
                "{} and {}, {}",
                counted(p.entries, "entry"),
                counted(p.questions, "question"),
                counted(p.bloodstains, "bloodstain")
            ),
            false => "nothing of what it knew: its settings only".to_owned(),
        };
        lines.push(folded(" generation ", &offer.generation.to_string(), width, Style::new()));
        lines.push(folded(" inherits   ", &what, width, Style::new()));
        for f in wizard.settings.iter().filter(|f| f.value != f.was) {
            lines.push(folded(
                " changed    ",
                &format!("{} {} → {}", f.key, f.was, f.value),
                width,
                stage.palette.accent(),
            ));
        }
        if let Some(why) = &offer.too_near {
            let end = if wizard.force_similarity {
                "; it is forced"
            } else {
                "; it will be refused: change something, i inherit nothing, or f force"
            };
            lines.push(folded(" too near   ", &format!("{why}{end}"), width, stage.palette.bad()));
        }
        if let Some(heir) = &offer.heir {
            lines.push(folded(
                " note       ",
                &format!("it has a successor already: {heir}"),
                width,
                stage.palette.warn(),
            ));
        }
    }
    items(frame, inner, &lines, None, "", stage.palette.dim());
}

/// What fell apart comes together.
fn birth(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, wizard: &SuccessionWizard) {
    let Some((id, words, since)) = &wizard.born else { return };
    let passed = stage.state.now_ms.saturating_sub(*since);
    let share = if stage.state.reduced_motion { 1.0 } else { passed as f64 / SCENE_MS as f64 };
    let seed = id.0.iter().fold(1, |sum, byte| mixed(sum, u64::from(*byte)));
    cells(frame, &dispersal((1.0 - share).max(0.0), area, seed), stage);
    let at = Rect { y: area.bottom().saturating_sub(5), height: 5.min(area.height), ..area };
    let mut lines = folded("", words, area.width.min(78), stage.palette.strong());
    lines.truncate(3);
    lines.push(Line::styled("Enter looks at it", stage.palette.dim()));
    frame.render_widget(Paragraph::new(lines).alignment(Alignment::Center), at);
}
