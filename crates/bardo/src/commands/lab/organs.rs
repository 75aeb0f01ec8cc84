//! The organs that `bardo lab matters` takes out one at a time, and those that it cannot take out yet.

use super::arms::LabArm;

/// What a whole golem is called.
pub const WHOLE: &str = "whole";

/// An organ, and what takes it out.
pub struct Organ {
    pub name: &'static str,
    pub off: &'static [&'static str],
}

/// All that can be taken out. Trading is no organ but a control: whoever cannot see it gone sees nothing.
pub const ORGANS: &[Organ] = &[
    Organ { name: "trading (control)", off: &["mind.trading=false"] },
    Organ { name: "grimoire", off: &["grimoire.enabled=false"] },
    Organ { name: "playbook", off: &["grimoire.playbook=false"] },
    Organ { name: "warnings", off: &["grimoire.warnings=false"] },
    Organ { name: "learning", off: &["mind.learning=false"] },
    Organ { name: "affect", off: &["mortality.affect.enabled=false"] },
    Organ { name: "channel exploration", off: &["mortality.affect.channels.exploration=false"] },
    Organ { name: "channel risk", off: &["mortality.affect.channels.risk=false"] },
    Organ { name: "channel tier", off: &["mortality.affect.channels.tier=false"] },
    Organ { name: "channel probes", off: &["mortality.affect.channels.probes=false"] },
    Organ { name: "channel sharing", off: &["mortality.affect.channels.sharing=false"] },
    Organ { name: "channel dreams", off: &["mortality.affect.channels.dreams=false"] },
    Organ { name: "suffering", off: &["suffering.enabled=false"] },
    Organ { name: "remedies", off: &["suffering.remedies=false"] },
];

/// What nothing is said of, and why.
pub const NOT_MEASURED: &[(&str, &str)] = &[
    ("tier gate", "without a model every turn is decided by rules; lives with a cassette are not lived in the lab yet"),
    ("dreams", "not there yet"),
    ("inheritance", "not there yet"),
];

/// A whole golem, then one without each organ.
pub fn arms() -> Vec<LabArm> {
    let whole = LabArm { name: WHOLE.to_owned(), sets: Vec::new() };
    let without = |organ: &Organ| LabArm {
        name: organ.name.to_owned(),
        sets: organ.off.iter().map(ToString::to_string).collect(),
    };
    std::iter::once(whole).chain(ORGANS.iter().map(without)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::arms::{of_file, settings};
    use super::*;

    #[test]
    fn every_organ_is_taken_out_by_a_setting_that_there_is() {
        let whole = of_file(&settings(&[]).expect("defaults"));
        for arm in arms().iter().skip(1) {
            let without = of_file(&settings(&arm.sets).expect("a setting"));
            assert_ne!(without, whole, "{}", arm.name);
        }
    }
}
