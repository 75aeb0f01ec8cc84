//! Same seed, same life: what a golem is called changes nothing that it does.

use golem_core::Usdc;
use golem_core::birth::Identity;
use golem_lab::Subject;
use golem_lab::subject::{account, newborn, paper};
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Genesis, Settings};
use golem_venue::floor::{FloorHands, FloorWorld};

fn called(name: &str, seed: u64) -> Subject {
    let (settings, world) = (Settings::default(), Synthetic::new(SyntheticConfig::default(), seed).unwrap());
    let (secret, genesis) = newborn(seed, Usdc::whole(500), &settings, &world);
    let name = name.parse().unwrap();
    let birth = &genesis.birth;
    let identity = Identity { name: &name, public_key: birth.public_key, commitment: birth.commitment };
    let birth = identity.first_ancestor(true, birth.born_at, birth.funding, birth.settings);
    let genesis = Genesis { birth, ..genesis };
    let (floor, who) = (paper(seed, world).unwrap(), account(&genesis));
    let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), None);
    Subject::on(&genesis, &secret, Box::new(seen), Box::new(FloorHands::new(floor, who)))
}

#[test]
fn a_name_changes_nothing() {
    let (mut ada, mut zoe) = (called("ada", 42), called("zoe-of-the-north", 42));
    // Long enough for entries to be learnt, recalled and to compete.
    for turn in 1..=20_000u32 {
        assert!(ada.turn() && zoe.turn());
        let told = |subject: &Subject| subject.facts.iter().map(|f| (f.seq, f.at, f.body.clone())).collect::<Vec<_>>();
        assert_eq!(told(&ada), told(&zoe), "turn {turn}");
    }
    let (a, z) = (ada.status(), zoe.status());
    assert_ne!(a.id, z.id);
    assert_eq!((a.balance, a.trades, a.earned, a.vitality), (z.balance, z.trades, z.earned, z.vitality));
    let known = |s: &Subject| s.life().grimoire().unwrap().shelf().entries().map(|e| e.id).collect::<Vec<_>>();
    assert!(!known(&ada).is_empty(), "it has learnt something");
    assert_eq!(known(&ada), known(&zoe));
}
