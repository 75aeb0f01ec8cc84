//! Observed fields and the expressions over them.

mod observed_errors;
mod observed_laws;
mod observed_verdicts;
