//! Files of people while the page is reloaded: a service worker has their handles then. Nothing is
//! copied, stored or sent. Where the browser has no such worker (some private windows, pages
//! without TLS), or has ended it, the page says which file to open again.

use conversation::{Event, Given, Visit};
use gloo::events::EventListener;
use gloo::storage::{SessionStorage, Storage};
use gloo::timers::callback::Timeout;
use js_sys::{Array, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, MessageChannel, MessageEvent, ServiceWorker};
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration};

use super::driver::{given, visit};
use super::memory;
use super::session::Session;

/// The worker's script.
const SCRIPT: &str = "./public/keeper.js";
/// Under this a window finds, once it is loaded again, what its files are kept as.
const KEPT: &str = "arenascope.kept";
/// An answer is waited for so long, in milliseconds.
const TIMEOUT_MS: u32 = 3_000;

/// What the files are kept as that were open when this window was loaded anew, if any were.
pub(crate) fn left() -> Option<String> {
    let left = memory::is_allowed().then(|| SessionStorage::get(KEPT).ok())?;
    SessionStorage::delete(KEPT);
    left
}

/// Hands over every file that is or was open, each time that the page goes. The worker is fetched
/// ahead, so that opening a file asks nothing of the server.
pub(crate) fn hold(session: Session) {
    if !memory::is_allowed() {
        return;
    }
    spawn_local(async move {
        let Some(container) = container() else { return };
        let Ok(registration) = JsFuture::from(container.register(SCRIPT)).await else {
            return;
        };
        let registration = registration.unchecked_into();
        let hand_over = move |_: &web_sys::Event| hand_over(session, &registration);
        EventListener::new(&window(), "pagehide", hand_over).forget();
    });
}

/// Takes them back, then shows what the address bar says.
pub(crate) fn bring_back(session: Session, page: String) {
    spawn_local(async move {
        let answer = match found().await.as_ref().and_then(worker) {
            Some(worker) => ask(&worker, &page).await,
            None => None,
        };
        if let Some(visits) = answer.filter(Array::is_array) {
            let visits = Array::from(&visits).to_vec();
            let visits = visits.iter().filter_map(|it| read(session, it)).collect();
            session.page.take(Event::BroughtBack(visits));
        }
        visit(session);
    });
}

/// Where workers are registered; `None` where the browser has none.
fn container() -> Option<ServiceWorkerContainer> {
    let navigator = window().navigator();
    let there = Reflect::get(&navigator, &"serviceWorker".into()).ok()?;
    (!there.is_undefined()).then(|| navigator.service_worker())
}

/// The registration of the last visit.
async fn found() -> Option<ServiceWorkerRegistration> {
    let asked = container()?.get_registration_with_document_url(SCRIPT);
    JsFuture::from(asked).await.ok()?.dyn_into().ok()
}

fn worker(registration: &ServiceWorkerRegistration) -> Option<ServiceWorker> {
    let active = registration.active();
    active.or_else(|| registration.installing())
}

/// A visit is a list: its number, its name, then name and bytes of each file.
fn hand_over(session: Session, registration: &ServiceWorkerRegistration) {
    let Some(worker) = worker(registration) else {
        return;
    };
    let driver = session.page.driver();
    let listed = |visit: &Visit| {
        let list = Array::of2(&visit.number.into(), &visit.name.as_str().into());
        for file in &visit.files {
            list.push(&file.name.as_str().into());
            list.push(&driver.files.blob(&file.content).into());
        }
        list
    };
    let visits: Array = session
        .store
        .read(|state| state.visits().iter().map(listed).collect());
    if visits.length() == 0 {
        return;
    }
    let page = format!("{:.0}", js_sys::Math::random() * 1e15);
    let message = Array::of2(&page.as_str().into(), &visits);
    if worker.post_message(&message).is_ok() {
        let _ = SessionStorage::set(KEPT, &page);
    }
}

/// What the worker kept; `None` where it does not answer.
async fn ask(worker: &ServiceWorker, page: &str) -> Option<JsValue> {
    let channel = MessageChannel::new().ok()?;
    let (asks, answers) = (channel.port2(), channel.port1());
    let answer = Promise::new(&mut |resolve, _| {
        let late = resolve.clone();
        Timeout::new(TIMEOUT_MS, move || {
            let _ = late.call0(&JsValue::NULL);
        })
        .forget();
        let heard = Closure::once_into_js(move |event: MessageEvent| {
            let _ = resolve.call1(&JsValue::NULL, &event.data());
        });
        answers.set_onmessage(Some(heard.unchecked_ref()));
    });
    let message = Array::of1(&page.into());
    let ports = Array::of1(&asks);
    worker
        .post_message_with_transferable(&message, &ports)
        .ok()?;
    JsFuture::from(answer).await.ok()
}

/// Reads what [`hand_over`] wrote, `None` where that is not it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate"
)]
fn read(session: Session, visit: &JsValue) -> Option<Visit> {
    let list: Vec<JsValue> = Array::from(visit).to_vec();
    let [number, name, files @ ..] = &list[..] else {
        return None;
    };
    let files = files.chunks_exact(2).map(|file| {
        let blob: Blob = file[1].clone().dyn_into().ok()?;
        Some(given(session, file[0].as_string()?, blob))
    });
    Some(Visit {
        number: number.as_f64()? as u32,
        name: name.as_string()?,
        files: files.collect::<Option<Vec<Given>>>()?,
    })
}
