//! Pages that are written where an owner says: never over something that is there, unless that was said too.

use crate::cli::PageWanted;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_view::page::ReportPage;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Write a page; with `replace` in the place of whatever file is there, at once, so that nobody reads half of it.
pub fn write(path: &Path, html: &str, replace: bool) -> Result<(), Fail> {
    let cannot = |e: std::io::Error| {
        let hint = "say where it may be written, into a directory that is there";
        Fail::hint(format!("cannot write {}: {e}", path.display()), hint)
    };
    if !replace {
        let mut file = match File::create_new(path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(there(path)),
            other => other.map_err(cannot)?,
        };
        return file.write_all(html.as_bytes()).map_err(|e| {
            // It is ours: half a page is worse than none.
            let _gone = std::fs::remove_file(path);
            cannot(e)
        });
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|_| !path.is_dir()).ok_or_else(|| Fail::owner(format!("{} is no file", path.display())))?;
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    std::fs::write(&beside, html).and_then(|()| std::fs::rename(&beside, path)).map_err(|e| {
        let _gone = std::fs::remove_file(&beside);
        cannot(e)
    })
}

/// Refuse a page that could not be written in the end, before anything long is begun for it.
pub fn check(path: &Path, replace: bool) -> Result<(), Fail> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if parent.is_some_and(|parent| !parent.is_dir()) {
        let hint = "say where it may be written, into a directory that is there";
        return Err(Fail::hint(format!("there is no directory for {}", path.display()), hint));
    }
    if !replace && path.symlink_metadata().is_ok() { Err(there(path)) } else { Ok(()) }
}

fn there(path: &Path) -> Fail {
    Fail::hint(format!("{} is there already", path.display()), "choose another name, or replace it: --yes")
}

/// Where the page at the end of a long command goes.
#[derive(Debug)]
pub enum PagePlace {
    /// Where its owner says; whether one that is there is replaced.
    Said(PathBuf, bool),
    /// Among the reports of the home, under the next free number of its name.
    Kept(PathBuf, &'static str),
    /// Nobody wants one, or it stands among other files.
    Nowhere,
}

impl PagePlace {
    /// By what was said, and refused at once where it could not be written in the end. Without a word it is kept in the home,
    /// unless it is written beside other files anyway.
    pub fn of(
        wanted: &PageWanted,
        home: &Home,
        name: &'static str,
        elsewhere: bool,
        replace: bool,
    ) -> Result<Self, Fail> {
        match &wanted.report {
            Some(path) => check(path, replace).map(|()| Self::Said(path.clone(), replace)),
            None if wanted.no_report || elsewhere => Ok(Self::Nowhere),
            None => Ok(Self::Kept(home.path().join("reports"), name)),
        }
    }

    /// Whether there is to be one.
    pub fn is_wanted(&self) -> bool {
        !matches!(self, Self::Nowhere)
    }

    /// Write it, and say where it is.
    pub fn write(&self, page: &ReportPage, out: &Out) -> Result<(), Fail> {
        let written = match self {
            Self::Said(path, replace) => {
                write(path, &page.html(), *replace)?;
                path.clone()
            }
            Self::Kept(dir, name) => kept(dir, name, &page.html())?,
            Self::Nowhere => return Ok(()),
        };
        out.say(&format!("a page is in {}", written.display()));
        Ok(())
    }
}

/// Under the next free number: who comes at the same time takes the one after it.
fn kept(dir: &Path, name: &str, html: &str) -> Result<PathBuf, Fail> {
    golem_runtime::make_dir(dir)?;
    let mut number = 1_u32;
    loop {
        let path = dir.join(format!("{name}-{number}.html"));
        if path.symlink_metadata().is_err() {
            match write(&path, html, false) {
                Err(_) if path.symlink_metadata().is_ok() => {}
                other => return other.map(|()| path),
            }
        }
        number += 1;
    }
}

/// The command of this process, as it was typed.
pub fn as_typed() -> String {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let program = words.next().unwrap_or_default();
    let name = Path::new(&program).file_name().map_or("bardo".to_owned(), |name| name.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_without_a_place_are_numbered() {
        let dir = tempfile::tempdir().unwrap();
        let reports = dir.path().join("reports");
        for (n, text) in ["one", "two"].into_iter().enumerate() {
            let path = kept(&reports, "compared", text).unwrap();
            assert_eq!(path, reports.join(format!("compared-{}.html", n + 1)));
            assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        }
    }

    #[test]
    fn nothing_is_overwritten_unless_that_was_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("life.html");
        check(&path, false).unwrap();
        write(&path, "one", false).unwrap();
        assert!(check(&path, false).is_err());
        let refused = write(&path, "two", false).err().unwrap();
        assert!(refused.to_string().contains("is there already") && refused.code() == 2, "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        write(&path, "two", true).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        for bad in [dir.path().join("nowhere/x.html"), dir.path().to_owned()] {
            assert!(write(&bad, "x", true).is_err() && write(&bad, "x", false).is_err(), "{}", bad.display());
        }
        assert!(check(&dir.path().join("nowhere/x.html"), true).is_err());
    }
}
