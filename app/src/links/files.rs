//! Files in and out: samples fetched from our own origin, downloads, the clipboard.

use js_sys::{Array, Uint8Array};
use planner::graph::Bindings;
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, FileList, HtmlAnchorElement, Response, Url};

use crate::words::Language;

/// What joins the names of files that are opened together.
pub(crate) const JOINT: &str = " + ";

/// A sample that comes with the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Sample {
    /// For links.
    pub(crate) id: String,
    /// What it is.
    pub(crate) group: Group,
    /// Under `public/samples/`.
    pub(crate) file: String,
    /// Values of its symbolic dimensions to start with.
    pub(crate) bind: Bindings,
    title: InLanguages,
    about: InLanguages,
}

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Group {
    /// A network.
    Model,
    /// A plan that a toolchain dumped.
    Deployed,
    /// Lifetimes alone.
    Problem,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct InLanguages {
    en: String,
    zh: String,
}

impl InLanguages {
    fn get(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

impl Sample {
    pub(crate) fn title(&self, language: Language) -> &str {
        self.title.get(language)
    }

    pub(crate) fn about(&self, language: Language) -> &str {
        self.about.get(language)
    }
}

/// A file that a person gave.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// What they call it.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) blob: Blob,
}

impl Given {
    /// Every file of a list.
    pub(crate) fn all(list: &FileList) -> Vec<Self> {
        let files = (0..list.length()).filter_map(|index| list.get(index));
        let given = files.map(|file| Self {
            name: file.name(),
            blob: file.into(),
        });
        given.collect()
    }

    /// A text as a file; `None` where the browser makes none.
    pub(crate) fn text(name: &str, text: &str) -> Option<Self> {
        let parts = Array::of1(&JsValue::from_str(text));
        Some(Self {
            name: name.to_owned(),
            blob: Blob::new_with_str_sequence(&parts).ok()?,
        })
    }

    /// Its size.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a file's size is a whole number below 2^53"
    )]
    pub(crate) fn bytes(&self) -> u64 {
        self.blob.size() as u64
    }
}

/// The list of samples.
pub(crate) fn samples() -> Vec<Sample> {
    // Part of the build, so that the menu is there before any request.
    serde_json::from_str(include_str!("../../../public/samples/index.json")).unwrap_or_default()
}

/// Fetches a sample's file.
pub(crate) async fn fetch_sample(file: &str) -> Result<Blob, String> {
    let window = web_sys::window().ok_or("no window")?;
    let path = format!("./public/samples/{file}");
    let failed = |error: JsValue| {
        let error: Option<&js_sys::Error> = error.dyn_ref();
        let reason = error.map(|error| String::from(error.message()));
        format!("{path}: {}", reason.unwrap_or_default())
    };
    let answer = JsFuture::from(window.fetch_with_str(&path)).await;
    let answer: Response = answer.map_err(failed)?.unchecked_into();
    if !answer.ok() {
        return Err(format!("{path}: HTTP {}", answer.status()));
    }
    let blob = JsFuture::from(answer.blob().map_err(failed)?).await;
    Ok(blob.map_err(failed)?.unchecked_into())
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
pub(crate) fn copy(text: String, done: impl FnOnce(bool) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        let Some(window) = web_sys::window() else {
            return;
        };
        // A page that was not served from this machine or over TLS has no clipboard at all.
        let copied = if window.is_secure_context() {
            let asked = window.navigator().clipboard().write_text(&text);
            JsFuture::from(asked).await.is_ok()
        } else {
            false
        };
        done(copied);
    });
}
