//! Whether a file has moved since it was last looked at, without reading it.

use std::path::Path;
use std::time::SystemTime;

/// When a file changed last, and how long it is; none where there is no file.
pub type FileStamp = Option<(SystemTime, u64)>;

/// A file as it is now.
pub fn stamp(path: &Path) -> FileStamp {
    let found = std::fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// What changes with every commit of a golem: its file, or its log. Whoever looks into a file may leave an empty log beside it:
/// that is no news.
pub fn life_stamp(dir: &Path) -> [FileStamp; 2] {
    ["golem.db", "golem.db-wal"].map(|name| stamp(&dir.join(name)).filter(|(_, length)| *length > 0))
}
