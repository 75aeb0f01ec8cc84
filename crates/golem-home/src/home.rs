//! The home directory: where golems live on disk, and how one is named.

use crate::fail::Fail;
use crate::settings_file::nearest;
use golem_core::{GolemId, Name};
use std::path::{Path, PathBuf};

/// `~/.bardo`, or wherever the owner keeps it.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

/// A golem on disk.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its folder.
    pub dir: PathBuf,
    /// Its id, from the folder's name.
    pub id: GolemId,
    /// Its name.
    pub name: Name,
}

impl Home {
    /// From the flag, the environment, or the user's home.
    pub fn find(flag: Option<PathBuf>) -> Result<Self, Fail> {
        let root = match flag {
            Some(dir) if dir.as_os_str().is_empty() => return Err(Fail::owner("--home is empty")),
            Some(dir) => dir,
            None => std::env::home_dir()
                .map(|h| h.join(".bardo"))
                .ok_or_else(|| Fail::hint("no home directory is known", "say where with --home DIR or BARDO_HOME"))?,
        };
        Ok(Self { root })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The folder of a golem, existing or not.
    pub fn golem_dir(&self, id: GolemId) -> PathBuf {
        self.root.join("golems").join(id.to_string())
    }

    /// Every golem, by name. A folder that is no golem is left alone.
    pub fn golems(&self) -> Result<Vec<Place>, Fail> {
        let mut all: Vec<Place> = self.ids()?.into_iter().filter_map(|id| self.place_of(id)).collect();
        all.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        Ok(all)
    }

    /// The ids of all folders that may be golems, in order: what is in them is not looked at.
    pub fn ids(&self) -> Result<Vec<GolemId>, Fail> {
        let dir = self.root.join("golems");
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Fail::world(format!("cannot read {}: {e}", dir.display()))),
        };
        let mut all = Vec::new();
        for entry in entries {
            all.extend(entry?.file_name().to_str().and_then(|name| name.parse::<GolemId>().ok()));
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The golem of an id, if one lives in its folder.
    pub fn place_of(&self, id: GolemId) -> Option<Place> {
        let dir = self.golem_dir(id);
        read_name(&dir, id).map(|name| Place { dir, id, name })
    }

    /// A golem lives in the folder of its own id and nowhere else: two copies of one golem in a home would act with the
    /// same keys, each on its own memory. A file that cannot be read is left to whoever opens it.
    pub fn is_at_home(&self, place: &Place) -> Result<(), Fail> {
        let found = golem_runtime::Reader::open(&place.dir).and_then(|reader| reader.origin());
        let Some(origin) = Fail::unless_readable(found)? else { return Ok(()) };
        let (id, own) = (origin.birth.id, self.golem_dir(origin.birth.id));
        if place.dir.file_name() == own.file_name() {
            return Ok(());
        }
        let told = format!("{} holds the golem {} ({id})", place.dir.display(), origin.birth.name);
        Err(match own.join("golem.db").exists() {
            true => Fail::hint(
                format!("{told}, which lives in this home already"),
                format!("keep one of them; copies for safety belong outside of {}", self.root.display()),
            ),
            false => Fail::hint(told, format!("move it to {}", own.display())),
        })
    }

    /// One golem by name, id or unique beginning of either.
    pub fn golem(&self, word: &str) -> Result<Place, Fail> {
        let all = self.golems()?;
        let exact = |p: &&Place| p.name.as_str() == word || p.id.to_string() == word;
        let begins = |p: &&Place| p.name.as_str().starts_with(word) || p.id.to_string().starts_with(word);
        let mut found: Vec<&Place> = all.iter().filter(exact).collect();
        if found.is_empty() && !word.is_empty() {
            found = all.iter().filter(begins).collect();
        }
        match found[..] {
            [one] => Ok(one.clone()),
            [] if all.is_empty() => Err(Fail::hint(
                format!("there is no golem in {}", self.root.display()),
                "create one: bardo golem create NAME",
            )),
            [] => {
                let ids: Vec<String> = all.iter().flat_map(|p| [p.name.to_string(), p.id.to_string()]).collect();
                let hint = match nearest(word, ids.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("there are: {}", names(&all)),
                };
                Err(Fail::hint(format!("there is no golem called {word:?}"), hint))
            }
            _ => Err(Fail::hint(
                format!("{word:?} could be several golems"),
                found.iter().map(|p| format!("{} ({})", p.name, p.id)).collect::<Vec<_>>().join(", "),
            )),
        }
    }
}

fn names(all: &[Place]) -> String {
    let mut list: Vec<String> = all.iter().take(8).map(|p| p.name.to_string()).collect();
    if all.len() > 8 {
        list.push(format!("and {} more", all.len() - 8));
    }
    list.join(", ")
}

/// The name stands in the readable settings, so that listing opens no database; the birth record is the truth.
fn read_name(dir: &Path, id: GolemId) -> Option<Name> {
    let readable = || name_in(&std::fs::read_to_string(dir.join("golem.toml")).ok()?);
    let born = || golem_runtime::Reader::open(dir).and_then(|r| r.origin()).ok().map(|o| o.birth.name);
    // A damaged golem without readable settings is still a golem: it goes by its id.
    let nameless = || dir.join("golem.db").exists().then(|| format!("g{id}").parse().ok()).flatten();
    readable().or_else(born).or_else(nameless)
}

/// The name that settings give. Lookups read it of every golem of a home, so that settings as golems are born with, whose first
/// table begins with the name, are not parsed for it.
fn name_in(settings: &str) -> Option<Name> {
    let parsed = || -> Option<Name> {
        let table: toml::Table = settings.parse().ok()?;
        table.get("golem")?.get("name")?.as_str()?.parse().ok()
    };
    begins_with_name(settings).or_else(parsed)
}

/// The name in `[golem]` and `name = "..."`, where these are the first lines that say anything. Settings that are broken further
/// down have a name too.
fn begins_with_name(settings: &str) -> Option<Name> {
    let mut says = settings.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let named = says.next().filter(|line| *line == "[golem]").and_then(|_| says.next())?;
    let value = named.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim();
    value.strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golem_file::GolemFile;

    #[test]
    fn a_name_is_read_alike_the_short_way_and_the_long_way() {
        let mut file = GolemFile::default();
        for name in ["ada", "g0", "a-name_with-9", "x"] {
            let name: Name = name.parse().unwrap();
            file.golem.name = name.to_string();
            let text = file.to_toml().unwrap();
            assert_eq!(begins_with_name(&text), Some(name.clone()), "what golems are born with goes the short way");
            assert_eq!(name_in(&text), Some(name));
        }
        for (text, name) in [
            ("# mine\n\n[golem]\nname   =  \"ada\"\n[cage]\n", Some("ada")),
            ("[golem]\nname = 'ada'\n", Some("ada")),
            ("[golem]\nname = \"\\u0061da\"\n", Some("ada")),
            ("[golem]\nname = \"ada\" # mine\n", Some("ada")),
            ("[golem]\nseed = 1\nname = \"ada\"\n", Some("ada")),
            ("[cage]\nx = 1\n[golem]\nname = \"ada\"\n", Some("ada")),
            ("golem = { name = \"ada\" }\n", Some("ada")),
            ("x = \"\"\"\n[golem]\nname = \"eve\"\n\"\"\"\n[golem]\nname = \"ada\"\n", Some("ada")),
            ("[golem]\nnames = \"eve\"\n", None),
            ("[golem]\nname = \"not a name\"\n", None),
            ("[golems]\nname = \"ada\"\n", None),
            ("", None),
        ] {
            assert_eq!(name_in(text).map(|n| n.to_string()).as_deref(), name, "{text:?}");
        }
    }
}
