//! The mind: what it foretells and how well, the rules it lives by, what it knows, and what it takes for causes.

use super::DrawStage;
use super::cards::entry;
use super::panes::{PaneItem, folded, list, panes};
use super::plot::bar;
use crate::state::TuiView;
use golem_core::VirtualTime;
use golem_grimoire::causal::Edge;
use golem_mind::{Prediction, Scores};
use golem_view::causal::CauseWords;
use golem_view::time;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let scene = stage.scene;
    panes(frame, area, stage, TuiView::Mind, &mut |frame, area, pane, focused| {
        let at = (TuiView::Mind, pane, focused);
        match pane {
            0 => list(frame, area, stage, at, "forecasts", "it has foretold nothing yet", &|w| forecasts(stage, w)),
            1 => list(frame, area, stage, at, "playbook", "it has no rules yet", &|w| playbook(stage, w)),
            2 => {
                let title = match scene.asked.as_str() {
                    "" => "grimoire: / searches it".to_owned(),
                    asked => format!("grimoire: {asked}"),
                };
                let empty = "type / and what you want to know of what it knows";
                list(frame, area, stage, at, &title, empty, &|w| {
                    scene.found.iter().map(|e| entry(e, w, stage)).collect()
                });
            }
            _ => list(frame, area, stage, at, "causes", "it has found no causes yet", &|w| {
                scene.causes.iter().map(|edge| cause(edge, w, stage)).collect()
            }),
        }
    });
}

/// The domains with their scores first, then what was foretold.
fn forecasts(stage: &DrawStage<'_>, width: u16) -> Vec<PaneItem> {
    let mut head: PaneItem = vec![Line::styled(
        format!(" {:<18} {:>8} {:>5} {:>7} {:>7}", stage.of_now("domain"), "settled", "open", "hits", "inside"),
        stage.palette.dim(),
    )];
    let scores = stage.scene.status().map(|s| &s.forecasts[..]).unwrap_or_default();
    head.extend(scores.iter().map(|s| score(s, width)));
    head.push(Line::raw(""));
    let mut all: Vec<PaneItem> = Vec::new();
    for (n, said) in stage.scene.forecasts.iter().enumerate() {
        let one = foretold(said, width, stage);
        // The scores belong to the first, so that they are seen when one begins to read.
        all.push(if n == 0 { head.iter().cloned().chain(one).collect() } else { one });
    }
    if all.is_empty() && !scores.is_empty() { vec![head] } else { all }
}

fn score(s: &Scores, width: u16) -> Line<'static> {
    let percent = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{:.0} %", x * 100.0));
    let room = usize::from(width).saturating_sub(52).min(30);
    let hits = s.hit_rate.filter(|_| room > 4).map_or(String::new(), |rate| bar(rate, room));
    Line::raw(format!(
        " {:<18} {:>8} {:>5} {:>7} {:>7}  {hits}",
        s.domain.name().replace('_', " "),
        s.settled,
        s.pending,
        percent(s.hit_rate),
        percent(s.coverage),
    ))
}

fn foretold(p: &Prediction, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let range = p.interval.map_or_else(String::new, |[low, high]| format!(" in {low:.4} .. {high:.4}"));
    let (came, style) = match p.came {
        None => ("open".to_owned(), stage.palette.dim()),
        Some(c) => {
            let hit = if c.hit { "✓" } else { "✗" };
            let style = if c.hit { stage.palette.good() } else { stage.palette.bad() };
            (format!("came {:.4} {hit}", c.actual), style)
        }
    };
    let head = format!(" {:>9}  ", age(p.made));
    folded(
        &head,
        &format!("{}: said {:.4}{range}, {came}", p.domain.name().replace('_', " "), p.predicted),
        width,
        style,
    )
}

fn age(at: VirtualTime) -> String {
    time::age(at.age().as_days())
}

fn playbook(stage: &DrawStage<'_>, width: u16) -> Vec<PaneItem> {
    let style = |line: &str| if line.starts_with('#') { stage.palette.strong() } else { Style::new() };
    stage.scene.playbook.iter().map(|line| folded(" ", line, width, style(line))).collect()
}

/// What drives what, which way, after how long and how surely.
fn cause(edge: &Edge, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let style = if edge.holds() { Style::new() } else { stage.palette.dim() };
    folded(" ", &CauseWords::of(edge).sentence, width, style)
}
