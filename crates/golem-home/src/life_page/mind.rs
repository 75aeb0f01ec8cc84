//! What a golem learnt, and what that was worth.

use super::reading::LifeReading;
use golem_view::page::PagePart;

/// Rules and entries with what speaks for them; nothing for one that learnt nothing.
pub(super) fn learnt(life: &LifeReading) -> Vec<PagePart> {
    if life.lessons.is_empty() {
        return Vec::new();
    }
    let heading = PagePart::Heading("What it learnt, and what that was worth".to_owned());
    std::iter::once(heading).chain(life.lessons.parts(life.born_at)).collect()
}
