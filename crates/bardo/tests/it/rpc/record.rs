//! The record of what was sent beside the journal: one that is missing, emptied or older is refused with its reason, and the
//! right one, put back, goes on.

use crate::rpc::node::anvil;
use crate::rpc::stage::{Node, Stage};

#[test]
fn a_missing_or_emptied_record_is_no_new_one() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::new(Node::anvil(true));
    stage.live_until_it_traded();
    let (path, aside) = (stage.dir.join("sent.db"), stage.home.path().join("older.db"));
    std::fs::copy(&path, &aside).unwrap();
    let before = stage.trades();
    stage.live_until_it_traded();
    assert!(stage.trades() > before);
    let (whole, older) = (std::fs::read(&path).unwrap(), std::fs::read(&aside).unwrap());
    let mut turned = whole.clone();
    // The last byte of a page lies within a row.
    turned[4_096 * 3 - 1] ^= 1;
    let pass = stage.passphrase.display().to_string();
    let run = ["golem", "run", "ada", "--ticks", "1", "--speed", "max", "--passphrase-file", &pass];
    for (bytes, reason) in [
        (None, "sent.db"),
        (Some(Vec::new()), "the record of what was sent"),
        (Some(older), "knows nothing of"),
        (Some(turned), "the record of what was sent"),
    ] {
        for beside in ["sent.db", "sent.db-wal", "sent.db-shm"] {
            let _none = std::fs::remove_file(stage.dir.join(beside));
        }
        if let Some(bytes) = &bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        let looked = stage.home.bardo(&["doctor", "--json"]);
        let problems = looked.json()["golems"][0]["problems"].to_string();
        assert!(looked.code == 1 && problems.contains(reason), "{reason}: {looked:?}");
        let height = stage.town().anvil.height();
        for _ in 0..2 {
            let said = stage.home.bardo(&run);
            assert!(said.code == 3 && said.err.contains(reason), "{reason}: {said:?}");
        }
        assert_eq!(stage.town().anvil.height(), height, "nothing was sent");
    }
    for beside in ["sent.db-wal", "sent.db-shm"] {
        let _none = std::fs::remove_file(stage.dir.join(beside));
    }
    std::fs::write(&path, whole).unwrap();
    assert_eq!(stage.home.bardo(&["doctor"]).code, 0);
    stage.live(9);
    stage.agrees();
}
