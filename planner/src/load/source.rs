//! Where bytes come from: a slice in memory, or a file of which only parts are ever read.

use crate::{Message, impl_message, message};

/// Random access to the bytes of a file, so that weights need never be copied.
pub trait Source {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `target` with the bytes from `start` on.
    ///
    /// # Errors
    /// When the range goes beyond the end, or the file cannot be read.
    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError>;
}

/// Why bytes could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceError {
    /// The range ends beyond the end of the file.
    Beyond {
        /// First byte asked for.
        start: u64,
        /// Number of bytes asked for.
        len: u64,
    },
    /// The file could not be read.
    Io(String),
}

impl SourceError {
    /// It in words.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Beyond { start, len } => {
                message!("{} bytes at {} lie behind the end of the file", len, start)
            }
            Self::Io(message) => Message::verbatim(message),
        }
    }
}

impl_message!(SourceError);

impl std::error::Error for SourceError {}

impl Source for [u8] {
    fn len(&self) -> u64 {
        Self::len(self) as u64
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let len = target.len() as u64;
        let beyond = SourceError::Beyond { start, len };
        let from = usize::try_from(start).ok();
        let range = from.and_then(|from| Some(from..from.checked_add(target.len())?));
        let bytes = range.and_then(|range| self.get(range)).ok_or(beyond)?;
        target.copy_from_slice(bytes);
        Ok(())
    }
}

impl Source for Vec<u8> {
    fn len(&self) -> u64 {
        Source::len(self.as_slice())
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        self.as_slice().read_at(start, target)
    }
}
