//! A file of which only those parts are fetched that a reader asks for, on the page's own
//! thread, where a file can only be waited for.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use js_sys::Uint8Array;
use planner::load::{Source, SourceError};
use planner::offline::Unwritable;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// Bytes that are fetched at once.
const PAGE: u64 = 256 * 1024;

/// What of a file is there, and what was missing last.
struct Paged {
    len: u64,
    pages: RefCell<BTreeMap<u64, Vec<u8>>>,
    missing: Cell<Option<u64>>,
}

impl Source for Paged {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let len = target.len() as u64;
        let end = start.checked_add(len).filter(|&end| end <= self.len);
        let end = end.ok_or(SourceError::Beyond { start, len })?;
        let pages = self.pages.borrow();
        let mut at = start;
        let mut target = target;
        while at < end {
            let number = at / PAGE;
            let inside = usize::try_from(at % PAGE).unwrap_or_default();
            let Some(rest) = pages.get(&number).and_then(|page| page.get(inside..)) else {
                self.missing.set(Some(number));
                return Err(SourceError::Io("it is not there yet".into()));
            };
            let count = rest.len().min(target.len());
            if count == 0 {
                return Err(SourceError::Io("it became shorter".into()));
            }
            let (now, later) = target.split_at_mut(count);
            now.copy_from_slice(&rest[..count]);
            target = later;
            at += count as u64;
        }
        Ok(())
    }
}

/// What `read` makes of the file, asked anew whenever a part of it was not there.
///
/// # Errors
/// Those of `read`, and when the file cannot be read.
pub(crate) async fn read_parts<T>(
    blob: &Blob,
    read: impl Fn(&dyn Source) -> Result<T, Unwritable>,
) -> Result<T, Unwritable> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a file's size is a whole number below 2^53"
    )]
    let len = blob.size() as u64;
    let file = Paged {
        len,
        pages: RefCell::default(),
        missing: Cell::new(None),
    };
    loop {
        let made = read(&file);
        let Some(number) = file.missing.take() else {
            return made;
        };
        let page = fetch(blob, number, len).await.map_err(|error| {
            let error: Option<&js_sys::Error> = error.dyn_ref();
            let reason = error.map(|error| String::from(error.message()));
            Unwritable(reason.unwrap_or_default())
        })?;
        file.pages.borrow_mut().insert(number, page);
    }
}

async fn fetch(blob: &Blob, number: u64, len: u64) -> Result<Vec<u8>, JsValue> {
    let (start, end) = (number * PAGE, (number + 1) * PAGE);
    #[expect(clippy::cast_precision_loss, reason = "a file's size is below 2^53")]
    let part = blob.slice_with_f64_and_f64(start as f64, end.min(len) as f64)?;
    let bytes = JsFuture::from(part.array_buffer()).await?;
    Ok(Uint8Array::new(&bytes).to_vec())
}
