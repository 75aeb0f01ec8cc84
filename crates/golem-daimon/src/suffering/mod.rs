//! Suffering: stressors that are measured, and those that an agent reports; load, bands, crisis, respite.
//!
//! A turn calls [`Suffering::turn`] with what was recorded, hands what the agent said to [`Suffering::assess`], shows
//! [`Suffering::fragment`] above the goals and asks [`Suffering::band`] at the gate. Rows that have ended leave as
//! facts; the state keeps a summary of bounded size, so no turn costs more after a long life.
//!
//! Nothing here lowers a measured severity because an agent says so, and suffering is never an input to vitality.

mod anticipate;
mod assess;
mod assessment;
mod canonical;
mod channel;
mod counter;
mod course;
mod crisis;
mod domain;
mod facts;
mod fragment;
mod history;
mod import;
mod import_fields;
mod import_pieces;
mod lint;
mod memory;
mod name;
mod recorded;
mod remedies;
mod reported;
mod rules;
mod state;
mod status;
mod turn;
mod write;

pub use crate::band::{Band, CRISIS_ENTER, CRISIS_LEAVE};
pub use crate::line::Line;
pub use anticipate::{Anticipation, Caution};
pub use assess::{Assessed, ItemAnswer};
pub use assessment::{
    ASSESSMENT_KEY, Assessment, EaseClaim, FieldFault, Flaw, MOST_ITEMS, StressorReport, parse_assessment,
    read_assessment,
};
pub use canonical::Canonical;
pub use channel::{CHANNEL_LAPSES, MessageChannel};
pub use crisis::{EXISTENCE_CYCLE, MOST_CRISIS_CYCLES};
pub use domain::ActivityDomain;
pub use facts::{Drop, Lightened, SufferingFact};
pub use history::{Resolved, StressorEnding, StressorLedger};
pub use import::{Imported, Unreadable, import};
pub use import_pieces::pieces;
pub use lint::{Lint, LintKind};
pub use memory::{RESUME_WITHIN, SIGNAL_PEAK, Scar};
pub use name::{Folded, NoName};
pub use recorded::{RecordedCounters, SufferingSeen};
pub use remedies::{Remedy, RemedyLog};
pub use reported::{Condition, REPORTED_INITIAL, REPORTED_RATE_PER_DAY};
pub use state::{MOST_ACTIVE, MOST_NEW_PER_CYCLE, MOST_REPORTED, MOST_REPORTED_LOAD, OpenStressor, Suffering};
pub use status::{StressorStatus, SufferingStatus};
pub use turn::RESPITE_LOAD;
