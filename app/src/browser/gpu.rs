//! Whether this browser has WebGPU, asked without loading anything.

use conversation::Missing;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Asks for an adapter, and its name: in browsers, the device keeps it quiet.
pub(crate) async fn probe() -> Result<String, Missing> {
    let window = web_sys::window().ok_or(Missing::NoInterface)?;
    let none = Missing::NoInterface;
    let gpu = Reflect::get(&window.navigator(), &"gpu".into()).map_err(|_error| none)?;
    if gpu.is_undefined() || gpu.is_null() {
        return Err(if window.is_secure_context() {
            none
        } else {
            Missing::Insecure
        });
    }
    let ask = Reflect::get(&gpu, &"requestAdapter".into()).map_err(|_error| none)?;
    let ask: Function = ask.dyn_into().map_err(|_error| none)?;
    let asked = ask.call0(&gpu).map_err(|_error| none)?;
    let asked: Promise = asked.dyn_into().map_err(|_error| none)?;
    match JsFuture::from(asked).await {
        Ok(adapter) if !adapter.is_null() && !adapter.is_undefined() => Ok(described(&adapter)),
        Ok(_) | Err(_) => Err(Missing::NoAdapter),
    }
}

/// Vendor, architecture and the rest, as far as they are reported.
fn described(adapter: &JsValue) -> String {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let info = get(adapter, "info").unwrap_or_default();
    let parts = ["vendor", "architecture", "device", "description"];
    let named = parts
        .iter()
        .filter_map(|name| get(&info, name)?.as_string());
    let named: Vec<String> = named.filter(|text| !text.is_empty()).collect();
    named.join(" ")
}
