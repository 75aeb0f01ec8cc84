//! What the owner has said about the successor of a golem: at its birth, and since then in `succession.toml` of this home, which comes
//! after it. Settings of a golem are fixed at its birth; a directive can be taken back.

use crate::fail::Fail;
use crate::golem_file::{GolemFile, moment};
use crate::home::Home;
use crate::settings_file::keys;
use golem_clade::succession::SuccessionConfig;
use golem_core::Timestamp;
use golem_runtime::Origin;
use toml::{Table, Value};

/// The owner's word.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    /// What is to happen.
    pub config: SuccessionConfig,
    /// Until when.
    pub expires: Option<Timestamp>,
    /// Seconds between two heartbeats of the heir.
    pub heartbeat_s: u64,
}

/// The word that holds for a golem now.
pub fn directive(origin: &Origin, home: &Home) -> Result<Directive, Fail> {
    let file = GolemFile::read(&origin.settings_given, &since(home)?)?;
    let expires = moment(&file.succession.expires).map_err(|e| Fail::owner(format!("succession.expires: {e}")))?;
    let heartbeat_s = crate::birth::settings_of(origin)?.heartbeat.tick_interval_s;
    Ok(Directive { config: file.succession, expires, heartbeat_s })
}

/// What the owner has said since, as settings of one key each.
fn since(home: &Home) -> Result<Vec<String>, Fail> {
    let path = home.path().join("succession.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Fail::world(format!("cannot read {}: {e}", path.display()))),
    };
    let wrong = |what: String| Fail::hint(format!("{}: {what}", path.display()), "write a table [succession] there");
    let table: Table = text.parse().map_err(|e: toml::de::Error| wrong(e.message().to_owned()))?;
    if let Some(other) = table.keys().find(|key| *key != "succession") {
        return Err(wrong(format!("{other} has nothing to do with succession")));
    }
    let said = keys(&table).into_iter().filter(|(_, value)| !matches!(value, Value::Table(_)));
    Ok(said.map(|(key, value)| format!("{key}={value}")).collect())
}
