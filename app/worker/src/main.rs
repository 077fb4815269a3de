//! The worker's door: what the browser runs beside the page.

use wasm_bindgen::JsValue;

fn main() {
    // Bound to JavaScript even while it has nothing to say.
    drop(JsValue::from_str("ready"));
}
