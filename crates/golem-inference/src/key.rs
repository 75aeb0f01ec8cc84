//! API keys: read from the environment or from a private file, shown to nobody.
//!
//! Never taken from the settings themselves, never printed: its `Debug` says that there is one.

use golem_core::Problem;
use reqwest::header::HeaderValue;
use rustix::fs::{FileType, Mode, OFlags};
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The longest key that is read.
const MOST: usize = 4_096;
/// A shorter one could not be told from an ordinary word when replies are searched for it.
const LEAST: usize = 8;

/// A key.
#[derive(Clone)]
pub(crate) struct ApiKey(Zeroizing<String>);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

impl ApiKey {
    /// Read the key that the settings name, if they name one. The problem's key is relative to the provider.
    pub(crate) fn read(env: Option<&str>, file: Option<&Path>) -> Result<Option<Self>, Problem> {
        let (at, text) = match (env, file) {
            (None, None) => return Ok(None),
            (Some(name), _) => {
                let missing = || Problem::new("key_env", format!("the environment has no usable {name}; export it"));
                ("key_env", Zeroizing::new(std::env::var(name).map_err(|_| missing())?))
            }
            (None, Some(path)) => ("key_file", private(path).map_err(|why| Problem::new("key_file", why))?),
        };
        let text = text.trim();
        if text.len() < LEAST || text.len() > MOST || !text.bytes().all(|b| b.is_ascii_graphic()) {
            let why = format!("not a key: {LEAST} to {MOST} printable characters without spaces are expected");
            return Err(Problem::new(at, why));
        }
        Ok(Some(Self(Zeroizing::new(text.to_owned()))))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// As a header's value, marked so that nothing prints it.
    pub(crate) fn header(&self, scheme: &str) -> Option<HeaderValue> {
        let text = Zeroizing::new(format!("{scheme}{}", self.expose()));
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Read a file that only its owner can reach: a regular file, ours, mode 0600 or less, outside of a git tree.
fn private(path: &Path) -> Result<Zeroizing<String>, String> {
    let say = |what: &str| format!("{}: {what}", path.display());
    // Without NONBLOCK a pipe put in the file's place would hold us for ever.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| match e {
        rustix::io::Errno::LOOP => say("a symbolic link; name the file itself"),
        e => say(&e.to_string()),
    })?;
    let found = rustix::fs::fstat(&file).map_err(|e| say(&e.to_string()))?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(say("not a regular file"));
    }
    if found.st_uid != rustix::process::geteuid().as_raw() {
        return Err(say("it belongs to somebody else"));
    }
    if found.st_mode & 0o077 != 0 {
        return Err(say("others can reach it; run chmod 600 on it"));
    }
    let real: PathBuf = path.canonicalize().map_err(|e| say(&e.to_string()))?;
    if real.ancestors().any(|up| up.join(".git").symlink_metadata().is_ok()) {
        return Err(say("it lies in a git tree; move it out, so that it is not committed"));
    }
    // One byte more than allowed, so that too much is seen; made large enough at once, so that nothing is left behind.
    let mut text = Zeroizing::new(String::with_capacity(MOST + 1));
    std::fs::File::from(file)
        .take(MOST as u64 + 1)
        .read_to_string(&mut text)
        .map_err(|_| say("it cannot be read as text"))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn written(text: &str, mode: u32) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn a_private_file_is_read_and_never_shown() {
        let (_dir, path) = written("sk-canary-4711\n", 0o600);
        let key = ApiKey::read(None, Some(&path)).unwrap().unwrap();
        assert_eq!(key.expose(), "sk-canary-4711");
        assert!(!format!("{key:?} {:?}", key.header("Bearer ")).contains("canary"));
    }

    #[test]
    fn what_others_can_reach_is_no_secret() {
        for (text, mode, word) in [
            ("sk-canary-4711", 0o644, "chmod 600"),
            ("sk-canary-4711", 0o620, "chmod 600"),
            ("sk canary 4711", 0o600, "not a key"),
            ("short", 0o600, "not a key"),
            ("", 0o600, "not a key"),
        ] {
            let (_dir, path) = written(text, mode);
            let problem = ApiKey::read(None, Some(&path)).unwrap_err();
            assert!(problem.message.contains(word) && problem.key == "key_file", "{problem}");
            assert!(text.is_empty() || !problem.message.contains(text));
        }
        let (dir, path) = written("sk-canary-4711", 0o600);
        symlink(&path, dir.path().join("link")).unwrap();
        assert!(ApiKey::read(None, Some(&dir.path().join("link"))).unwrap_err().message.contains("symbolic link"));
        assert!(ApiKey::read(None, Some(dir.path())).unwrap_err().message.contains("not a regular file"));
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        assert!(ApiKey::read(None, Some(&path)).unwrap_err().message.contains("git tree"));
        assert!(ApiKey::read(None, Some(&dir.path().join("none"))).is_err());
    }

    #[test]
    fn the_environment_is_asked_by_name() {
        assert!(ApiKey::read(None, None).unwrap().is_none());
        let missing = ApiKey::read(Some("BARDO_TEST_NO_SUCH_KEY"), None).unwrap_err();
        assert!(missing.message.contains("BARDO_TEST_NO_SUCH_KEY"));
        // PATH is the one variable that every environment has; it holds no space here.
        if let Ok(path) = std::env::var("PATH")
            && path.bytes().all(|b| b.is_ascii_graphic())
        {
            assert_eq!(ApiKey::read(Some("PATH"), None).unwrap().unwrap().expose(), path);
        }
    }
}
