//! Golems of this home on their way to the relay: their keys, their owner's word for them, and how they are.

mod signs;

use crate::birth::settings_of;
use crate::fail::Fail;
use crate::golem_file::{GolemFile, WorldKind};
use crate::home::{Home, Place};
use crate::library::equip_target;
use crate::out::Out;
use golem_ferry::{DialFault, Ferry, FerryPassenger, RelayUrl};
use golem_runtime::{Origin, Reader};
use golem_wallet::{CertifiedGolem, CladeKey};
use signs::FileSigns;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use styx_wire::{OriginKey, PulseTerms};

/// Seconds for which a golem is certified; every run certifies it anew.
const CERTIFIED_S: u64 = 400 * 86_400;
/// The epoch of certificates.
pub const EPOCH: u64 = 1;

/// Where the key lies.
pub fn clade_path(home: &Home) -> PathBuf {
    home.path().join("clade").join("owner.key")
}

/// Whose golems these are, as relays know it. Made when it is first needed.
pub fn clade_key(home: &Home) -> Result<CladeKey, Fail> {
    Ok(CladeKey::at(&clade_path(home))?)
}

/// Where golems of a run go aboard, also those that are born in it.
pub struct FerryDock<'a> {
    home: &'a Home,
    relay: Option<&'a str>,
    out: Out,
    ferry: Mutex<Option<Ferry>>,
}

impl<'a> FerryDock<'a> {
    /// Carry for those of these golems that speak with siblings; for nobody where nobody does.
    pub fn begin(home: &'a Home, places: &[Place], relay: Option<&'a str>, out: Out) -> Result<Self, Fail> {
        let dock = Self { home, relay, out, ferry: Mutex::new(None) };
        places.iter().try_for_each(|place| dock.aboard(place)).map(|()| dock)
    }

    /// An heir is born: it speaks from its first turn on. What keeps it from that does not keep it from living.
    pub fn joins(&self, heir: &Place) {
        if let Err(why) = self.aboard(heir) {
            self.out.alert(&format!("{}: it speaks with no siblings now: {why}", heir.name));
        }
    }

    fn aboard(&self, place: &Place) -> Result<(), Fail> {
        let read = Reader::open(&place.dir).and_then(|reader| reader.origin()).map_err(Fail::from);
        let (origin, file) = match read.and_then(|origin| Ok((settings_of(&origin)?, origin))) {
            Ok((file, origin)) => (origin, file),
            // The others go all the same; whoever cannot live says why where it is run.
            Err(why) => {
                self.out.alert(&format!("{}: it speaks with no siblings now: {why}", place.name));
                return Ok(());
            }
        };
        if !file.styx.enabled {
            return Ok(());
        }
        let passenger = of(self.home, place, &origin, &file, self.relay)?;
        let mut ferry = self.ferry.lock().unwrap_or_else(PoisonError::into_inner);
        match &*ferry {
            Some(ferry) => ferry.join(passenger),
            None => {
                let out = self.out;
                *ferry = Some(Ferry::begin(vec![passenger], move |name, text| out.alert(&format!("{name}: {text}")))?);
            }
        }
        Ok(())
    }
}

/// One golem, ready to go.
pub fn passenger(home: &Home, place: &Place, relay: Option<&str>) -> Result<FerryPassenger, Fail> {
    let origin = Reader::open(&place.dir)?.origin()?;
    let file = settings_of(&origin)?;
    if !file.styx.enabled {
        let name = &place.name;
        return Err(Fail::hint(
            format!("{name} speaks with no siblings"),
            "that is chosen at birth: bardo golem create NAME --set styx.enabled=true",
        ));
    }
    of(home, place, &origin, &file, relay)
}

fn of(
    home: &Home,
    place: &Place,
    origin: &Origin,
    file: &GolemFile,
    relay: Option<&str>,
) -> Result<FerryPassenger, Fail> {
    let mut relay: RelayUrl = relay.unwrap_or(&file.styx.relay).parse().map_err(|e| fail(&e))?;
    let path = &file.styx.ca_file;
    if !path.is_empty() {
        let pem = std::fs::read(path).map_err(|e| fail(&DialFault::Roots(format!("{path}: {e}"))))?;
        relay = relay.trusting(&pem).map_err(|e| fail(&e))?;
    }
    let clade = clade_key(home)?;
    // Not the key that signs its life: golems of one open seed share that one, and whoever knows the seed has it.
    let key = clade.line_key(place.id, &origin.signing_key);
    let now_s = u64::try_from(crate::clock::clock().now().0).unwrap_or(0);
    let certificate = clade.certify(&CertifiedGolem {
        golem: place.id,
        origin: OriginKey::of(&key),
        epoch: EPOCH,
        issued_s: now_s,
        expires_s: now_s.saturating_add(CERTIFIED_S),
    })?;
    let vault = &file.styx.vault;
    Ok(FerryPassenger {
        dir: place.dir.clone(),
        name: place.name.clone(),
        key,
        certificate,
        group: clade.group(EPOCH),
        reader: equip_target(place)?,
        hears: file.fleet.hears,
        relay,
        backup_every: vault.enabled.then_some(vault.backup_interval_ticks),
        backup_ttl_s: u64::from(vault.ttl) * 86_400,
        publishes: file.styx.lethe.publish,
        pulse_every: golem_ferry::PULSE,
        signs: Box::new(FileSigns { home: home.clone(), place: place.clone(), terms: terms(file) }),
    })
}

fn terms(file: &GolemFile) -> PulseTerms {
    match (file.mortality.immortal, file.world.kind) {
        (true, _) => PulseTerms::Immortal,
        (false, WorldKind::Csv) => PulseTerms::Recorded,
        (false, WorldKind::Synthetic) => PulseTerms::Mortal,
    }
}

/// A line that there is not, for people.
pub fn fail(why: &DialFault) -> Fail {
    match (why, why.hint()) {
        (DialFault::NotARelay(_) | DialFault::InTheOpen(_) | DialFault::Roots(_), Some(hint)) => {
            Fail::hint(why.to_string(), hint)
        }
        (_, Some(hint)) => Fail::world_hint(why.to_string(), hint),
        (_, None) => Fail::world(why.to_string()),
    }
}
