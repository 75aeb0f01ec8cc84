//! `bardo lab merge`: shards that were lived anywhere become the comparison that one machine would have made.

use super::judged::{self, WrittenTo};
use super::refused;
use crate::cli::LabMerge;
use crate::fail::Fail;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::compare::{CompareFolder, Shard, merged};

/// Run it.
pub fn run(args: &LabMerge, out: &Out) -> Result<(), Fail> {
    let (plan, rows) = merged(&args.shards).map_err(refused)?;
    if !args.outcomes.is_empty() && args.outcomes != plan.judged {
        let were = if plan.judged.is_empty() { "all of them".to_owned() } else { plan.judged.join(",") };
        let hint = "leave --outcomes out: fewer outcomes make narrower intervals, so nobody chooses them afterwards";
        return Err(Fail::hint(format!("which outcomes are judged was fixed before the first life: {were}"), hint));
    }
    let folder = CompareFolder::open(&args.out, &plan, Shard::WHOLE).map_err(refused)?;
    folder.finish(&rows).map_err(refused)?;
    let to = WrittenTo { dir: Some(&args.out), page: &PagePlace::Nowhere };
    judged::tell(&plan, &rows, to, &|| Ok(Vec::new()), out)
}
