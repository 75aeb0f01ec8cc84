//! Clocks, ledger, diagnostics: against curves, properties and independent implementations.

#[path = "vectors/dice.rs"]
mod dice;
mod info_alerts;
mod info_gaussian;
mod info_properties;
mod info_vectors;
mod ledger;
mod lifespan;
mod regime_eval_properties;
mod regime_eval_vectors;
