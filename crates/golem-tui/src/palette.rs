//! Colours: of phases and moods, and the tint that the dead leave; or none of them where colours are not wanted.

use golem_daimon::affect::Pad;
use golem_mortality::BehavioralPhase;
use golem_view::mood::{mood_rgb, under};
use ratatui::style::{Color, Modifier, Style};

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

#[cfg(test)]
mod tests {
    use super::*;

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
