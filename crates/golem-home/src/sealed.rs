//! Testaments that are sealed to their owner: `testament.sealed` in place of the two files that anybody can read.

use crate::fail::Fail;
use golem_core::Problem;
use golem_grimoire::testament::SignedTestament;
use golem_wallet::{SealKey, SealPublic, SealedBytes};
use std::path::Path;

/// The file.
pub const FILE: &str = "testament.sealed";

/// What is wrong with a key that something is to be sealed to.
pub fn key_problem(text: &str) -> Option<Problem> {
    let fits = text.is_empty() || SealPublic::read(text).is_some();
    let message = "is no public key of 64 hex digits; make one: bardo wallet seal-key FILE";
    (!fits).then(|| Problem::new("testament.sealed_to", message))
}

/// A testament as it is written for its owner alone; none where it is not to be sealed.
pub fn seal(signed: &SignedTestament, to: &str) -> Result<Option<String>, Fail> {
    let Some(key) = SealPublic::read(to).filter(|_| !to.is_empty()) else { return Ok(None) };
    let json = serde_json::to_vec(signed).map_err(|e| Fail::Bug(e.to_string()))?;
    let sealed = key.seal(&json)?;
    let text = serde_json::to_string_pretty(&sealed).map_err(|e| Fail::Bug(e.to_string()))?;
    Ok(Some(format!("{text}\n")))
}

/// Open the sealed testament in `dir`.
pub fn open(dir: &Path, key_file: &Path) -> Result<SignedTestament, Fail> {
    let (key, path) = (SealKey::read(key_file)?, dir.join(FILE));
    let text =
        std::fs::read_to_string(&path).map_err(|e| Fail::world(format!("cannot read {}: {e}", path.display())))?;
    let sealed: SealedBytes = serde_json::from_str(&text)
        .map_err(|e| Fail::world(format!("{} is no sealed testament: {e}", path.display())))?;
    let Some(clear) = key.open(&sealed) else {
        return Err(Fail::hint(
            format!("{} does not open this testament, or it is not what was sealed", key_file.display()),
            "give the file that was made for the key in its settings: testament.sealed_to",
        ));
    };
    let signed: SignedTestament =
        serde_json::from_slice(&clear).map_err(|e| Fail::world(format!("what was sealed is no testament: {e}")))?;
    if !signed.testament.is_whole() {
        return Err(Fail::world("what was sealed is not what its golem wrote: its checksum differs".to_owned()));
    }
    Ok(signed)
}
