//! The epistemic clock in the live loop: it leaves those alone who learn, finds those who stopped and those who have it all
//! wrong, and does not flap. A slice; the whole table is `bardo lab clock`.

#![allow(clippy::print_stderr, reason = "tests say what they measured")]

use golem_lab::clock::{ClockMind, ClockPlan, ClockReport, MindLine, minds};

fn slice() -> ClockPlan {
    let long = std::env::var_os("BARDO_LONG").is_some();
    ClockPlan { lives: if long { 180 } else { 24 }, ..ClockPlan::default() }
}

fn of(lines: &[MindLine], mind: ClockMind) -> &MindLine {
    lines.iter().find(|l| l.mind == mind).expect("every mind is lived")
}

#[test]
fn minds_are_told_apart() {
    let (lines, lives) = minds(&slice(), &|_| {}).expect("the default world");
    let text = ClockReport { minds: lines.clone(), ..ClockReport::default() }.text();
    eprintln!("{text}");
    let learning = of(&lines, ClockMind::Learning);
    assert!(50 * learning.senescent <= learning.lives, "at most one in fifty is called senescent: {text}");
    assert!(learning.changes_in_5_days < 1.0, "phases do not flap: {text}");
    let turned = of(&lines, ClockMind::TurnedRound);
    assert_eq!(turned.senescent, turned.lives, "{text}");
    let frozen = of(&lines, ClockMind::Frozen);
    assert!(frozen.lead < learning.lead && frozen.senescent > learning.senescent, "{text}");
    assert!(lives.iter().all(|l| (0.0..=1.0).contains(&l.fitness) && l.lead.abs() <= 3.0));
}
