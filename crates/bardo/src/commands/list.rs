//! `bardo golem list`.

use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_core::Usdc;
use golem_home::cards::cards;
use golem_life::LifeStanding;
use golem_view::wrap::cut;
use golem_view::{money, time};
use std::time::Duration;

/// All golems of this home, once or again and again.
pub fn run(watch: bool, home: &Home, out: &Out) -> Result<(), Fail> {
    loop {
        once(home, out)?;
        if !watch {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn once(home: &Home, out: &Out) -> Result<(), Fail> {
    let rows = cards(home)?;
    out.result(&rows, || {
        if rows.is_empty() {
            return format!("no golems in {}\ncreate one: bardo golem create NAME", home.path().display());
        }
        let mut lines =
            vec![format!("{:<16} {:<8} {:<20} {:>9} {:>10} {:>12}", "name", "id", "state", "turn", "age", "USDC")];
        for r in &rows {
            let state = r
                .problem
                .as_ref()
                .map_or_else(|| r.phase.clone().unwrap_or_else(|| r.standing.clone()), |_| "damaged".into());
            let state = if r.safe_mode { format!("{state}, safe") } else { state };
            // Whoever is dying has a cause too, and is not dead.
            let ended = if r.standing == LifeStanding::Dead.name() { "dead" } else { "dying" };
            let state = r.died_of.map_or(state, |of| format!("{ended} of {of}"));
            let money = r.worth_micro_usdc.map_or_else(String::new, |m| money::usdc(Usdc(m)));
            lines.push(format!(
                "{:<16} {:<8} {:<20} {:>9} {:>10} {money:>12}",
                cut(&r.name, 16),
                &r.id[..8],
                cut(&state, 20),
                r.tick,
                time::age(r.age_days)
            ));
        }
        lines.join("\n")
    })
}
