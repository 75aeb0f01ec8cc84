//! Why a transaction was not signed: the first thing in it that nobody permitted.

/// What is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum TxNotCovered {
    /// The permit is for another venue, or for other code than is pinned.
    #[error("the permit is for another venue or other code")]
    Venue,
    /// The permit has no such action.
    #[error("the permit has no such action")]
    Action,
    /// Another chain.
    #[error("the transaction is for another chain")]
    Chain,
    /// It carries ether that nobody permitted, or other than was.
    #[error("the transaction carries ether that is not permitted")]
    Value,
    /// It carries an access list, which nothing of ours needs.
    #[error("the transaction carries an access list")]
    AccessList,
    /// It asks for more gas than the cap.
    #[error("the gas limit is above the cap")]
    GasLimit,
    /// It offers more for gas than the cap, or a tip above the whole.
    #[error("the gas price is above the cap")]
    GasPrice,
    /// It goes to no contract of the venue.
    #[error("the destination is not a contract of the venue")]
    Destination,
    /// It calls something else than the action needs.
    #[error("the call is not one that the action needs")]
    Call,
    /// Its bytes are not what the call is encoded to.
    #[error("the call is not encoded as it should be")]
    Encoding,
    /// A bundle of calls with one missing, added or out of place.
    #[error("the bundle holds other calls than the action needs")]
    Inner,
    /// An allowance for somebody else.
    #[error("the allowance is for somebody else")]
    Spender,
    /// An allowance larger than the action needs, or none where one is needed.
    #[error("the allowance is not what the action needs")]
    Allowance,
    /// Other tokens, or in the wrong order.
    #[error("the tokens are not those of the pool")]
    Tokens,
    /// Another pool.
    #[error("the fee tier is not that of the pool")]
    FeeTier,
    /// Another range.
    #[error("the range is not that of the action")]
    Range,
    /// Another position.
    #[error("the position is not that of the action")]
    Position,
    /// The proceeds would go to somebody else.
    #[error("the recipient is not the golem itself")]
    Recipient,
    /// It would go to somebody else than the owner, or there is no address of the owner's.
    #[error("the recipient is not the home that was fixed at birth")]
    NotHome,
    /// Another amount.
    #[error("the amount is not that of the action")]
    Amount,
    /// Less may come back than the action allows.
    #[error("less could come back than the action allows")]
    Minimum,
    /// It could be carried out later than allowed.
    #[error("the deadline is too late")]
    Deadline,
    /// A price limit, which could leave the swap half done.
    #[error("the swap carries a price limit")]
    PriceLimit,
    /// The same part of the same action was already signed under another nonce: both could be carried out.
    #[error("this was already signed under another nonce")]
    Twice,
    /// Too old to be remembered whether it was signed before.
    #[error("the permit is older than what is remembered of those already signed")]
    Forgotten,
    /// The curve would not sign, which 32 bytes cannot cause.
    #[error("the signature failed")]
    Signature,
}
