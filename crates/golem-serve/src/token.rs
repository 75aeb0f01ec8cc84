//! The token that an owner proves itself with: made at the first start, kept in the home for its owner's eyes only.

use crate::WebFault;
use golem_core::Hash;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Its file in the home.
pub const TOKEN_FILE: &str = "serve.token";
/// Longer files are none of ours.
const MOST: u64 = 256;

/// The token, and whether it was made just now.
pub struct AccessToken {
    words: String,
    digest: Hash,
    fresh: bool,
    path: PathBuf,
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessToken").field("fresh", &self.fresh).finish_non_exhaustive()
    }
}

impl AccessToken {
    /// The one of a home; a new one where there is none yet.
    pub(crate) fn of(home: &Path) -> Result<Self, WebFault> {
        let path = home.join(TOKEN_FILE);
        let bad = |why: &dyn std::fmt::Display| WebFault::Token(format!("the token in {}: {why}", path.display()));
        golem_runtime::make_dir(home).map_err(|e| bad(&e))?;
        let (words, fresh) = match made(&path) {
            Ok(words) => (words, true),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => (kept(&path).map_err(|e| bad(&e))?, false),
            Err(e) => return Err(bad(&e)),
        };
        if words.len() < 32 || !words.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(bad(&"it is none"));
        }
        Ok(Self { digest: Hash::of(words.as_bytes()), words, fresh, path })
    }

    /// Take the token of a home away: whoever serves it next makes another one.
    ///
    /// # Errors
    /// [`WebFault::Token`] where its file cannot be removed.
    pub fn forget(home: &Path) -> Result<(), WebFault> {
        let path = home.join(TOKEN_FILE);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                Err(WebFault::Token(format!("the token in {} cannot be removed: {e}", path.display())))
            }
            _ => Ok(()),
        }
    }

    /// The token itself.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Whether it was made at this start: then it is shown, once.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Where it is kept.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether somebody has it. Digests are compared: how long that takes tells nothing of the token.
    pub(crate) fn is(&self, shown: &str) -> bool {
        let other = Hash::of(shown.as_bytes());
        self.digest.0.iter().zip(other.0).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

/// Make one: never over another, and readable by nobody else at any moment.
fn made(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut bytes = [0; 32];
    let why = |e: getrandom::Error| std::io::Error::other(format!("the system has no randomness to give: {e}"));
    let words = getrandom::fill(&mut bytes).map_err(why).map(|()| Hash(bytes).to_string());
    let written = words.and_then(|words| {
        file.write_all(format!("{words}\n").as_bytes())?;
        file.sync_all()?;
        Ok(words)
    });
    if written.is_err() {
        // An empty file would be taken for a token at the next start.
        let _gone = std::fs::remove_file(path);
    }
    written
}

/// Read one; a file that others may read is no secret.
fn kept(path: &Path) -> std::io::Result<String> {
    let file = std::fs::File::open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.permissions().mode() & 0o077 != 0 {
        return Err(std::io::Error::other("others can read it"));
    }
    let mut words = String::new();
    file.take(MOST).read_to_string(&mut words)?;
    Ok(words.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_kept_from_others() {
        let home = tempfile::tempdir().unwrap();
        let first = AccessToken::of(home.path()).unwrap();
        let again = AccessToken::of(home.path()).unwrap();
        assert!(first.is_fresh() && !again.is_fresh());
        assert_eq!(first.words(), again.words());
        assert!(again.is(first.words()) && !again.is("") && !again.is(&first.words()[1..]));
        let path = home.path().join(TOKEN_FILE);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let refused = AccessToken::of(home.path()).unwrap_err();
        assert!(refused.to_string().contains("others can read it") && refused.hint().is_some(), "{refused}");
        // Another one in its place: the old one is worth nothing.
        AccessToken::forget(home.path()).unwrap();
        AccessToken::forget(home.path()).unwrap();
        let other = AccessToken::of(home.path()).unwrap();
        assert!(other.is_fresh() && !other.is(first.words()));
    }

    #[test]
    fn a_file_with_nothing_in_it_is_no_token() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(TOKEN_FILE);
        for text in ["", "short", "forty letters and some blanks between them, no"] {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            assert!(AccessToken::of(home.path()).is_err(), "{text:?}");
        }
    }
}
