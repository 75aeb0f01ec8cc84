//! `bardo config show` and `bardo golem config ID`.

use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Home;
use crate::out::Out;

/// Every setting with its default.
pub fn show(out: &Out) -> Result<(), Fail> {
    print(&GolemFile::default(), out)
}

/// The settings a golem was born with.
pub fn of(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    let origin = golem_runtime::Reader::open(&place.dir)?.origin()?;
    print(&crate::birth::settings_of(&origin)?.shown(), out)
}

fn print(file: &GolemFile, out: &Out) -> Result<(), Fail> {
    let text = file.to_toml()?;
    out.result(file, || text)
}
