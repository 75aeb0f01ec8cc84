//! Arms: what `--switch` says, as settings. The first arm has the first value of every switch; every further value is an
//! arm that differs from it in that alone.

use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use golem_lab::compare::ArmSettings;

/// An arm by name, and what it sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabArm {
    pub name: String,
    pub sets: Vec<String>,
}

/// A switch and its values.
struct Switch {
    key: String,
    values: Vec<String>,
}

impl Switch {
    fn parse(text: &str) -> Result<Self, Fail> {
        let hint = "write a setting and its values: --switch grimoire.enabled=true,false";
        let (key, values) = text.split_once('=').ok_or_else(|| Fail::hint(format!("{text:?} is no switch"), hint))?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if key.trim().is_empty() || values.len() < 2 || values.iter().any(String::is_empty) {
            return Err(Fail::hint(format!("{text:?} has fewer than two values to compare"), hint));
        }
        Ok(Self { key: key.trim().to_owned(), values })
    }

    fn set(&self, n: usize) -> String {
        format!("{}={}", self.key, self.values[n])
    }
}

/// The arms that these switches make.
pub fn arms(switches: &[String]) -> Result<Vec<LabArm>, Fail> {
    let switches = switches.iter().map(|text| Switch::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let first: Vec<String> = switches.iter().map(|switch| switch.set(0)).collect();
    let mut all = vec![LabArm { name: first.join(" "), sets: first.clone() }];
    for (at, switch) in switches.iter().enumerate() {
        for n in 1..switch.values.len() {
            let mut sets = first.clone();
            sets[at] = switch.set(n);
            all.push(LabArm { name: switch.set(n), sets });
        }
    }
    Ok(all)
}

/// The settings that all of these make, for a life in the lab: deaths are recorded and not enforced, and what only advises
/// is off. Later ones win, so that either can be asked for.
pub fn settings(sets: &[String]) -> Result<GolemFile, Fail> {
    let lab = ["mortality.deaths=recorded", "diagnostics.enabled=false"].map(str::to_owned);
    let file = GolemFile::read("", &[lab.as_slice(), sets].concat())?;
    if file.chain.kind != ChainWord::Paper || !file.chain.scenario.is_empty() {
        let what = "lives in the lab are lived on paper, without weather of their own";
        return Err(Fail::hint(what, "leave out chain.kind and chain.scenario"));
    }
    if !file.inference.providers.is_empty() {
        let what = "nobody asks a provider in the lab: a reply could not be the same for both arms";
        return Err(Fail::hint(what, "leave out inference.providers; --model has somebody to ask"));
    }
    Ok(file)
}

/// What of it a comparison needs; with somebody to ask where the plan has a model.
pub fn of_file(file: &GolemFile, model: bool) -> ArmSettings {
    let life = if model { file.life_that_thinks() } else { file.life() };
    ArmSettings { life, market: file.market.clone(), synthetic: file.world.synthetic.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_further_value_is_an_arm_that_differs_in_that_alone() {
        let switches = ["grimoire.enabled=true,false", "mind.trading=true,false"].map(str::to_owned);
        let arms = arms(&switches).expect("sound");
        let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(names, ["grimoire.enabled=true mind.trading=true", "grimoire.enabled=false", "mind.trading=false"]);
        assert_eq!(arms[2].sets, ["grimoire.enabled=true", "mind.trading=false"]);
        for bad in ["grimoire.enabled", "grimoire.enabled=true", "=1,2", "a=1,,2"] {
            assert!(super::arms(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_lab_records_deaths_unless_told_otherwise() {
        use golem_mortality::config::Deaths;
        assert_eq!(settings(&[]).expect("sound").mortality.deaths, Deaths::Recorded);
        let asked = settings(&["mortality.deaths=enforced".to_owned()]).expect("sound");
        assert_eq!(asked.mortality.deaths, Deaths::Enforced);
    }
}
