//! What a golem knows: every rule of memory, from outside.

mod admission;
mod causal;
mod credit;
mod curator;
mod decay;
mod dream_desk;
mod experts;
mod help;
mod kit;
mod lent;
mod moods;
mod playbook;
mod recall;
mod recalling;
mod same;
mod series;
mod shadowed;
mod shelf;
mod staging;
mod strangers;
mod twins;
