//! A file on disk, of which only the parts that are needed are read.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use planner::load::{Source, SourceError};

/// An opened file.
pub(super) struct FileSource {
    file: RefCell<File>,
    len: u64,
}

impl FileSource {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// When it cannot be opened, or is no plain file.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("this is a folder"));
        }
        Ok(Self {
            file: RefCell::new(file),
            len: metadata.len(),
        })
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let len = target.len() as u64;
        if start.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(SourceError::Beyond { start, len });
        }
        let mut file = self.file.borrow_mut();
        let read = file.seek(SeekFrom::Start(start));
        let read = read.and_then(|_| file.read_exact(target));
        read.map_err(|error| SourceError::Io(error.to_string()))
    }
}
