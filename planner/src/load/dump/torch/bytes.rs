//! The bytes of a pickle from the first to the last, of which only a window is in memory.

use crate::load::{Fault, LoadError, Source};
use crate::message;

/// Bytes that are read at once.
const WINDOW: u64 = 256 * 1024;

/// Reads a file forwards.
pub(super) struct Bytes<'s> {
    source: &'s dyn Source,
    len: u64,
    /// Where in the file the window starts.
    start: u64,
    window: Vec<u8>,
    /// Bytes of the window that are read.
    at: usize,
}

impl<'s> Bytes<'s> {
    pub(super) fn new(source: &'s dyn Source) -> Self {
        Self {
            source,
            len: source.len(),
            start: 0,
            window: Vec::new(),
            at: 0,
        }
    }

    /// The position of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> u64 {
        self.len - self.position()
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let bytes = self.slice(N as u64)?;
        let array = <[u8; N]>::try_from(bytes);
        Ok(array.unwrap_or([0; N]))
    }

    /// The next `len` bytes.
    pub(super) fn slice(&mut self, len: u64) -> Result<&[u8], LoadError> {
        let have = (self.window.len() - self.at) as u64;
        if len > have {
            self.refill(len)?;
        }
        let from = self.at;
        self.at += usize::try_from(len).unwrap_or_default();
        Ok(self.window.get(from..self.at).unwrap_or_default())
    }

    /// Leaves out the next `len` bytes.
    pub(super) fn skip(&mut self, len: u64) -> Result<(), LoadError> {
        let have = (self.window.len() - self.at) as u64;
        if len > have {
            self.check(len)?;
            self.start = self.position() + len;
            self.window.clear();
            self.at = 0;
        } else {
            self.at += usize::try_from(len).unwrap_or_default();
        }
        Ok(())
    }

    /// Moves the window so that it begins with the next byte and holds at least `len`.
    fn refill(&mut self, len: u64) -> Result<(), LoadError> {
        self.check(len)?;
        let size = len.max(WINDOW).min(self.left());
        self.start = self.position();
        self.at = 0;
        self.window
            .resize(usize::try_from(size).unwrap_or_default(), 0);
        self.source.read_at(self.start, &mut self.window)?;
        Ok(())
    }

    fn check(&self, len: u64) -> Result<(), LoadError> {
        if len <= self.left() {
            return Ok(());
        }
        let (end, wanted) = (self.len, self.position());
        Err(Fault::Truncated.at(
            message!("byte {}", end),
            message!(
                "the pickle ends here, {} bytes from byte {} on are missing",
                len,
                wanted
            ),
        ))
    }
}
