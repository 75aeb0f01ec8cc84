//! `bardo golem testament ID`: what a golem left, read from its file; `testament.json` and `testament.md` are written anew. What
//! is sealed to its owner is opened with the owner's key.

use crate::cli::TestamentOf;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use crate::testament;

/// Show it, and write its files again.
pub fn run(args: &TestamentOf, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let Some(signed) = testament::read(&place.dir)? else {
        return Err(golem_home::testament::absent(&place)?);
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
