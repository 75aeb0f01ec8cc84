//! What was observed in one turn: a value or nothing for every field of the registry.

use super::fields::Field;
use super::value::{Kind, Value};
use crate::Observation;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The observed values of one turn. A field that was not observed is absent, never zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    values: [Option<Value>; Field::COUNT],
}

/// A value that its field cannot hold: a mistake in the room that fills the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{field} takes {}, not {found}", wanted(*.field))]
pub struct WrongValue {
    /// The field.
    pub field: Field,
    /// What it was given.
    pub found: Value,
}

fn wanted(field: Field) -> String {
    match field.kind() {
        Kind::Text(words) => format!("one of {}", words.join(", ")),
        kind => kind.noun().to_owned(),
    }
}

impl Default for Snapshot {
    fn default() -> Self {
        Self { values: [None; Field::COUNT] }
    }
}

impl Snapshot {
    /// Nothing observed yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Fill one field.
    ///
    /// # Errors
    /// When the value is not of the field's kind, or not one of its words; the field keeps what it had.
    pub fn set(&mut self, field: Field, value: impl Into<Value>) -> Result<&mut Self, WrongValue> {
        let found = value.into();
        if !found.fits(field.kind()) {
            return Err(WrongValue { field, found });
        }
        self.values[field.index()] = Some(found);
        Ok(self)
    }
    /// Fill one field with a bare float; one that is not finite counts as not observed.
    ///
    /// # Errors
    /// When the field does not hold numbers.
    pub fn set_number(&mut self, field: Field, x: f64) -> Result<&mut Self, WrongValue> {
        match Value::number(x) {
            Some(value) => self.set(field, value),
            None => Ok(self.clear(field)),
        }
    }
    /// What a field was seen to be, or nothing, from a room whose values are of their fields' kinds by construction: nothing is
    /// checked here. [`Self::set`] is for everybody else, and [`Self::misfit`] for the tests of such a room.
    #[inline]
    pub fn put(&mut self, field: Field, value: Option<Value>) {
        self.values[field.index()] = value;
    }
    /// The first value that its field cannot hold, if there is one.
    #[must_use]
    pub fn misfit(&self) -> Option<WrongValue> {
        let wrong = self.observed().find(|(field, found)| !found.fits(field.kind()));
        wrong.map(|(field, found)| WrongValue { field, found })
    }
    /// Forget one field.
    pub fn clear(&mut self, field: Field) -> &mut Self {
        self.values[field.index()] = None;
        self
    }
    /// Take over what the world showed; what it did not show becomes absent.
    pub fn see(&mut self, seen: &Observation) -> &mut Self {
        // Each value is of its field's kind by construction, so nothing is checked.
        let mut put = |field: Field, value: Option<Value>| self.values[field.index()] = value;
        put(Field::MarketPrice, seen.price.map(Value::from));
        put(Field::MarketGasGwei, seen.gas_gwei.map(Value::from));
        put(Field::MarketFeeYield, seen.fee_yield.map(Value::from));
        put(Field::MarketVolume, seen.volume.map(Value::from));
        put(Field::MarketProtocol, seen.protocol.map(Value::from));
        self
    }
    /// The value of a field, if it was observed.
    #[must_use]
    #[inline]
    pub fn get(&self, field: Field) -> Option<Value> {
        self.values[field.index()]
    }
    /// What was observed, in the order of the table.
    pub fn observed(&self) -> impl Iterator<Item = (Field, Value)> + '_ {
        Field::ALL.iter().filter_map(|&field| Some((field, self.get(field)?)))
    }
}

/// A map from names to values, in the order of the table, without what was not observed.
impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.observed().count()))?;
        for (field, value) in self.observed() {
            map.serialize_entry(&field, &value)?;
        }
        map.end()
    }
}
