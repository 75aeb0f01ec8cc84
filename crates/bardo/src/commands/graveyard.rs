//! `bardo graveyard`: all dead golems of this home, the last to die first.

use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_home::graves::{Grave, graveyard};
use golem_view::{money, time};

/// All of them.
pub fn run(home: &Home, out: &Out) -> Result<(), Fail> {
    let all = graveyard(home)?;
    all.unreadable.iter().for_each(|why| out.alert(why));
    let graves = all.graves;
    out.result(&graves, || {
        if graves.is_empty() {
            return format!("nobody has died in {}", home.path().display());
        }
        graves.iter().map(words).collect::<Vec<_>>().join("\n")
    })
}

fn words(g: &Grave) -> String {
    let head = format!(
        "† {} ({}) · generation {} · {} · died of {} · {} of {} USDC left",
        g.name,
        g.id,
        g.generation,
        time::age(g.age_days),
        g.died_of,
        money::usdc(g.worth_micro_usdc),
        money::usdc(g.funded_micro_usdc)
    );
    let said = g.last_words.as_ref().map(|words| format!("\n    \"{words}\"")).unwrap_or_default();
    folded(&format!("{head}{said}"))
}
