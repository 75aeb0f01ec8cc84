mod replay;
mod schedule;
