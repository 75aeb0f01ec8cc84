//! The prompt: a file for people to read and review, with the version that every request names.

use super::verdict::{VerdictAsked, described};

/// Name and version. Another text is another version: replies are recorded under it.
pub const NAME: &str = "deliberate@2";

const TEXT: &str = include_str!("../../prompts/deliberate.md");
/// Where the fields of the verdict stand in it.
const FIELDS: &str = "{fields}";

/// What the model is told about itself, its rules, and the fields that its verdict may have in this turn.
#[must_use]
pub fn system(asked: VerdictAsked) -> String {
    TEXT.replace(FIELDS, &described(asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Hash;

    const ALL: VerdictAsked = VerdictAsked { brief: false, assess: true, appraise: true };

    #[test]
    fn another_text_is_another_version() {
        // When this fails, raise the version in NAME and put the new hash here.
        let (version, hash) = ("deliberate@2", Hash::of(system(ALL).as_bytes()).to_string());
        assert_eq!((NAME, &hash[..16]), (version, "ffe525834d041c39"));
    }

    #[test]
    fn it_names_the_tools_that_there_are_and_no_others() {
        let said = system(ALL);
        let named: std::collections::BTreeSet<&str> =
            said.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).filter(|w| w.contains('_')).collect();
        let tools = golem_core::Tool::ALL.map(golem_core::Tool::name);
        let fields = ["new_stressors", "risk_percent", "stand_aside", "suffering_assessment"];
        assert_eq!(named, tools.into_iter().chain(fields).collect());
    }
}
