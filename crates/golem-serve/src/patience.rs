//! A socket that waits only so long for its client: who asks and does not read what it is sent would keep its place for ever, and a
//! few hundred of them would keep everybody else out, with or without a token.

use crate::metrics::ServeCounts;
use std::future::Future as _;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream whose writes fail when nothing of them is taken for so long.
pub(crate) struct PatientSocket<S> {
    inner: S,
    stall: Duration,
    /// Runs while something waits to be written.
    clock: Pin<Box<Sleep>>,
    waits: bool,
    /// Who did not read is counted.
    counts: Arc<ServeCounts>,
}

impl<S> PatientSocket<S> {
    pub fn new(inner: S, stall: Duration, counts: Arc<ServeCounts>) -> Self {
        Self { inner, stall, clock: Box::pin(sleep(stall)), waits: false, counts }
    }

    /// What was taken stops the clock; what waits starts it, and fails when it has run out.
    fn in_time<T>(&mut self, cx: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.waits = false;
            return written;
        }
        if !self.waits {
            self.waits = true;
            self.clock.as_mut().reset(Instant::now() + self.stall);
        }
        match self.clock.as_mut().poll(cx) {
            Poll::Ready(()) => {
                ServeCounts::one(&self.counts.stalled);
                Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read")))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PatientSocket<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PatientSocket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.in_time(cx, written)
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.in_time(cx, written)
    }
    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
