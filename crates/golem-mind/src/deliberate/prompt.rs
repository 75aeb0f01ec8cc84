//! The prompt: a file for people to read and review, with the version that every request names.

/// Name and version. Another text is another version: replies are recorded under it.
pub const NAME: &str = "deliberate@1";

/// What the model is told about itself and its rules.
pub const SYSTEM: &str = include_str!("../../prompts/deliberate.md");

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Hash;

    #[test]
    fn another_text_is_another_version() {
        // When this fails, raise the version in NAME and put the new hash here.
        let (version, hash) = ("deliberate@1", Hash::of(SYSTEM.as_bytes()).to_string());
        assert_eq!((NAME, &hash[..16]), (version, "b29c29f2a28ff5d4"));
    }

    #[test]
    fn it_names_the_tools_that_there_are_and_no_others() {
        let named: std::collections::BTreeSet<&str> =
            SYSTEM.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).filter(|w| w.contains('_')).collect();
        let tools = golem_core::Tool::ALL.map(golem_core::Tool::name);
        let fields = ["new_stressors", "risk_percent", "stand_aside", "suffering_assessment"];
        assert_eq!(named, tools.into_iter().chain(fields).collect());
    }
}
