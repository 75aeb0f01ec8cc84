//! The tests of this room, in one binary.

mod money;
