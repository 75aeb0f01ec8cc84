//! `bardo golem testament ID`: what a golem left, read from its file; `testament.json` and `testament.md` are written anew. What
//! is sealed to its owner is opened with the owner's key.

use crate::cli::TestamentOf;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use crate::testament;
use golem_life::LifeStanding;

/// Show it, and write its files again.
pub fn run(args: &TestamentOf, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let Some(signed) = testament::read(&place.dir)? else {
        let name = &place.name;
        return Err(match testament::standing(&place.dir)? {
            LifeStanding::Dead => Fail::hint(
                format!("{name} left no testament: it died before golems wrote one"),
                format!("what it knew: bardo grimoire export {name}"),
            ),
            LifeStanding::Dying => Fail::hint(
                format!("{name} is dying, and has not written its testament yet"),
                format!("let it come to its end: bardo golem run {name}"),
            ),
            LifeStanding::Alive | LifeStanding::Paused => Fail::hint(
                format!("{name} lives: a testament is written at the end"),
                format!("bardo golem status {name}"),
            ),
        });
    };
    testament::leave(&place, out);
    let is_sealed = signed.signature.is_some() && !testament::sealed_to(&place.dir)?.is_empty();
    let signed = match (is_sealed, &args.key_file) {
        (false, None) => signed,
        (false, Some(_)) => {
            let hint = format!("leave --key-file out: bardo golem testament {}", place.name);
            return Err(Fail::hint(format!("the testament of {} is not sealed", place.name), hint));
        }
        (true, None) => {
            let hint = format!("open it: bardo golem testament {} --key-file FILE", place.name);
            return Err(Fail::hint(format!("the testament of {} is sealed to its owner", place.name), hint));
        }
        (true, Some(file)) => golem_home::sealed::open(&place.dir, file)?,
    };
    out.result(&signed, || folded(golem_view::testament::page(&signed).trim_end()))
}
