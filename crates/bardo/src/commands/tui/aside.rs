//! What is said to stderr while a screen stands: kept aside, and told when the screen is gone.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::OwnedFd;

/// The most that is told afterwards.
const MOST: u64 = 64 * 1_024;

/// stderr, elsewhere for a while.
pub struct StderrAside {
    real: OwnedFd,
    kept: File,
}

impl StderrAside {
    /// From now on nothing said is seen.
    pub fn begin() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("bardo-said-{}", std::process::id()));
        let kept = File::options().read(true).write(true).create_new(true).open(&path)?;
        // Nobody else needs its name.
        std::fs::remove_file(&path)?;
        let real = rustix::io::dup(std::io::stderr())?;
        rustix::stdio::dup2_stderr(&kept)?;
        Ok(Self { real, kept })
    }
}

impl Drop for StderrAside {
    fn drop(&mut self) {
        let mut said = Vec::new();
        let told = rustix::stdio::dup2_stderr(&self.real)
            .map_err(std::io::Error::from)
            .and_then(|()| self.kept.rewind())
            .and_then(|()| (&mut self.kept).take(MOST).read_to_end(&mut said))
            .and_then(|_| std::io::stderr().write_all(&said));
        // There is nowhere left to say that nothing could be said.
        drop(told);
    }
}
