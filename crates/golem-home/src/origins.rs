//! What a golem was born with, as its file has it: its settings, and what its life begins from.

use crate::bundle;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use golem_life::Genesis;
use golem_runtime::Origin;
use std::sync::Arc;

/// What a recorded origin says about how to live: settings and world.
pub fn settings_of(origin: &Origin) -> Result<GolemFile, Fail> {
    GolemFile::read(&origin.settings_resolved, &[])
}

/// What the life is born from.
pub fn genesis(origin: &Origin) -> Result<Genesis, Fail> {
    let file = settings_of(origin)?;
    if file.life().hash() != origin.birth.settings {
        return Err(Fail::world("the settings are not the ones it was born with: the file has been changed"));
    }
    let interval_s = file.heartbeat.tick_interval_s;
    let inheritance = origin.inheritance.as_deref().map(bundle::given).transpose()?.map(Arc::new);
    Ok(Genesis { birth: origin.birth.clone(), settings: file.life(), interval_s, inheritance })
}
