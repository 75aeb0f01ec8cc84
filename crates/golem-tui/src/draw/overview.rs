//! The overview: how it stands, how it came to that, what it does with its money and what weighs on it.

use super::DrawStage;
use super::panes::{folded, framed, items, marked};
use super::plot::{PlotMark, TermPlot, bar, sparks, stretches};
use crate::fleet::at_work;
use crate::scene::ShownMoment;
use crate::state::TuiView;
use golem_daimon::affect::MoodWord;
use golem_daimon::suffering::{Band, SufferingFact};
use golem_life::{LifePoint, LifeStanding, Status};
use golem_mortality::stochastic::HazardBand;
use golem_mortality::{BehavioralPhase, Domain, GolemMode, MortalityFact};
use golem_view::wrap::cut;
use golem_view::{money, position, time};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment) {
    let right = if area.width >= 160 { 62 } else { 36 };
    let [left, side] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(right)]).areas(area);
    let all_charts = left.height >= 40;
    let charts = if all_charts { 30 } else { left.height.saturating_sub(12).max(7) };
    let [chart, life, trades] =
        Layout::vertical([Constraint::Length(charts), Constraint::Length(6), Constraint::Fill(1)]).areas(left);
    if all_charts {
        let each = Layout::vertical([Constraint::Fill(1); 3]).split(chart);
        (0..3).for_each(|n| plot(frame, each[n], stage, m, n, stage.state.pane() == n));
    } else {
        plot(frame, chart, stage, m, stage.state.pane().min(2), true);
    }
    over_time(frame, life, stage, m);
    deals(frame, trades, stage, m);
    let stands = if side.height >= 34 { 16 } else { 12 };
    let [condition, weight] = Layout::vertical([Constraint::Length(stands), Constraint::Fill(1)]).areas(side);
    stand(frame, condition, stage, m);
    burden(frame, weight, stage, m);
}

/// Vitality, worth, or the market with what was done on it and who died on it.
fn plot(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment, which: usize, focused: bool) {
    let (palette, points) = (stage.palette, stage.scene.points_until(m.tick));
    let value = |p: &LifePoint| match which {
        0 => Some(p.vitality.composite),
        1 => Some(p.balance.as_f64()),
        _ => p.price,
    };
    let mut line: Vec<(f64, f64)> = points.iter().filter_map(|(at, p)| Some((at.0 as f64, value(p)?))).collect();
    let last = match which {
        0 => Some(m.vitality.composite),
        1 => Some(m.balance.as_f64()),
        _ => m.price,
    };
    line.extend(last.map(|y| (m.at.0 as f64, y)));
    let marks = if which == 2 { market_marks(stage, m, &line) } else { Vec::new() };
    let stains = marks.iter().filter(|mark| mark.symbol == '†').count();
    let title = match which {
        0 => format!("vitality {:.2}", m.vitality.composite),
        1 => format!("worth {} USDC", money::usdc(m.balance)),
        _ => {
            let price = m.price.map_or("unknown".to_owned(), money::price);
            let stains = if stains > 0 { format!(" · {stains}† died here") } else { String::new() };
            format!("ETH {price} · {}{stains}", m.regime)
        }
    };
    let border = if focused { palette.accent() } else { palette.dim() };
    let hint = if focused { format!("{title} · ←→") } else { title };
    let inner = framed(frame, area, &hint, focused, border);
    let label = |y: f64| match which {
        0 => format!("{y:.2}"),
        _ if y.abs() >= 100.0 => format!("{y:.0}"),
        _ => format!("{y:.2}"),
    };
    let (style, range) = match which {
        0 => (palette.phase(m.phase), Some((0.0, 1.0))),
        _ => (palette.accent(), None),
    };
    let plot = TermPlot { points: &line, style, marks: &marks, range, label: &label };
    plot.draw(inner, frame.buffer_mut(), palette.dim());
}

/// What it did, and where others died: at their moment, or at the left where that was before.
fn market_marks(stage: &DrawStage<'_>, m: &ShownMoment, line: &[(f64, f64)]) -> Vec<PlotMark> {
    let palette = stage.palette;
    let (Some((from, _)), Some((until, _))) = (line.first(), line.last()) else { return Vec::new() };
    let done = stage.scene.trades_until(m.tick).iter().filter(|t| t.is_done());
    let mut marks: Vec<PlotMark> = done
        .filter_map(|t| {
            let opens = t.what.opens();
            let (symbol, style) = if opens { ('▲', palette.good()) } else { ('▼', palette.warn()) };
            Some(PlotMark { x: t.at.0 as f64, y: t.price?, symbol, style })
        })
        .collect();
    for grave in stage.scene.graves.iter().filter(|g| g.same_market && Some(g.id) != stage.scene.golem) {
        let Some(y) = grave.price else { continue };
        let x = (grave.died_at.0 as f64).max(*from);
        if x <= *until {
            marks.push(PlotMark { x, y, symbol: '†', style: palette.blood(m.mood, grave.mood) });
        }
    }
    marks
}

/// A part of vitality: its word, how a point says it, how it is now, and its colour.
type VitalPart = (&'static str, fn(&LifePoint) -> f64, f64, Style);

/// The three components over the life, and the phases under them.
fn over_time(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment) {
    let palette = stage.palette;
    let inner = framed(frame, area, "over its life", false, palette.dim());
    let width = usize::from(inner.width).saturating_sub(14);
    let points = stage.scene.points_until(m.tick);
    let parts: [VitalPart; 3] = [
        ("money", |p| p.vitality.economic, m.vitality.economic, palette.good()),
        ("skill", |p| p.vitality.epistemic, m.vitality.epistemic, palette.accent()),
        ("age", |p| p.vitality.age_factor, m.vitality.age_factor, palette.warn()),
    ];
    let mut lines: Vec<Line<'_>> = parts
        .into_iter()
        .map(|(name, of, now, style)| {
            let values: Vec<f64> = points.iter().map(|(_, p)| of(p)).collect();
            let row = format!("{:<width$}", sparks(&values, width));
            Line::from(vec![
                Span::raw(format!(" {name:<6}")),
                Span::styled(row, style),
                Span::raw(format!(" {now:.2}")),
            ])
        })
        .collect();
    let mut ribbon = vec![Span::raw(" phase ")];
    for (from, to) in stretches(points.len(), width) {
        // The worst of a stretch: a crisis of an hour is not to be lost in a month.
        let worst = points[from..to].iter().map(|(_, p)| p.phase).min().unwrap_or(m.phase);
        ribbon.push(Span::styled(letter(worst).to_string(), palette.ribbon(worst)));
    }
    lines.push(Line::from(ribbon));
    frame.render_widget(Paragraph::new(lines), inner);
}

fn letter(phase: BehavioralPhase) -> char {
    ['X', 'D', 'C', 'S', 'T'][phase as usize]
}

/// What it did with its money, the newest first.
fn deals(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment) {
    let palette = stage.palette;
    let all = stage.scene.trades_until(m.tick);
    let title = format!("trades: {}", m.trades);
    let inner = framed(frame, area, &title, false, palette.dim());
    let row = stage.state.row(TuiView::Overview, stage.state.pane()).min(all.len().saturating_sub(1));
    let height = usize::from(inner.height);
    // What it holds stands above what it did, and takes no more than half of the room from it; of an earlier moment only the sum
    // is known.
    let now = stage.scene.status().filter(|_| stage.state.deck.live);
    let open = now.map_or(&[][..], |s| &s.open);
    let room = if all.is_empty() { height } else { (height / 2).max(1) };
    let shown = if open.len() > room { room.saturating_sub(1) } else { open.len() };
    let mut held: Vec<String> = open[..shown].iter().map(|open| format!(" holds {}", position::words(open))).collect();
    if open.len() > shown {
        let more = if shown == 0 { "" } else { "more " };
        held.push(format!(" holds {} {more}positions", open.len() - shown));
    }
    let held = held.into_iter().map(|text| vec![Line::styled(cut(&text, usize::from(inner.width)), palette.strong())]);
    let done = all.iter().rev().skip(row).take(height).enumerate().map(|(n, t)| {
        let style = if t.is_done() { Style::new() } else { palette.dim() };
        let head = format!(" {} ", time::moment(t.at).chars().skip(5).collect::<String>());
        let why = if t.why.is_empty() { String::new() } else { format!(" · {}", t.why) };
        let text = cut(&format!("{head}{}{why}", t.sentence()), usize::from(inner.width));
        // Enter reads the whole of this one.
        marked(vec![Line::styled(text, style)], n == 0, palette.strong())
    });
    let lines: Vec<_> = held.chain(done).take(height).collect();
    items(frame, inner, &lines, None, " it has not traded yet", palette.dim());
}

/// How it stands.
fn stand(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment) {
    let palette = stage.palette;
    let inner = framed(frame, area, "how it stands", false, palette.dim());
    let now = stage.scene.status().filter(|_| stage.state.deck.live);
    let row = |name: &str, words: String, style: Style| {
        let words = cut(&words, usize::from(inner.width).saturating_sub(10));
        Line::from(vec![Span::styled(format!(" {name:<8} "), palette.dim()), Span::styled(words, style)])
    };
    let mut lines = vec![row("state", state_words(stage, now, m), palette.phase(m.phase))];
    // What an owner must know stands where the least terminal still shows it.
    if let Some(s) = now {
        if s.vigil.is_some() {
            lines.push(row("vigil", "feed it, or it dies".to_owned(), palette.bad()));
        }
        if let Some(why) = &s.cage.halted {
            lines.push(row("halted", why.to_string(), palette.warn()));
        }
    }
    lines.push(row("worth", format!("{} USDC", money::usdc(m.balance)), palette.strong()));
    let share = format!(", {:.0} % exposed", m.exposure * 100.0);
    lines.push(row("holds", format!("{}{share}", money::usdc(m.positions)), Style::new()));
    lines.push(row("to live", format!("{} USDC", money::usdc(m.operating)), Style::new()));
    if let Some(s) = now {
        let runway = match s.projected_life_h {
            _ if s.death.is_some() => "none".to_owned(),
            _ if s.vigil.is_some() => "none: its vigil runs".to_owned(),
            None => "nothing burns".to_owned(),
            Some(hours) => time::age(hours / 24.0),
        };
        lines.push(row("runway", runway, Style::new()));
    }
    let band = HazardBand::of(m.hazard_rate);
    lines.push(row("hazard", format!("{} ({:.1e}/tick)", band.name(), m.hazard_rate), hazard_style(band, stage)));
    lines.push(row("P(alive)", alive_words(stage, m, now), Style::new()));
    let mood = m.mood.map_or(("not felt".to_owned(), Style::new()), |pad| {
        let feels = now.and_then(|s| s.affect.as_ref()).and_then(|a| a.emotion).map(|e| format!(", {}", e.name()));
        let word = format!("{}{}", MoodWord::of(pad).name(), feels.unwrap_or_default());
        let exact = format!("{word} ({pad})");
        // Half a number says nothing.
        let fits = exact.chars().count() + 10 <= usize::from(inner.width);
        (if fits { exact } else { word }, palette.mood(pad))
    });
    lines.push(row("mood", mood.0, mood.1));
    let room = usize::from(inner.width).saturating_sub(10);
    lines.push(row("market", market_words(m, room), Style::new()));
    if let Some(s) = now {
        let mut hits = String::new();
        for d in Domain::ALL {
            let Some(rate) = s.hit_rates.get(d.name()) else { continue };
            let more = format!("{}{} {:.0}%", if hits.is_empty() { "" } else { " " }, short(d), rate * 100.0);
            // Half a number says nothing.
            if hits.chars().count() + more.chars().count() > room {
                break;
            }
            hits.push_str(&more);
        }
        lines.push(row("right", hits, Style::new()));
        for locked in golem_view::locked::locked(s).into_iter().take(3) {
            lines.push(row("locked", locked.to_owned(), palette.warn()));
        }
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// The regime and the price, said so that the whole price stands in this room.
fn market_words(m: &ShownMoment, room: usize) -> String {
    let price = m.price.map_or("unknown".to_owned(), money::price);
    let coarse = m.price.map_or("unknown".to_owned(), |p| format!("{p:.0}"));
    let regime = &m.regime;
    let ways = [format!("{regime} at {price}"), format!("{regime} {price}"), format!("{regime} {coarse}")];
    ways.into_iter().find(|words| words.chars().count() <= room).unwrap_or(price)
}

/// A domain by the beginning of its name.
fn short(domain: Domain) -> String {
    domain.name().split('_').next().unwrap_or_default().to_owned()
}

fn hazard_style(band: HazardBand, stage: &DrawStage<'_>) -> Style {
    match band {
        HazardBand::Nominal => stage.palette.good(),
        HazardBand::Increasing => Style::new(),
        HazardBand::Elevated => stage.palette.warn(),
        HazardBand::High => stage.palette.bad(),
    }
}

/// Where in a turn, a dream or its dying it is.
fn state_words(stage: &DrawStage<'_>, now: Option<&Status>, m: &ShownMoment) -> String {
    let Some(s) = now else { return m.phase.to_string() };
    let doing = match s.standing {
        LifeStanding::Dead => return "dead".to_owned(),
        LifeStanding::Paused => return "paused".to_owned(),
        LifeStanding::Dying => {
            let stages = MortalityFact::named("DyingStage");
            let last = stage.scene.told.iter().rev().find(|line| line.kind == stages);
            let over = last.and_then(|line| line.words.split(':').next());
            return over.map_or("dying".to_owned(), |over| format!("dying, {over} is over"));
        }
        LifeStanding::Alive if s.mode == GolemMode::Dreaming => return at_work(s),
        LifeStanding::Alive => at_work(s),
    };
    format!("{}, {doing}", m.phase)
}

/// The chance to be alive in a day, and in a week where that is foretold.
fn alive_words(stage: &DrawStage<'_>, m: &ShownMoment, now: Option<&Status>) -> String {
    if now.is_some_and(|s| s.death.is_some()) {
        return "0".to_owned();
    }
    let foretold = stage.scene.outlook.as_ref().filter(|_| now.is_some());
    let at = |day: u32| foretold.and_then(|f| f.p_alive.iter().find(|a| a.day == day)).map(|a| a.p);
    let (day, week) = (at(1).unwrap_or(m.survival_24h), at(7));
    let week = week.map_or(String::new(), |p| format!(", {:.0} % week", p * 100.0));
    format!("{:.1} % day{week}", day * 100.0)
}

/// What weighs on it, why, and what can be done.
fn burden(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment) {
    let palette = stage.palette;
    let load = m.load.unwrap_or(0.0);
    let title = if m.load.is_some() { format!("suffering {load:.2}") } else { "suffering: off".to_owned() };
    let inner = framed(frame, area, &title, false, palette.dim());
    let width = inner.width.saturating_sub(1);
    let style = match Band::of(load) {
        Band::Background => palette.good(),
        Band::Present => palette.warn(),
        Band::High | Band::Severe | Band::Crisis => palette.bad(),
    };
    let mut lines = vec![vec![Line::styled(format!(" {}", bar(load, usize::from(width.saturating_sub(1)))), style)]];
    let present = stage.scene.status().filter(|_| stage.state.deck.live).and_then(|s| s.suffering.as_ref());
    match present {
        Some(suffering) if suffering.stressors.is_empty() => {
            lines.push(folded(" ", "nothing weighs on it", width, palette.dim()));
        }
        Some(suffering) => {
            lines.push(folded(" ", &format!("band {}", suffering.band.name()), width, style));
            for s in &suffering.stressors {
                lines.push(folded(" ", &format!("{} {:.2}", s.name, s.severity), width, palette.strong()));
                lines.push(folded("  ", &s.evidence, width, Style::new()));
                let words = s.remedy(stage.scene.name()).unwrap_or_else(|| s.eases_when.clone());
                lines.push(folded("  → ", &words, width, palette.accent()));
            }
        }
        // Of the past the log knows what began and what ended.
        None => {
            let told = stage.scene.told_until(m.tick).iter().rev();
            let told = told.filter(|line| SufferingFact::NAMES.contains(&line.kind)).take(4);
            lines.extend(told.map(|line| folded(" ", &line.words, width, Style::new())));
        }
    }
    let lines: Vec<_> = lines.into_iter().map(|item| marked(item, false, Style::new())).collect();
    items(frame, inner, &lines, None, "", palette.dim());
}
