//! What a golem knows: every rule of memory, from outside.

mod admission;
mod causal;
mod credit;
mod curator;
mod decay;
mod help;
mod kit;
mod lent;
mod playbook;
mod recall;
mod recalling;
mod series;
mod shelf;
mod staging;
