//! A hook for tests and benchmarks: `arenascope_execute({ model, inputs, machine, strategy,
//! fuse, runs })` on the window runs a model in the runner, and answers with its outputs.
//!
//! `model` is a `Uint8Array`; `inputs` are typed arrays in the order of the graph's inputs,
//! `null` for seeded ones; `machine` is `"gpu"` or `"cpu"`; `strategy` names one; `fuse` is
//! the setting of that name; `runs` is a number, 1 where it is left out. The array of outputs
//! has two more properties: `times`, milliseconds of each run, and `ledger`, every buffer's
//! label and bytes. It costs nothing until it is called.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use executor::engine::Entry;
use js_sys::{Array, ArrayBuffer, Function, Object, Promise, Reflect, Uint8Array};
use planner::graph::Bindings;
use planner::{Settings, Strategy, passes};
use runner::{Execution, Feed, MachineKind, Output, Reply, Request};
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use crate::lazy::RUN;
use crate::state::driver::Page;

/// Numbers of these questions begin here, far from those of the page.
const FIRST: u32 = 1 << 31;

thread_local! {
    static NEXT: Cell<u32> = const { Cell::new(FIRST) };
    /// A request: what to call with outputs, and with an error.
    static WAITING: RefCell<BTreeMap<u32, (Function, Function)>> =
        const { RefCell::new(BTreeMap::new()) };
}

/// Puts the hook on the window.
pub(crate) fn offer(page: Page) {
    let run = Closure::<dyn Fn(JsValue) -> Promise>::new(move |asked: JsValue| {
        Promise::new(&mut |resolve, reject| {
            let asked = asked.clone();
            RUN.then(move |run| {
                if let Err(error) = (run.execute)(page, &asked, (resolve, reject.clone())) {
                    let _ = reject.call1(&JsValue::NULL, &error);
                }
            });
        })
    });
    if let Some(window) = web_sys::window() {
        // A window takes any property.
        let _ = Reflect::set(&window, &"arenascope_execute".into(), run.as_ref());
    }
    run.forget();
}

/// Hands a request to the runner.
pub(crate) fn ask(
    page: Page,
    asked: &JsValue,
    waiting: (Function, Function),
) -> Result<(), JsValue> {
    let get = |name: &str| Reflect::get(asked, &name.into());
    let model: Uint8Array = get("model")?.dyn_into()?;
    let model = Blob::new_with_u8_array_sequence(&Array::of1(&model))?;
    let machine = match get("machine")?.as_string().as_deref() {
        Some("cpu") => MachineKind::Cpu,
        _ => MachineKind::Gpu,
    };
    let strategy = get("strategy")?.as_string();
    let strategy = strategy.and_then(|name| {
        let mut all = Strategy::ALL.into_iter();
        all.find(|strategy| strategy.name() == name)
    });
    let mut inputs = Vec::new();
    for input in Array::from(&get("inputs")?) {
        inputs.push(feed(&input)?);
    }
    let execution = Execution {
        machine,
        bindings: Bindings::new(),
        settings: Settings {
            passes: passes::parse(if get("fuse")?.is_truthy() {
                "fusion=activations"
            } else {
                ""
            })
            .unwrap_or_default(),
            ..Settings::default()
        },
        strategy: strategy.unwrap_or(Strategy::OffsetsBySize),
        inputs,
        seed: 1,
        runs: get("runs")?.as_f64().map_or(1, whole),
    };
    let id = NEXT.get();
    NEXT.set(id.checked_add(1).unwrap_or(FIRST));
    WAITING.with_borrow_mut(|all| all.insert(id, waiting));
    let request = Request::Execute { id, execution };
    if let Some(runner) = page.driver().runner.borrow().as_ref() {
        runner.ask(&request, &[model]);
    }
    Ok(())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number that is out of range becomes the nearest that is not"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

/// The elements of a typed array.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a typed array's bytes are counted below 2^32 here"
)]
fn feed(input: &JsValue) -> Result<Feed, JsValue> {
    if input.is_null() || input.is_undefined() {
        return Ok(Feed::Seeded);
    }
    let get = |name: &str| Reflect::get(input, &name.into());
    let buffer: ArrayBuffer = get("buffer")?.dyn_into()?;
    let number = |name: &str| Some(get(name).ok()?.as_f64()? as u32);
    let (start, len) = (number("byteOffset"), number("byteLength"));
    let part = Uint8Array::new_with_byte_offset_and_length(
        &buffer,
        start.unwrap_or_default(),
        len.unwrap_or_default(),
    );
    Ok(Feed::Elements(part.to_vec()))
}

/// Takes a reply to a question of this hook; gives any other back.
pub(crate) fn received(reply: Reply) -> Option<Reply> {
    let (id, answer) = match reply {
        Reply::Outputs {
            id,
            outputs,
            times,
            ledger,
        } if id >= FIRST => (id, Ok(shown(&outputs, &times, &ledger))),
        Reply::Failed { id, failure } if id >= FIRST => (id, Err(failure.to_string())),
        other => return Some(other),
    };
    let waiting = WAITING.with_borrow_mut(|all| all.remove(&id));
    if let Some((resolve, reject)) = waiting {
        let _ = match answer {
            Ok(outputs) => resolve.call1(&JsValue::NULL, &outputs),
            Err(why) => reject.call1(&JsValue::NULL, &js_sys::Error::new(&why)),
        };
    }
    None
}

/// Notifies all that wait that the runner has died.
pub(crate) fn died(words: &str) {
    for (_, (_, reject)) in WAITING.with_borrow_mut(std::mem::take) {
        let _ = reject.call1(&JsValue::NULL, &js_sys::Error::new(words));
    }
}

/// `[{ name, dtype, dims, bytes }]`, with `times` and `ledger`.
fn shown(outputs: &[Output], times: &[f64], ledger: &[Entry]) -> JsValue {
    let shown = outputs.iter().map(|output| {
        let words = output.words.iter();
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let bytes = bytes.get(..output.bytes()).unwrap_or(&bytes);
        let dims = output.dims.iter();
        #[expect(
            clippy::cast_precision_loss,
            reason = "dimensions of a run are below 2^32"
        )]
        let dims: Array = dims.map(|&dim| JsValue::from(dim as f64)).collect();
        let parts: [(&str, JsValue); 4] = [
            ("name", output.name.as_str().into()),
            ("dtype", output.dtype.name().into()),
            ("dims", dims.into()),
            ("bytes", Uint8Array::from(bytes).into()),
        ];
        object(parts)
    });
    let shown: Array = shown.collect();
    let times: Array = times.iter().map(|&time| JsValue::from(time)).collect();
    #[expect(clippy::cast_precision_loss, reason = "a buffer is below 2^53 bytes")]
    let ledger = ledger.iter().map(|entry| {
        object([
            ("label", entry.label.to_string().into()),
            ("bytes", (entry.bytes.0 as f64).into()),
        ])
    });
    let ledger: Array = ledger.collect();
    set(&shown, [("times", times.into()), ("ledger", ledger.into())]);
    shown.into()
}

fn object<const N: usize>(parts: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    set(&object, parts);
    object
}

fn set<const N: usize>(object: &Object, parts: [(&str, JsValue); N]) {
    for (name, value) in parts {
        // An object of ours takes any property.
        let _ = Reflect::set(object, &name.into(), &value);
    }
}
