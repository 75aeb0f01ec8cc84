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
    Organ { name: "temperament given (or drawn)", off: &["mortality.affect.temperament=drawn"] },
    Organ { name: "suffering", off: &["suffering.enabled=false"] },
    Organ { name: "remedies", off: &["suffering.remedies=false"] },
    Organ { name: "dreams", off: &["dream.enabled=false"] },
    Organ { name: "channel dreams", off: &["mortality.affect.channels.dreams=false"] },
];

/// What a whole golem has that is off unless its owner wants it.
const WHOLE_HAS: &[&str] = &["dream.enabled=true"];

/// What acts on thinking, taken out of golems that have a model to ask. The gate can be taken out in two ways: a golem
/// without it thinks whenever it may, or never.
pub const THINKING_ORGANS: &[Organ] = &[
    Organ { name: "tier gate (or it always thinks)", off: &["mind.gate.base_deliberation_threshold=0.05"] },
    Organ { name: "tier gate (or it never thinks)", off: &["mind.gate.max_daily_cost_usdc=0"] },
    Organ { name: "channel tier", off: &["mortality.affect.channels.tier=false"] },
    Organ { name: "channel exploration", off: &["mortality.affect.channels.exploration=false"] },
    Organ { name: "affect", off: &["mortality.affect.enabled=false"] },
    Organ { name: "grimoire", off: &["grimoire.enabled=false"] },
    Organ { name: "suffering", off: &["suffering.enabled=false"] },
];

/// What nothing is said of, and why.
pub const NOT_MEASURED: &[(&str, &str)] = &[
    ("channel sharing", "waits for siblings that are told what is known"),
    ("inheritance", "one life has none: `bardo lab heirs`"),
];

/// A whole golem, then one without each of these organs.
pub fn arms(organs: &[Organ]) -> Vec<LabArm> {
    let arm = |name: &str, off: &[&str]| LabArm {
        name: name.to_owned(),
        sets: WHOLE_HAS.iter().chain(off).map(ToString::to_string).collect(),
    };
    let whole = arm(WHOLE, &[]);
    let without = |organ: &Organ| arm(organ.name, organ.off);
    std::iter::once(whole).chain(organs.iter().map(without)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::arms::{of_file, settings};
    use super::*;

    #[test]
    fn every_organ_is_taken_out_by_a_setting_that_there_is() {
        for (organs, model) in [(ORGANS, false), (THINKING_ORGANS, true)] {
            let arms = arms(organs);
            let whole = of_file(&settings(&arms[0].sets).expect("a whole golem"), model);
            for arm in arms.iter().skip(1) {
                let without = of_file(&settings(&arm.sets).expect("a setting"), model);
                assert_ne!(without, whole, "{}", arm.name);
            }
            assert_eq!(whole.life.thinking.any(), model);
        }
    }
}
