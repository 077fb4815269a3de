//! What every worker of the page has in common. A message is `[Uint8Array, Blob…]`: a
//! request in postcard's encoding, and the files that it is about. Files are read in parts
//! with `FileReaderSync`, so that weights never enter this memory.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use planner::load::{Source, SourceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync, MessageEvent};

/// A file of which parts are read as they are asked for.
#[derive(Debug)]
pub struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
}

impl BlobSource {
    /// Reads from `blob`; `None` where the browser denies reading.
    #[must_use]
    pub fn of(blob: Blob) -> Option<Self> {
        let reader = FileReaderSync::new().ok()?;
        Some(Self { blob, reader })
    }
}

impl Source for BlobSource {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a file's size is a whole number below 2^53"
    )]
    fn len(&self) -> u64 {
        self.blob.size() as u64
    }

    #[expect(clippy::cast_precision_loss, reason = "both are below 2^53, see `len`")]
    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let len = target.len() as u64;
        let end = start.checked_add(len).filter(|&end| end <= self.len());
        let end = end.ok_or(SourceError::Beyond { start, len })?;
        let part = self.blob.slice_with_f64_and_f64(start as f64, end as f64);
        let read = part.and_then(|part| self.reader.read_as_array_buffer(&part));
        let buffer: ArrayBuffer = read.map_err(|error| SourceError::Io(described(&error)))?;
        let bytes = Uint8Array::new(&buffer);
        if bytes.length() as usize != target.len() {
            return Err(SourceError::Beyond { start, len });
        }
        bytes.copy_to(target);
        Ok(())
    }
}

fn described(error: &JsValue) -> String {
    let error: Option<&js_sys::Error> = error.dyn_ref();
    error.map_or_else(
        || "the browser gave no reason".to_owned(),
        |error| String::from(error.message()),
    )
}

/// The worker that this program runs in.
#[must_use]
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Milliseconds since this worker began.
#[must_use]
pub fn now(scope: &DedicatedWorkerGlobalScope) -> f64 {
    scope.performance().map_or(0.0, |clock| clock.now())
}

/// Sends a reply to the page.
pub fn post(scope: &DedicatedWorkerGlobalScope, reply: &impl Serialize) {
    // Without an answer the page would wait for ever; from a panic it hears.
    let bytes = postcard::to_allocvec(reply).expect("a reply is data that can be written");
    let bytes = Uint8Array::from(bytes.as_slice());
    let transfer = Array::of1(&bytes.buffer());
    // Fails only when the page is gone, and then no request waits.
    let _ = scope.post_message_with_transfer(&bytes, &transfer);
}

/// What the page sends.
#[derive(Debug)]
pub enum Message<R> {
    /// A request, with the files that came with it.
    Asked(R, Vec<BlobSource>),
    /// Whether this worker is there: to be answered with [`here`] in turn.
    Pinged,
}

/// Hands everything that the page sends to `take`, and reports to the page that this worker
/// listens: what is sent before that is lost, because a module's start is asynchronous.
pub fn listen<R: DeserializeOwned>(take: impl Fn(Message<R>) + 'static) {
    let scope = scope();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let message = event.data();
        if message.is_null() {
            take(Message::Pinged);
            return;
        }
        let message: Array = message.unchecked_into();
        let bytes = Uint8Array::new(&message.get(0)).to_vec();
        if let Ok(request) = postcard::from_bytes::<R>(&bytes) {
            let blobs = message.iter().skip(1).filter_map(|it| it.dyn_into().ok());
            let files = blobs.filter_map(BlobSource::of).collect();
            take(Message::Asked(request, files));
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    here(&scope);
}

/// Reports to the page that this worker is there.
pub fn here(scope: &DedicatedWorkerGlobalScope) {
    let _ = scope.post_message(&JsValue::NULL);
}
