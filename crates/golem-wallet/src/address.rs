//! An owner's address as people write it: forty hex digits after 0x, and where capitals are among them, the checksum that they
//! spell (EIP-55). A mistyped one would lose everything that a golem sends home.

use alloy_primitives::Address;
use golem_core::HomeAddress;

/// Why a text is no address to send money to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    /// Not forty hex digits after 0x.
    #[error("an address has 40 hex digits after 0x")]
    Digits,
    /// Capitals and small letters are mixed, and not as its checksum says.
    #[error("its capitals are not those of its checksum: it may be mistyped")]
    Checksum,
    /// Nobody's.
    #[error("it is nobody's address: what is sent there is lost")]
    Nobody,
}

/// Read an owner's address.
///
/// # Errors
/// Why it is none.
pub fn read_home(text: &str) -> Result<HomeAddress, AddressFault> {
    let digits = text.strip_prefix("0x").filter(|d| d.len() == 40).ok_or(AddressFault::Digits)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(AddressFault::Digits);
    }
    let plain: Address = text.parse().map_err(|_| AddressFault::Digits)?;
    let mixed = digits.bytes().any(|b| b.is_ascii_uppercase()) && digits.bytes().any(|b| b.is_ascii_lowercase());
    if mixed && Address::parse_checksummed(text, None).is_err() {
        return Err(AddressFault::Checksum);
    }
    HomeAddress::new(plain.into()).ok_or(AddressFault::Nobody)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_as_it_is_spelled_or_not_at_all() {
        // The examples of EIP-55.
        let sound = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        let home = read_home(sound).unwrap();
        assert_eq!(home.to_string(), sound.to_lowercase());
        for same in [sound.to_lowercase(), format!("0x{}", sound[2..].to_uppercase())] {
            assert_eq!(read_home(&same), Ok(home), "{same}: without a checksum");
        }
        for (wrong, why) in [
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", AddressFault::Checksum),
            ("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", AddressFault::Checksum),
            ("0x0000000000000000000000000000000000000000", AddressFault::Nobody),
            ("", AddressFault::Digits),
            ("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", AddressFault::Digits),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", AddressFault::Digits),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed1", AddressFault::Digits),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", AddressFault::Digits),
            (" 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", AddressFault::Digits),
        ] {
            assert_eq!(read_home(wrong), Err(why), "{wrong}");
        }
    }
}
