//! The size of an element, followed.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

/// Calls `resized` with the inner size of `frame` in CSS pixels whenever it changes, and once
/// as soon as it is there.
pub(crate) fn follow(frame: NodeRef<Div>, resized: impl Fn((f64, f64)) + Copy + 'static) {
    let observer: StoredValue<Option<ResizeObserver>, LocalStorage> = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(frame) = frame.get() else { return };
        let watched = frame.clone();
        let measure = Closure::<dyn Fn()>::new(move || {
            let (width, height) = (watched.client_width(), watched.client_height());
            resized((f64::from(width), f64::from(height)));
        });
        if let Ok(watcher) = ResizeObserver::new(measure.as_ref().unchecked_ref()) {
            // Reports once as soon as it begins to observe.
            watcher.observe(&frame);
            observer.set_value(Some(watcher));
        }
        measure.forget();
    });
    on_cleanup(move || {
        if let Some(Some(observer)) = observer.try_update_value(Option::take) {
            observer.disconnect();
        }
    });
}

/// Keeps `width` at the inner width of `frame`, in CSS pixels.
pub(crate) fn follow_width(frame: NodeRef<Div>, width: RwSignal<f64>) {
    follow(frame, move |(wide, _)| {
        if wide.to_bits() != width.get_untracked().to_bits() {
            width.set(wide);
        }
    });
}
