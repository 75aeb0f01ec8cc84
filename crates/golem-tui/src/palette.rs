//! Colours: of phases and moods, and the tint that the dead leave; or none of them where colours are not wanted.

use golem_daimon::affect::Pad;
use golem_mortality::BehavioralPhase;
use ratatui::style::{Color, Modifier, Style};

/// How much of a dead golem's last mood shows through the mood of whoever carries its entry.
const UNDER: f64 = 0.3;
/// What stands for a mood that nobody knows: ash.
const ASH: [u8; 3] = [128, 124, 120];

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// False with `NO_COLOR`: what matters is then said by letters, marks and weight.
    pub color: bool,
}

impl Palette {
    fn fg(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }
    pub fn phase(self, phase: BehavioralPhase) -> Style {
        let color = [Color::Magenta, Color::Red, Color::Yellow, Color::Cyan, Color::Green][phase as usize];
        self.fg(color)
    }
    /// A cell of the ribbon: its letter on its colour.
    pub fn ribbon(self, phase: BehavioralPhase) -> Style {
        let color = [Color::Magenta, Color::Red, Color::Yellow, Color::Cyan, Color::Green][phase as usize];
        if self.color { Style::new().fg(Color::Black).bg(color) } else { Style::new() }
    }
    pub fn good(self) -> Style {
        self.fg(Color::Green)
    }
    pub fn bad(self) -> Style {
        self.fg(Color::Red)
    }
    pub fn warn(self) -> Style {
        self.fg(Color::Yellow)
    }
    pub fn accent(self) -> Style {
        self.fg(Color::Cyan)
    }
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
    /// A grey of the tomb, from 0 (dark) to 1.
    pub fn grey(self, light: f64) -> Style {
        let g = (50.0 + 150.0 * light.clamp(0.0, 1.0)) as u8;
        self.fg(Color::Rgb(g, g, g))
    }
    pub fn mood(self, mood: Pad) -> Style {
        let [r, g, b] = mood_rgb(mood);
        self.fg(Color::Rgb(r, g, b))
    }
    /// An entry that was paid for with a life: the living one's mood, with the dead one's last mood under it.
    pub fn blood(self, living: Option<Pad>, dead: Option<Pad>) -> Style {
        let [r, g, b] = under(living.map_or([200, 200, 200], mood_rgb), dead.map_or(ASH, mood_rgb));
        self.fg(Color::Rgb(r, g, b))
    }
}

/// A mood as a colour: pleasure greens it and pain reddens it, arousal makes it hot and dominance cool.
#[must_use]
pub fn mood_rgb(mood: Pad) -> [u8; 3] {
    let (p, a, d) = (mood.pleasure(), mood.arousal(), mood.dominance());
    let part = |x: f64| x.clamp(0.0, 255.0) as u8;
    [
        part(140.0 + 70.0 * (-p).max(0.0) + 40.0 * a),
        part(140.0 + 70.0 * p.max(0.0) + 20.0 * a),
        part(140.0 + 50.0 * d - 30.0 * a),
    ]
}

/// The dead one's colour at 30 % under the living one's.
#[must_use]
pub fn under(living: [u8; 3], dead: [u8; 3]) -> [u8; 3] {
    let mix = |n: usize| (f64::from(living[n]) * (1.0 - UNDER) + f64::from(dead[n]) * UNDER).round() as u8;
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_show_through_at_thirty_per_cent() {
        assert_eq!(under([0, 100, 200], [100, 100, 0]), [30, 100, 140]);
        let (calm, afraid) = (Pad::new(0.5, -0.2, 0.3), Pad::new(-0.8, 0.9, -0.7));
        let mixed = under(mood_rgb(calm), mood_rgb(afraid));
        for (n, part) in mixed.iter().enumerate() {
            let (low, high) = (mood_rgb(calm)[n].min(mood_rgb(afraid)[n]), mood_rgb(calm)[n].max(mood_rgb(afraid)[n]));
            assert!((low..=high).contains(part));
        }
        assert!(mood_rgb(afraid)[0] > mood_rgb(calm)[0], "pain is redder");
    }

    #[test]
    fn without_colours_there_is_none() {
        let plain = Palette { color: false };
        let styles = [
            plain.phase(BehavioralPhase::Stable),
            plain.ribbon(BehavioralPhase::Declining),
            plain.good(),
            plain.bad(),
            plain.warn(),
            plain.accent(),
            plain.grey(0.5),
            plain.mood(Pad::NEUTRAL),
            plain.blood(None, None),
            plain.dim(),
            plain.strong(),
            plain.chosen(),
        ];
        assert!(styles.iter().all(|s| s.fg.is_none() && s.bg.is_none()));
    }
}
