//! What every session and every read needs: the desk, who is here, the line to the writer, and the names it is dialled by.

use crate::counts::RelayCounts;
use crate::desk::{DeskFault, RelayDesk};
use crate::hub::RelayHubs;
use crate::store::StoreFault;
use crate::writer::LogWriter;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// Everything that a session needs.
#[derive(Debug)]
pub(crate) struct Relay {
    pub desk: RelayDesk,
    pub hubs: Arc<RelayHubs>,
    pub counts: Arc<RelayCounts>,
    pub writer: LogWriter,
    pub strangers: Semaphore,
    pub desks: Semaphore,
    pub entering: Semaphore,
    /// Whether the store is asked by threads of its own, or there and then.
    pub threads: bool,
    pub names: Vec<String>,
    pub port: u16,
    pub stopping: watch::Receiver<bool>,
}

impl Relay {
    /// Ask the store away from the sockets.
    pub async fn at_desk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&RelayDesk) -> Result<T, DeskFault> + Send + 'static,
    ) -> Result<T, DeskFault> {
        let broke = |_| DeskFault::Store(StoreFault("the relay is ending".to_owned()));
        let _desk = self.desks.acquire().await.map_err(|e| broke(e.to_string()))?;
        let desk = self.desk.clone();
        let done = match self.threads {
            true => tokio::task::spawn_blocking(move || work(&desk)).await.map_err(|e| broke(e.to_string()))?,
            false => work(&desk),
        };
        if matches!(done, Err(DeskFault::Store(_))) {
            RelayCounts::one(&self.counts.store_faults);
        }
        done
    }

    /// Whether a golem that dialled this meant this relay.
    pub fn is_named(&self, dialled: &str) -> bool {
        let own = |(host, port): (&str, &str)| {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
            here && port.parse() == Ok(self.port)
        };
        self.names.iter().any(|name| name == dialled) || dialled.rsplit_once(':').is_some_and(own)
    }

    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }
}
