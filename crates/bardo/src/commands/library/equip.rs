//! `bardo library equip GOLEM ENTRY|BUNDLE...`: parcels go to the golem as orders through its inbox, so that they are a recorded
//! input of its life; its examination decides, in its own turn, what it takes on trial.

use super::all_named;
use crate::cli::LibraryEquip;
use crate::commands::import::orders;
use crate::commands::orders::{Sent, alive, send_all};
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::library::{catch_up, change, equip_target};
use crate::lines::folded;
use crate::out::Out;
use golem_clade::library::{EquipParcel, HoldingId, OwnerLibrary};
use golem_life::Ask;
use golem_runtime::MAX_TEXT_BYTES;
use golem_view::wrap::counted;
use serde_json::json;

/// What was handed over.
pub struct Equipment {
    /// What was sent.
    pub ids: Vec<HoldingId>,
    /// What is too long for an order.
    pub too_long: Vec<HoldingId>,
    pub(in crate::commands) sent: Sent,
}

/// Run it.
pub fn run(args: &LibraryEquip, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.golem)?;
    home.is_at_home(&place)?;
    alive(&place)?;
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let ids = all_named(&library, &args.entries, now)?;
    let done = equip(&place, &library, &ids, home)?;
    let told = json!({
        "id": place.id, "entries": done.ids, "too_long": done.too_long, "orders": done.sent.orders,
        "replies": done.sent.replies, "waiting": done.sent.waiting(), "running": done.sent.running,
    });
    out.result(&told, || {
        let mut lines = vec![format!("{} handed to {}", counted(done.ids.len(), "entry"), place.name)];
        lines.extend(done.sent.lines());
        lines.extend(done.too_long.iter().map(|id| format!("{id} is too long to be handed over")));
        folded(&lines.join("\n"))
    })
}

/// Hand these over to a living golem. A golem knows again what it knows: handing all of it over once more does no harm.
pub fn equip(place: &Place, library: &OwnerLibrary, ids: &[HoldingId], home: &Home) -> Result<Equipment, Fail> {
    let target = equip_target(place)?;
    let (mut parcels, mut sendable, mut too_long) = (Vec::new(), Vec::new(), Vec::new());
    for id in ids {
        let Some(held) = library.holding(*id) else { continue };
        let parcel = EquipParcel::of(held, &target);
        let text = serde_json::to_string(&parcel).map_err(|e| Fail::Bug(e.to_string()))?;
        if text.len() > MAX_TEXT_BYTES {
            too_long.push(*id);
            continue;
        }
        parcels.push(text);
        sendable.push(*id);
    }
    if parcels.is_empty() {
        return Err(Fail::hint("there is nothing to hand over", "see what there is: bardo library list"));
    }
    let asks: Vec<Ask> = orders(&parcels).into_iter().map(|some| Ask::Equip { parcels: some.to_vec() }).collect();
    let sent = send_all(place, &asks)?;
    change(home, |library| {
        sendable.iter().for_each(|id| library.equip(*id, &target));
        Ok(())
    })?;
    Ok(Equipment { ids: sendable, too_long, sent })
}
