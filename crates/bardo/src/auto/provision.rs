//! A place for an heir to live: whoever makes one answers for one death with one place, however often it is asked.

use super::fly::FlyBerth;
use crate::home::Home;
use golem_clade::succession::{CompiledHeir, ProvisionConfig, ProvisionerWord};
use golem_core::GolemId;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// What is asked for.
pub struct BerthOrder<'a> {
    /// The death: asked again with the same, it is the same place.
    pub dead: GolemId,
    /// Who will live there.
    pub will: &'a CompiledHeir,
    /// What it inherits, as the dead one signed it.
    pub bundle: &'a [u8],
}

/// Why there is no place yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BerthRefusal {
    /// What was said.
    pub why: String,
    /// Whether another try alone can help.
    pub by_itself: bool,
}

impl BerthRefusal {
    /// Something that may pass.
    pub fn passing(why: impl Into<String>) -> Self {
        Self { why: why.into(), by_itself: true }
    }
    /// Something that only the owner can change.
    pub fn lasting(why: impl Into<String>) -> Self {
        Self { why: why.into(), by_itself: false }
    }
}

/// Who makes places.
pub trait Provisioner {
    /// True where the heir's file is in this home; false where it is born there.
    fn is_here(&self) -> bool;
    /// Whether it answers at all. Whoever never did has nothing to give back.
    fn reach(&mut self, _dead: GolemId) -> Result<(), BerthRefusal> {
        Ok(())
    }
    /// A place, ready and not begun; its name.
    fn provision(&mut self, order: &BerthOrder<'_>) -> Result<String, BerthRefusal>;
    /// Let the heir live there. Said again it changes nothing.
    fn boot(&mut self, berth: &str, heir: Option<GolemId>) -> Result<(), BerthRefusal>;
    /// Give back whatever was made for this death, also what nobody heard of.
    fn release(&mut self, dead: GolemId) -> Result<(), BerthRefusal>;
}

/// The one that is named.
pub fn provisioner(config: &ProvisionConfig, home: &Home) -> Box<dyn Provisioner> {
    match config.kind {
        ProvisionerWord::InProcess => Box::new(InProcessBerth),
        ProvisionerWord::Process => Box::new(ProcessBerth { home: home.clone() }),
        ProvisionerWord::Fly => match FlyBerth::new(&config.fly) {
            Ok(berth) => Box::new(berth),
            Err(refusal) => Box::new(NoBerth(refusal)),
        },
    }
}

/// Machines that cannot be asked for: the reason is the answer to everything.
struct NoBerth(BerthRefusal);

impl Provisioner for NoBerth {
    fn is_here(&self) -> bool {
        false
    }
    fn reach(&mut self, _: GolemId) -> Result<(), BerthRefusal> {
        Err(self.0.clone())
    }
    fn provision(&mut self, _: &BerthOrder<'_>) -> Result<String, BerthRefusal> {
        Err(self.0.clone())
    }
    fn boot(&mut self, _: &str, _: Option<GolemId>) -> Result<(), BerthRefusal> {
        Err(self.0.clone())
    }
    fn release(&mut self, _: GolemId) -> Result<(), BerthRefusal> {
        Err(self.0.clone())
    }
}

/// Whoever ran the dead one goes on with its heir.
struct InProcessBerth;

impl Provisioner for InProcessBerth {
    fn is_here(&self) -> bool {
        true
    }
    fn provision(&mut self, _: &BerthOrder<'_>) -> Result<String, BerthRefusal> {
        Ok("this home".to_owned())
    }
    fn boot(&mut self, _: &str, _: Option<GolemId>) -> Result<(), BerthRefusal> {
        Ok(())
    }
    fn release(&mut self, _: GolemId) -> Result<(), BerthRefusal> {
        Ok(())
    }
}

/// A process of its own on this machine. Two of them are not possible: the second finds the golem's lock taken.
struct ProcessBerth {
    home: Home,
}

/// Wait for a process beside all else: one that ended and that nobody waits for stays in the machine's table while this one runs.
fn reap(mut child: Child) {
    std::thread::spawn(move || drop(child.wait()));
}

impl Provisioner for ProcessBerth {
    fn is_here(&self) -> bool {
        true
    }
    fn provision(&mut self, _: &BerthOrder<'_>) -> Result<String, BerthRefusal> {
        Ok("a process of this machine".to_owned())
    }
    fn boot(&mut self, _: &str, heir: Option<GolemId>) -> Result<(), BerthRefusal> {
        let Some(heir) = heir else { return Err(BerthRefusal::lasting("nobody was born here")) };
        let dir = golem_runtime::GolemDir::of_golem(&self.home.golem_dir(heir));
        let dir = dir.map_err(|e| BerthRefusal::passing(e.to_string()))?;
        if golem_runtime::Lock::holder(&dir).is_some() {
            return Ok(());
        }
        let program = std::env::current_exe().map_err(|e| BerthRefusal::passing(e.to_string()))?;
        let spawned = Command::new(program)
            .args(["golem", "run", &heir.to_string(), "--quiet"])
            .env("BARDO_HOME", self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Whoever breaks off the run of the dead one does not mean its heir.
            .process_group(0)
            .spawn();
        spawned.map(reap).map_err(|e| BerthRefusal::passing(format!("no process can be started: {e}")))
    }
    fn release(&mut self, _: GolemId) -> Result<(), BerthRefusal> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_process_that_ended_is_gone_from_the_machines_table() {
        let child = Command::new("true").spawn().unwrap();
        let entry = format!("/proc/{}", child.id());
        reap(child);
        let gone = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !std::path::Path::new(&entry).exists()
        });
        assert!(gone, "{entry} is still there");
    }
}
