//! Who succeeds whom: settings for the heir, what it is given, whether it would be more than the one that died again, where in its
//! world it begins, and its birth. One death has one successor; asked for again, it is the same one.

use crate::birth::{NewHeir, Newborn, Request, conceive, settings_are_readable};
use crate::bundle;
use crate::departed::Departed;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::{Home, Place};
use crate::out::Out;
use crate::world;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_clade::library::{LibraryHeir, OwnerLibrary};
use golem_core::{Elapsed, GolemId, NOMINAL_TICK_S, Name, Timestamp, Usdc};
use golem_grimoire::playbook::{MOST_INNATE, read_innate};
pub use golem_home::likeness::{Similarity, similarity, strategy};
use golem_runtime::{GolemDir, HeirRecord, HeirRecords, Lock, Origin, Reader};
use std::collections::BTreeSet;

/// What an heir is born with, before it is born.
pub struct HeirPlan {
    /// What to call it.
    pub name: Name,
    /// What it is given.
    pub budget: Usdc,
    /// An open life, computed from a seed.
    pub seed: Option<u64>,
    /// Its settings.
    pub file: GolemFile,
    /// What it inherits.
    pub inheritance: Inheritance,
    /// The same, as its file keeps it.
    pub given: Vec<u8>,
}

impl HeirPlan {
    /// What an heir would inherit of a bundle.
    pub fn inherits(bundle: &[u8], choice: InheritanceChoice) -> Result<(Inheritance, Vec<u8>), Fail> {
        let given = bundle::give(&choice, bundle);
        let heirloom = bundle::read(bundle)?;
        let idle: Vec<&str> = choice.idle(&heirloom.entries).collect();
        if !idle.is_empty() && !heirloom.entries.is_empty() {
            let fields: BTreeSet<String> =
                Inheritance { heirloom: heirloom.clone(), choice: InheritanceChoice::default() }
                    .preview()
                    .domains
                    .into_iter()
                    .map(|(field, _)| field.to_string())
                    .collect();
            let list = fields.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Fail::hint(format!("nothing was left in {}", idle.join(", ")), format!("there is: {list}")));
        }
        Ok((Inheritance { heirloom, choice }, given))
    }

    /// What three generations have each proven is no memory any more: it stands in the heir's settings. Those that its line was
    /// born with stay. It must have its place in the world before that: nothing is innate that was learnt later.
    pub fn born_with(&mut self) -> Result<(), Fail> {
        let new = self.proven()?;
        self.file.defaults.rules.extend(new);
        Ok(())
    }
    /// What [`Self::born_with`] would add.
    pub fn proven(&self) -> Result<Vec<String>, Fail> {
        let known = &self.file.defaults.rules;
        let room = MOST_INNATE.saturating_sub(known.len());
        let proven = self.inheritance.innate(&self.birth()?).into_iter().filter_map(|one| one.default.line());
        Ok(proven.filter(|line| read_innate(line).is_ok() && !known.contains(line)).take(room).collect())
    }

    /// Put the heir into its world where what it inherits was closed, as far as the world goes that far: nobody is born before
    /// what it was told.
    pub fn place(&mut self, home: &Home, out: &Out) -> Result<(), Fail> {
        crate::chain::wallet_is_free(&self.file, home)?;
        self.file.chain.joined_at = match self.file.chain.kind {
            ChainWord::Paper => joins(&self.file, self.inheritance.heirloom.closed)?,
            _ => crate::chain::joined(&self.file, home, out)?,
        };
        Ok(())
    }

    /// Give birth; see [`AwaitedHeir::settle`].
    pub fn settle(self, home: &Home, beside: bool, out: &Out) -> Result<(Place, Origin), Fail> {
        self.conceive()?.settle(home, beside, out)
    }
    /// Somebody new; nothing is on disk yet.
    pub fn conceive(self) -> Result<AwaitedHeir, Fail> {
        let line = self.inheritance.heirloom.lineage;
        let parent = line.golem;
        let Self { name, budget, seed, file, given, .. } = self;
        let newborn = conceive(Request { name, budget, seed, file, heir: Some(NewHeir { line, given }) })?;
        Ok(AwaitedHeir { parent, newborn })
    }
    /// The birth record it would have.
    pub fn birth(&self) -> Result<golem_core::Birth, Fail> {
        let heir = Some(NewHeir { line: self.inheritance.heirloom.lineage.clone(), given: self.given.clone() });
        let (name, budget, seed, file) = (self.name.clone(), self.budget, self.seed, self.file.clone());
        Ok(conceive(Request { name, budget, seed, file, heir })?.origin.birth)
    }
}

/// An heir that is about to be born, by hand or by itself.
pub struct AwaitedHeir {
    parent: GolemId,
    newborn: Newborn,
}

impl AwaitedHeir {
    /// Who it will be.
    pub fn id(&self) -> GolemId {
        self.newborn.origin.birth.id
    }

    /// Give birth. The file of the dead one, and the owner's library, say so before anything of the heir is there; `beside`
    /// is the owner's word that there may be several. A library that cannot be read keeps nobody from being born whose
    /// predecessor's own file bears witness: that is told.
    pub fn settle(self, home: &Home, beside: bool, out: &Out) -> Result<(Place, Origin), Fail> {
        let Self { parent, newborn } = self;
        newborn.is_free(home)?;
        let (origin, grave) = (newborn.origin.clone(), home.golem_dir(parent));
        let (id, name) = (origin.birth.id, origin.birth.name.clone());
        let record = HeirRecord { heir: id, name, home: home_word(home), born: false };
        let mut records = grave.join("golem.db").exists().then(|| HeirRecords::open(&grave)).transpose()?;
        let gone = never_born(parent, home)?;
        if let Some(records) = &mut records
            && let Some(stands) = records.begin(&record, &gone, beside)?
        {
            return Err(has_one(&stands.name.to_string(), stands.heir, &format!("it was born in {}", stands.home)));
        }
        let note = |library: &mut OwnerLibrary| {
            let before =
                library.heir_of(parent).filter(|known| !beside && !gone.contains(&known.heir) && known.heir != id);
            if let Some(known) = before {
                return Err(has_one(&known.name, known.heir, "the library of this home knows of it"));
            }
            library.succeeds(parent, &LibraryHeir { heir: id, name: record.name.to_string() });
            Ok(())
        };
        match (crate::library::find(home), &records) {
            (Ok(_), _) => crate::library::change(home, note)?,
            (Err(why), Some(_)) => out.alert(&format!(
                "the library cannot be read, so that {} is not written into it: {why}\nhint: {}",
                record.name,
                crate::library::MEND
            )),
            (Err(why), None) => return Err(Fail::world_hint(why.to_string(), crate::library::MEND)),
        }
        let place = newborn.settle(home)?;
        if let Some(records) = &mut records {
            records.born(&record)?;
        }
        Ok((place, origin))
    }
}

/// Steps that have passed in a paper world when something was closed: 0 where the world ends before that.
fn joins(file: &GolemFile, closed: Timestamp) -> Result<u64, Fail> {
    let world = world::build(&file.world)?;
    let passed = u64::try_from(closed.0.saturating_sub(world.epoch().0)).unwrap_or(0);
    if passed == 0 {
        return Ok(0);
    }
    let turn = world::interval_s(file.heartbeat.tick_interval_s, world.as_ref()).max(NOMINAL_TICK_S);
    // A whole turn later, so that nobody is born in the middle of one.
    let steps = ((passed / turn + 1) * turn).div_ceil(NOMINAL_TICK_S);
    let ended = world.ends_at().is_some_and(|end| end.0 <= Elapsed::nominal(steps).0);
    Ok(if ended { 0 } else { steps })
}

/// Nobody else makes a successor of it meanwhile.
pub fn hold(dead: &Place) -> Result<Lock, Fail> {
    Lock::take(&GolemDir::of_golem(&dead.dir)?).map_err(|e| match e {
        golem_runtime::Error::Locked { .. } => Fail::hint(
            format!("somebody is at the grave of {} at this moment", dead.name),
            "wait until that is done, and ask again",
        ),
        other => other.into(),
    })
}

/// A home by its name.
fn home_word(home: &Home) -> String {
    std::path::absolute(home.path()).unwrap_or_else(|_| home.path().to_owned()).display().to_string()
}

/// Heirs that were begun in this home and never born: a crash came between.
fn never_born(dead: GolemId, home: &Home) -> Result<Vec<GolemId>, Fail> {
    let grave = home.golem_dir(dead);
    if !grave.join("golem.db").exists() {
        return Ok(Vec::new());
    }
    let here = home_word(home);
    let begun = Reader::open(&grave)?.heirs()?.into_iter().filter(|r| !r.born && r.home == here);
    Ok(begun.map(|r| r.heir).filter(|heir| !home.golem_dir(*heir).join("golem.db").exists()).collect())
}

/// A successor that there is, wherever it is.
fn has_one(name: &str, heir: GolemId, how: &str) -> Fail {
    Fail::refused_hint(
        format!("there is a successor already: {name} ({heir}); {how}"),
        "let that one live; another one of the same death, if that is meant: --another",
    )
}

/// Refuse a second successor where the first cannot be shown: its file cannot be read, or it lies elsewhere.
pub fn has_none_elsewhere(dead: &Place, home: &Home) -> Result<(), Fail> {
    let stands = heir_elsewhere(dead, home)?;
    stands.map_or(Ok(()), |stands| Err(has_one(&stands.name, stands.heir, &stands.how)))
}

/// A successor that cannot be shown in this home, and how it is known of.
pub struct HeirElsewhere {
    pub name: String,
    pub heir: GolemId,
    pub how: String,
}

/// The first of them: its file cannot be read, or it lies elsewhere.
pub fn heir_elsewhere(dead: &Place, home: &Home) -> Result<Option<HeirElsewhere>, Fail> {
    let gone = never_born(dead.id, home)?;
    let recorded = Reader::open(&dead.dir)?.heirs()?;
    if let Some(record) = recorded.iter().find(|r| !gone.contains(&r.heir)) {
        let at = home.golem_dir(record.heir);
        let how = match at.join("golem.db").exists() {
            true => format!("its file cannot be read ({})", at.display()),
            false => format!("it was born in {}", record.home),
        };
        return Ok(Some(HeirElsewhere { name: record.name.to_string(), heir: record.heir, how }));
    }
    // Where the library cannot be read, the dead one's own file has spoken; whoever is born is told of it.
    let library = crate::library::find(home).unwrap_or_default();
    let known = library.as_ref().and_then(|l| l.heir_of(dead.id)).filter(|known| !gone.contains(&known.heir));
    let how = || "the library of this home knows of it".to_owned();
    Ok(known.map(|known| HeirElsewhere { name: known.name.clone(), heir: known.heir, how: how() }))
}

/// Those that a golem has been succeeded by, in the order of their names. What a crash left unfinished is finished.
pub fn heirs_of(dead: GolemId, home: &Home) -> Result<Vec<(Place, Origin)>, Fail> {
    let mut heirs = Vec::new();
    for place in home.golems()? {
        let found = Fail::unless_readable(Reader::open(&place.dir).and_then(|reader| reader.origin()))?;
        let Some(origin) = found.filter(|origin| origin.birth.parent == Some(dead)) else { continue };
        settings_are_readable(&place)?;
        heirs.push((place, origin));
    }
    Ok(heirs)
}

/// A name for the heir of somebody: the same with its generation behind it, and free in this home.
pub fn heir_name(dead: &Departed, home: &Home) -> Result<Name, Fail> {
    let (name, generation) = (dead.origin.birth.name.to_string(), dead.origin.birth.generation);
    let stem = name.strip_suffix(&format!("-{generation}")).filter(|_| generation > 0).unwrap_or(&name);
    let stem: String = stem.chars().take(34).collect();
    let taken: BTreeSet<Name> = home.golems()?.into_iter().map(|place| place.name).collect();
    let tries = std::iter::once(format!("{stem}-{}", generation + 1))
        .chain(('b'..='z').map(|c| format!("{stem}-{}{c}", generation + 1)));
    let free = tries.filter_map(|name| name.parse::<Name>().ok()).find(|name| !taken.contains(name));
    free.ok_or_else(|| Fail::hint(format!("every name after {name} is taken"), "choose one: --name NAME"))
}
