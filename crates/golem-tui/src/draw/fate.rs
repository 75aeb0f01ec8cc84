//! Fate: the line a golem stands in, the graveyard of the home, and the library that the dead left.

use super::DrawStage;
use super::cards::entry;
use super::panes::{PaneItem, folded, list, panes};
use crate::source::{GraveStone, LineNode};
use crate::state::TuiView;
use golem_view::{money, time};
use ratatui::Frame;
use ratatui::layout::Rect;

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let scene = stage.scene;
    panes(frame, area, stage, TuiView::Fate, &mut |frame, area, pane, focused| {
        let at = (TuiView::Fate, pane, focused);
        match pane {
            0 => list(frame, area, stage, at, &stage.of_now("lineage"), "nobody before it, nobody after it", &|w| {
                scene.line.iter().map(|node| member(node, w, stage)).collect()
            }),
            1 => list(frame, area, stage, at, "graveyard", "nobody has died in this home", &|w| {
                scene.graves.iter().map(|grave| stone(grave, w, stage)).collect()
            }),
            _ => {
                let empty = "the library is empty: golems leave to it when they die";
                list(frame, area, stage, at, &stage.of_now("library"), empty, &|w| {
                    scene.library.iter().map(|e| entry(e, w, stage)).collect()
                });
            }
        }
    });
}

fn member(node: &LineNode, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let own = node.id.is_some() && node.id == stage.scene.golem;
    let style = match (own, node.dead) {
        (true, _) => stage.palette.strong(),
        (_, true) => stage.palette.dim(),
        _ => stage.palette.good(),
    };
    let lead = match node.depth {
        0 => " ".to_owned(),
        depth => format!(" {}└ ", "  ".repeat(depth.min(20) - 1)),
    };
    let mark = if own { "  ◂ this one" } else { "" };
    folded(&lead, &format!("{}{mark}", node.words), width, style)
}

fn stone(g: &GraveStone, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let head = format!(
        "{} · generation {} · {} · {} · {} of {} USDC left",
        g.name,
        g.generation,
        time::day(g.died_at),
        time::age(g.age_days),
        money::usdc(g.worth),
        money::usdc(g.funded)
    );
    let mut item = folded(" † ", &head, width, stage.palette.strong());
    item.extend(folded("   ", &g.cause, width, stage.palette.dim()));
    if let Some(words) = &g.last_words {
        let style = stage.palette.blood(stage.moment.as_ref().and_then(|m| m.mood), g.mood);
        item.extend(folded("   ", &format!("\"{words}\""), width, style));
    }
    item
}
