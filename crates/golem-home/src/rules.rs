//! The rules that a golem lives by, as its file has them.

use crate::fail::Fail;
use crate::home::Place;
use golem_core::Tick;
use golem_grimoire::change::NamedTable;
use golem_grimoire::playbook::PlaybookWriter;
use golem_runtime::Reader;
use golem_runtime::memory::Detail;

/// The playbook in the golem's file; an empty one before its first rule.
pub fn playbook(place: &Place, as_of: Option<Tick>) -> Result<PlaybookWriter, Fail> {
    let reader = Reader::open(&place.dir)?;
    let all = reader.memory().remembered(as_of, Detail::Learnt)?;
    let found = all.rows.iter().find(|(table, key, _)| *table == NamedTable::Playbook && key == PlaybookWriter::KEY);
    match found {
        Some((_, _, body)) => PlaybookWriter::restore(body).map_err(|e| Fail::Bug(format!("the stored playbook: {e}"))),
        None => {
            let birth = reader.origin()?.birth;
            Ok(PlaybookWriter::new(birth.name, birth.id))
        }
    }
}
