//! `notify.toml` of a home: the channels of its owner. Settings of a golem are fixed at its birth and hashed; where an owner wants
//! to hear of it changes, and is one answer for all golems of a home.

use super::notice::NoticeKind;
use crate::fail::Fail;
use crate::golem_file::refuse;
use crate::home::Home;
use crate::settings_file;
use golem_core::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use toml::Table;

/// Channels of a home, at most.
const MOST_CHANNELS: usize = 8;
/// Seconds that sending may take, at most.
const MOST_SECONDS: u64 = 120;

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NotifyFile {
    pub notify: NotifySettings,
}

/// `[notify]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotifySettings {
    /// What is told at all.
    pub kinds: Vec<NoticeKind>,
    pub channels: Vec<NotifyChannel>,
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self { kinds: NoticeKind::ALL.to_vec(), channels: Vec::new() }
    }
}

/// `[[notify.channels]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotifyChannel {
    /// What it is called; what still waits goes by this name.
    pub name: String,
    pub kind: ChannelKind,
    /// A program and its arguments, for a command.
    pub command: Vec<String>,
    /// Names of variables that it is given of our environment, beside those that every program needs.
    pub env: Vec<String>,
    /// Where it is posted to, for a webhook.
    pub url: String,
    /// The variable that holds the address, where the address is a secret.
    pub url_env: String,
    /// The variable that holds a token for `Authorization: Bearer`.
    pub token_env: String,
    /// What it is told of; empty for all that is told at all.
    pub kinds: Vec<NoticeKind>,
    /// How long one notice may take.
    pub timeout_s: u64,
}

impl Default for NotifyChannel {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: ChannelKind::Command,
            command: Vec::new(),
            env: Vec::new(),
            url: String::new(),
            url_env: String::new(),
            token_env: String::new(),
            kinds: Vec::new(),
            timeout_s: 10,
        }
    }
}

/// How a channel sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// A program is run, with the notice on its stdin.
    #[default]
    Command,
    /// The notice is posted over HTTP.
    Webhook,
}

impl NotifyFile {
    /// Its name in a home.
    pub const NAME: &str = "notify.toml";

    /// Every key that there is, also those of a channel.
    pub fn schema() -> Result<Table, Fail> {
        let settings = NotifySettings { channels: vec![NotifyChannel::default()], ..NotifySettings::default() };
        Table::try_from(Self { notify: settings }).map_err(|e| Fail::Bug(format!("settings do not serialise: {e}")))
    }

    /// From a text; every problem at once.
    pub fn read(text: &str) -> Result<Self, Fail> {
        settings_file::read(&Self::schema()?, text, &[], Self::problems).map_err(|p| refuse(&p))
    }

    /// Of a home; none without the file.
    pub fn find(home: &Home) -> Result<Option<Self>, Fail> {
        let path = home.path().join(Self::NAME);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::read(&text).map(Some).map_err(|fail| match fail {
                Fail::Owner(what, hint) => Fail::Owner(format!("{}: {what}", path.display()), hint),
                other => other,
            }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Fail::world(format!("cannot read {}: {e}", path.display()))),
        }
    }

    /// Where it can be read by others although it holds an address, which may be a key: how to mend that.
    pub fn unguarded(&self, home: &Home) -> Option<String> {
        let path = home.path().join(Self::NAME);
        let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
        let is_key = |channel: &NotifyChannel| {
            !channel.url.is_empty() || channel.command.iter().any(|word| word.contains("https://"))
        };
        (mode & 0o077 != 0 && self.notify.channels.iter().any(is_key)).then(|| {
            format!(
                "others can read {} (mode {mode:03o}), and an address in it may be a key: chmod 600 it, or name a variable (url_env)",
                path.display()
            )
        })
    }

    fn problems(&self) -> Vec<Problem> {
        self.notify.problems().into_iter().map(|problem| problem.under("notify")).collect()
    }
}

impl NotifySettings {
    fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        if self.channels.len() > MOST_CHANNELS {
            all.push(Problem::new("channels", format!("at most {MOST_CHANNELS} of them")));
        }
        let mut names = BTreeSet::new();
        for (n, channel) in self.channels.iter().enumerate() {
            let mut of = channel.problems();
            if !names.insert(&channel.name) {
                of.push(Problem::new("name", format!("{:?} is the name of another channel", channel.name)));
            }
            all.extend(of.into_iter().map(|problem| problem.under(&format!("channels.{n}"))));
        }
        all
    }

    /// Whether a channel is told of a kind.
    #[must_use]
    pub fn wants(&self, channel: &NotifyChannel, kind: NoticeKind) -> bool {
        self.kinds.contains(&kind) && (channel.kinds.is_empty() || channel.kinds.contains(&kind))
    }
}

impl NotifyChannel {
    fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if self.name.is_empty() || self.name.len() > 32 || !self.name.chars().all(is_name) {
            all.push(Problem::new("name", "give it a short name of small letters, digits, - and _"));
        }
        if !(1..=MOST_SECONDS).contains(&self.timeout_s) {
            all.push(Problem::new("timeout_s", format!("between 1 and {MOST_SECONDS} seconds")));
        }
        match self.kind {
            ChannelKind::Command => {
                if self.command.first().is_none_or(String::is_empty) || self.command.iter().any(|w| w.contains('\0')) {
                    all.push(Problem::new(
                        "command",
                        "name a program, such as [\"/usr/bin/logger\", \"-t\", \"bardo\"]",
                    ));
                }
                if !(self.url.is_empty() && self.url_env.is_empty() && self.token_env.is_empty()) {
                    all.push(Problem::new("url", "a command has no address; say kind = \"webhook\""));
                }
            }
            ChannelKind::Webhook => {
                if !self.command.is_empty() {
                    all.push(Problem::new("command", "a webhook runs no program; say kind = \"command\""));
                }
                match (self.url.is_empty(), self.url_env.is_empty()) {
                    (true, true) => all.push(Problem::new("url", "say where: url, or url_env with a variable's name")),
                    (false, false) => all.push(Problem::new("url_env", "name url or url_env, not both")),
                    (false, true) => {
                        all.extend(
                            golem_inference::config::unspoken_address(&self.url).map(|why| Problem::new("url", why)),
                        );
                    }
                    (true, false) => {}
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_every_problem_at_once() {
        let good = "[notify]\nkinds = [\"death\", \"low_gas\"]\n[[notify.channels]]\nname = \"log\"\ncommand = [\"/bin/cat\"]\n\
                    [[notify.channels]]\nname = \"phone\"\nkind = \"webhook\"\nurl_env = \"HOOK\"\nkinds = [\"death\"]\ntimeout_s = 3\n";
        let file = NotifyFile::read(good).expect("settings").notify;
        assert!(file.channels[1].kind == ChannelKind::Webhook && file.channels[0].timeout_s == 10);
        assert!(
            file.wants(&file.channels[0], NoticeKind::LowGas) && !file.wants(&file.channels[1], NoticeKind::LowGas)
        );
        assert!(!file.wants(&file.channels[0], NoticeKind::Crisis), "not told at all");
        assert_eq!(NotifyFile::read("").expect("nothing").notify, NotifySettings::default());
        let cases: &[(&str, &[&str])] = &[
            ("[[notify.channels]]\nname = \"x\"\n", &["channels.0.command"]),
            (
                "[[notify.channels]]\nname = \"x y\"\ncommand = [\"a\"]\ntimeout_s = 0\n",
                &["channels.0.name", "channels.0.timeout_s"],
            ),
            (
                "[[notify.channels]]\nname = \"x\"\nkind = \"webhook\"\nurl = \"http://example.org/\"\n",
                &["channels.0.url", "https"],
            ),
            (
                "[[notify.channels]]\nname = \"x\"\nkind = \"webhook\"\nurl = \"https://a\"\nurl_env = \"B\"\n",
                &["url_env"],
            ),
            ("[[notify.channels]]\nname = \"x\"\nkind = \"pigeon\"\n", &["pigeon"]),
            (
                "[[notify.channels]]\nname = \"x\"\ncommand = [\"a\"]\n[[notify.channels]]\nname = \"x\"\ncommand = [\"b\"]\n",
                &["channels.1.name"],
            ),
            ("[[notify.channels]]\nname = \"x\"\ncomand = [\"a\"]\n", &["comand", "did you mean command"]),
            ("[notify]\nkinds = [\"birth\"]\n", &["birth"]),
            ("[other]\n", &["other"]),
        ];
        for (text, words) in cases {
            let told = NotifyFile::read(text).err().map_or_else(String::new, |fail| fail.to_string());
            assert!(words.iter().all(|word| told.contains(word)), "{text}: {told}");
        }
    }
}
