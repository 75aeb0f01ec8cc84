//! What stands in the prompt above the goals, in the seed's form, and what peers are told of a crisis.
//!
//! What it says is open or closed is read from the gate's table, so it cannot contradict the gate.

use super::recorded::SufferingSeen;
use super::state::{OpenStressor, Suffering};
use super::write::{bar, two};
use crate::band::Band;
use crate::gate::ActionClass;
use std::fmt::Write;

impl Suffering {
    /// The fragment; none in the lowest band.
    #[must_use]
    pub fn fragment(&self, seen: SufferingSeen<'_>) -> Option<String> {
        let band = self.band();
        if band == Band::Background {
            return None;
        }
        let mut out = String::with_capacity(2_048);
        header(band, self.load(), &mut out);
        for open in self.worst_first() {
            stressor(&open, seen, &mut out);
        }
        classes(band, &mut out);
        out.push_str(
            "\nThis is a control signal, computed from what was recorded. Words do not lower what is measured; a changed record does.",
        );
        Some(out)
    }

    /// What is open, the worst first; of equals the one that is listed first.
    pub(super) fn worst_first(&self) -> Vec<OpenStressor<'_>> {
        let mut open: Vec<_> = self.open().collect();
        open.sort_by(|a, b| b.severity.total_cmp(&a.severity));
        open
    }

    /// What peers are told of a crisis, in the seed's words.
    #[must_use]
    pub fn crisis_message(&self) -> String {
        let mut list = String::new();
        for (i, open) in self.worst_first().iter().enumerate() {
            list.push_str(if i == 0 { "" } else { ", " });
            list.push_str(open.name);
        }
        format!("I am in crisis (suffering {}/1.0). Active stressors: {list}.", two(self.load()))
    }
}

fn header(band: Band, load: f64, out: &mut String) {
    let load = two(load);
    // Writing to a string cannot fail.
    let _done = match band {
        Band::Background => Ok(()),
        Band::Present => write!(out, "Current suffering ({load}/1.0):"),
        Band::High => write!(out, "HIGH SUFFERING ({load}/1.0) — this is shaping your ability to act."),
        Band::Severe => {
            write!(out, "HIGH SUFFERING ({load}/1.0) — this is shaping your ability to act. Resolving it comes first.")
        }
        Band::Crisis => write!(
            out,
            "!! CRISIS STATE — your suffering load is critical ({load}/1.0). You cannot pursue external goals. \
             Address this first."
        ),
    };
}

fn stressor(open: &OpenStressor<'_>, seen: SufferingSeen<'_>, out: &mut String) {
    for part in ["\n  ", bar(open.severity), " ", open.name, " "] {
        out.push_str(part);
    }
    two(open.severity).push(out);
    out.push_str("  ");
    match (open.canonical, open.reported) {
        (Some(which), _) => {
            out.push_str(which.about());
            out.push_str("\n  Will ease when: ");
            which.write_eases_when(seen, out);
        }
        (None, Some(reported)) => {
            let _done = write!(out, "you wrote: \"{}\"\n  Will ease when: ", reported.description);
            reported.condition.write(seen.snapshot, out);
        }
        (None, None) => {}
    }
}

fn classes(band: Band, out: &mut String) {
    for (word, is_open) in [("\nOpen to you now: ", true), ("\nClosed by this load: ", false)] {
        let mut first = true;
        for class in ActionClass::ALL.into_iter().filter(|c| c.open_at(band) == is_open) {
            out.push_str(if first { word } else { ", " });
            out.push_str(class.name());
            first = false;
        }
        if !first {
            out.push('.');
        }
    }
}
