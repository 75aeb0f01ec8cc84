//! The rules of inheritance, from outside.

mod as_of;
mod barrier;
mod bottleneck;
mod bundles;
mod divergence;
mod handed;
mod heirloom;
mod ingest;
mod inheritance;
mod kin;
mod kin_intake;
mod kin_more;
mod kit;
mod large_library;
mod library;
mod novelty;
mod poison;
mod provenance;
mod replicants;
mod succession;
mod survived;
mod world;
