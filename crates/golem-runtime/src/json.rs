//! Our own values as JSON.

use crate::error::Error;

/// A value as text.
pub(crate) fn text<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|e| Error::Bug(format!("not JSON: {e}")))
}
