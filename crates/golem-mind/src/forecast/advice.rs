//! The one place where what a panel says becomes what the golem says: experts that know something are heard here.
//!
//! Silent learners never come this way: a newborn knows nothing.

use golem_core::VirtualTime;
use golem_mortality::Domain;

/// What a panel says before anyone else is heard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PanelForecast {
    /// What it is about.
    pub domain: Domain,
    /// When it is made.
    pub made: VirtualTime,
    /// What the panel says, on the domain's own scale.
    pub panel: f64,
    /// What the naive rule says.
    pub naive: f64,
    /// A usual deviation.
    pub scale: f64,
    /// True when this forecast is stored and will be settled; others are used in their turn alone.
    pub stored: bool,
}

/// What a forecast becomes when others are heard beside the panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeardForecast {
    /// With all of them: what is scored.
    pub scored: f64,
    /// Without those from elsewhere that nothing has proven here.
    pub trusted: f64,
}

/// Turns what a panel says into the forecast that is scored and used. What is not finite is not heard.
pub type Advise<'a> = dyn FnMut(&PanelForecast) -> f64 + 'a;

/// The panel alone.
pub fn panel_alone(said: &PanelForecast) -> f64 {
    said.panel
}

/// The opposite of what the panel says: a mind that has everything the wrong way round, for comparison.
pub fn turned_round(said: &PanelForecast) -> f64 {
    2.0 * said.naive - said.panel
}
