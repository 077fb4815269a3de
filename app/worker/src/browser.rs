//! Messages are `[Uint8Array, Blob?]`: a request or reply in postcard's encoding, and the
//! file that an `Open` request is about. The file is read in parts with `FileReaderSync`, so
//! that its weights never enter this memory.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use planner::load::{Source, SourceError};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync, MessageEvent};
use worker::{Desk, Reply, Request, Surroundings};

/// A file of which parts are read as they are asked for.
struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
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

struct Scope(DedicatedWorkerGlobalScope);

impl Surroundings for Scope {
    fn now(&self) -> f64 {
        self.0.performance().map_or(0.0, |clock| clock.now())
    }

    fn reply(&self, reply: &Reply) {
        let Ok(bytes) = postcard::to_allocvec(reply) else {
            return;
        };
        let bytes = Uint8Array::from(bytes.as_slice());
        let transfer = Array::of1(&bytes.buffer());
        // Fails only when the page is gone, and then nobody waits.
        let _ = self.0.post_message_with_transfer(&bytes, &transfer);
    }
}

/// Answers every message that the page sends, one after the other.
pub(crate) fn listen() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let around = Rc::new(Scope(scope.clone()));
    let desk = Rc::new(RefCell::new(Desk::default()));
    let answer = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        let bytes = Uint8Array::new(&message.get(0)).to_vec();
        let Ok(request) = postcard::from_bytes::<Request>(&bytes) else {
            return;
        };
        let blob: Option<Blob> = message.get(1).dyn_into().ok();
        let source = blob.and_then(|blob| {
            let reader = FileReaderSync::new().ok()?;
            Some(BlobSource { blob, reader })
        });
        let file = source.as_ref().map(|source| source as &dyn Source);
        desk.borrow_mut().answer(request, file, &*around);
    });
    scope.set_onmessage(Some(answer.as_ref().unchecked_ref()));
    answer.forget();
    // An empty message says that this worker hears: what was sent before it ran is lost
    // otherwise, because a module's start is asynchronous.
    let _ = scope.post_message(&JsValue::NULL);
}
