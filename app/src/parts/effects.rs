//! What the reducer asks for and the first picture does not need.

use std::rc::Rc;

use conversation::{Effect, Event, Feeding};
use js_sys::Array;
use wasm_bindgen::JsValue;

use crate::browser::feeds::Wanted;
use crate::browser::{feeds, files, gpu};
use crate::lazy::{LEARN, RUN};
use crate::parts::learn;
use crate::state::driver::Driver;
use crate::state::memory;

/// How often a run is looked after, in milliseconds.
const SECOND_MS: u32 = 1000;

/// Does it.
pub(super) fn perform(driver: &Rc<Driver>, effect: Effect) {
    match effect {
        Effect::AskRunner(request, files) => {
            let driver = Rc::clone(driver);
            RUN.then(move |run| {
                (run.start)(&driver);
                if let Some(runner) = driver.runner.borrow().as_ref() {
                    runner.ask(&request, &driver.blobs(&files));
                }
            });
        }
        Effect::EndRunner => {
            if let Some(runner) = driver.runner.borrow().as_ref() {
                runner.end();
            }
        }
        Effect::CountSecond(id) => driver.after(SECOND_MS, move |driver| {
            let runner = driver.runner.borrow();
            Event::Second(id, runner.as_ref().is_some_and(|runner| runner.ping()))
        }),
        Effect::Learn { link, at } => LEARN.then(move |learn| {
            if let Some(session) = learn::known() {
                (learn.follow)(session, &link, &at);
            }
        }),
        Effect::ProbeGpu => driver.later(async { Event::Gpu(gpu::probe().await) }),
        Effect::Feed {
            case,
            position,
            file,
            dtype,
            dims,
        } => {
            let Some(blob) = driver.files.blob(&file.content) else {
                return;
            };
            driver.later(async move {
                let elements = feeds::elements(&blob, &Wanted { dtype, dims }).await;
                let feeding = match elements {
                    Ok(elements) => Feeding::File(file.name, elements.into()),
                    Err(why) => Feeding::Misfit(file.name, why),
                };
                Event::Fed(case, position, feeding)
            });
        }
        Effect::Remember(remembered) => memory::remember(&remembered),
        Effect::Write {
            fragment,
            visits,
            entry,
        } => write(&fragment, &visits, entry),
        Effect::Copy(text) => driver.later(async { Event::Copied(files::copy(text).await) }),
        Effect::Join {
            name,
            written,
            file,
        } => {
            let blob = driver.files.blob(&file);
            let whole = blob.and_then(|blob| files::joined(&written, &blob));
            if let Some(whole) = &whole {
                files::download_blob(&name, whole);
            }
            driver.take(Event::Joined(whole.is_some()));
        }
        // The driver does these itself.
        Effect::Ask(..)
        | Effect::Ping
        | Effect::EndWorker
        | Effect::After(..)
        | Effect::Fetch(..) => {}
    }
}

/// Puts the state into the address bar.
fn write(fragment: &str, visits: &[u32], entry: bool) {
    let state: Array = visits.iter().map(|visit| JsValue::from(*visit)).collect();
    let written = format!("#{fragment}");
    let history = web_sys::window().and_then(|window| window.history().ok());
    let Some(history) = history else { return };
    // Refused when there are too many entries a second; the next change writes again.
    let _ = if entry {
        history.push_state_with_url(&state, "", Some(&written))
    } else {
        history.replace_state_with_url(&state, "", Some(&written))
    };
}
