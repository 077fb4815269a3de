//! Files in and out: samples fetched from our own origin, downloads, the clipboard.

use std::cell::RefCell;

use conversation::{Content, Given, Sample};
use js_sys::{Array, Uint8Array};
use planner::tflm_offline_plan::Written;
use planner::{Message, message, save};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Response, Url};

/// The files that people gave: the state knows them by number. Of a file on the disk this is only
/// a handle, without its bytes; it is kept as long as the page is open, for Back may lead to it.
#[derive(Default)]
pub(crate) struct Files(RefCell<Vec<Blob>>);

impl Files {
    /// Takes a file in.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a file's size is a whole number below 2^53"
    )]
    pub(crate) fn give(&self, name: String, blob: Blob) -> Given {
        let mut all = self.0.borrow_mut();
        let number = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let bytes = blob.size() as u64;
        all.push(blob);
        Given {
            name,
            bytes,
            content: Content::Blob(number),
        }
    }

    /// A file as the browser has it; `None` where it makes none of a text.
    pub(crate) fn blob(&self, content: &Content) -> Option<Blob> {
        match content {
            Content::Blob(number) => self.0.borrow().get(*number as usize).cloned(),
            Content::Text(text) => {
                let parts = Array::of1(&JsValue::from_str(text));
                Blob::new_with_str_sequence(&parts).ok()
            }
            Content::Bytes(bytes) => {
                let parts = Array::of1(&Uint8Array::from(&bytes[..]));
                Blob::new_with_u8_array_sequence(&parts).ok()
            }
        }
    }
}

/// The address of a file of the page's code, whose folder has another name with every build.
pub(crate) fn built(name: &str) -> String {
    let document = web_sys::window().and_then(|window| window.document());
    let said = document.and_then(|it| it.query_selector("meta[name=built]").ok().flatten());
    let folder = said.and_then(|said| said.get_attribute("content"));
    folder.unwrap_or_default() + name
}

/// The list of samples.
pub(crate) fn samples() -> Vec<Sample> {
    // Part of the build, so that the menu is there before any request.
    serde_json::from_str(include_str!("../../../public/samples/index.json"))
        .expect("the list that tests read too")
}

/// Fetches a sample's file.
pub(crate) async fn fetch_sample(file: &str) -> Result<Blob, Message> {
    let path = format!("./public/samples/{file}");
    let answer = fetch(&path).await?;
    let blob = answer.blob().map_err(|error| failed(&path, &error))?;
    let blob = JsFuture::from(blob).await;
    Ok(blob
        .map_err(|error| failed(&path, &error))?
        .unchecked_into())
}

/// Fetches a text of our own.
pub(crate) async fn fetch_text(path: &str) -> Result<String, Message> {
    let answer = fetch(path).await?;
    let text = answer.text().map_err(|error| failed(path, &error))?;
    let text = JsFuture::from(text).await;
    let text = text.map_err(|error| failed(path, &error))?;
    Ok(text.as_string().unwrap_or_default())
}

async fn fetch(path: &str) -> Result<Response, Message> {
    let window = web_sys::window().ok_or_else(|| message!("no window"))?;
    let answer = JsFuture::from(window.fetch_with_str(path)).await;
    let answer: Response = answer
        .map_err(|error| failed(path, &error))?
        .unchecked_into();
    match answer.ok() {
        true => Ok(answer),
        false => Err(Message::verbatim(format!(
            "{path}: HTTP {}",
            answer.status()
        ))),
    }
}

fn failed(path: &str, error: &JsValue) -> Message {
    let error: Option<&js_sys::Error> = error.dyn_ref();
    let reason = error.map(|error| String::from(error.message()));
    Message::verbatim(format!("{path}: {}", reason.unwrap_or_default()))
}

/// The text of a file that somebody gave.
pub(crate) async fn text_of(blob: &Blob) -> Option<String> {
    JsFuture::from(blob.text()).await.ok()?.as_string()
}

/// What is open, as the beginning of a file's name.
pub(crate) fn stem(document: &str) -> String {
    let safe = |sign: char| match sign {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        sign if sign.is_control() => '_',
        sign => sign,
    };
    save::stem(document).chars().map(safe).collect()
}

/// Offers `bytes` as a download called `name`.
pub(crate) fn download(name: &str, mime: &str, bytes: &[u8]) {
    let parts = Array::of1(&Uint8Array::from(bytes));
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    if let Ok(blob) = Blob::new_with_u8_array_sequence_and_options(&parts, &options) {
        download_blob(name, &blob);
    }
}

/// Offers `blob` as a download called `name`.
pub(crate) fn download_blob(name: &str, blob: &Blob) {
    let document = web_sys::window().and_then(|window| window.document());
    let anchor = document.and_then(|document| document.create_element("a").ok());
    let Some(anchor) = anchor else { return };
    let anchor: HtmlAnchorElement = anchor.unchecked_into();
    if let Ok(url) = Url::create_object_url_with_blob(blob) {
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
        // The browser has taken the blob by the time that this runs.
        gloo::timers::callback::Timeout::new(60_000, move || {
            let _ = Url::revoke_object_url(&url);
        })
        .forget();
    }
}

/// Puts `text` on the clipboard and returns whether the browser let it.
pub(crate) async fn copy(text: String) -> bool {
    // A page that was not served from this machine or over TLS has no clipboard at all.
    let window = web_sys::window().filter(web_sys::Window::is_secure_context);
    let Some(window) = window else { return false };
    let asked = window.navigator().clipboard().write_text(&text);
    JsFuture::from(asked).await.is_ok()
}

/// The new start of a file and the rest of the old one, which stays where it is.
pub(crate) fn joined(made: &Written, original: &Blob) -> Option<Blob> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "files that take a plan have less than 2^31 bytes"
    )]
    let rest = made.file.rest as f64;
    let rest = original
        .slice_with_f64_and_f64(rest, original.size())
        .ok()?;
    let parts = Array::of2(&Uint8Array::from(made.file.head.as_slice()), &rest);
    let options = BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    Blob::new_with_blob_sequence_and_options(&parts, &options).ok()
}
