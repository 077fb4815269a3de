//! What can be opened, toolchain by toolchain, and how to get it.

use crate::state::session::{Session, session};
use leptos::prelude::*;

use crate::browser::files;
use crate::strings::HelpWord;

/// The exporter for LiteRT, which comes with the page.
const SCRIPT: &str = "litert_addresses.py";

/// A toolchain, what of it can be opened, and what to run for that.
type Source = (&'static str, &'static [(HelpWord, &'static [&'static str])]);

const SOURCES: [Source; 17] = [
    ("ONNX, TFLite", &[(HelpWord::Model, &[])]),
    (
        "Hugging Face, llama.cpp",
        &[(HelpWord::Described, &[]), (HelpWord::LlamaCpp, &[])],
    ),
    (
        "Requests (CSV)",
        &[(HelpWord::Requests, &["id,arrival,prompt,output"])],
    ),
    (
        "PyTorch",
        &[(
            HelpWord::Torch,
            &[
                "torch.cuda.memory._record_memory_history()",
                "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")",
            ],
        )],
    ),
    (
        "XLA",
        &[
            (
                HelpWord::Xla,
                &["XLA_FLAGS=\"--xla_dump_to=dump --xla_dump_hlo_as_text\" python3 train.py"],
            ),
            (
                HelpWord::XlaProto,
                &["XLA_FLAGS=\"--xla_dump_to=dump --xla_dump_hlo_as_proto\" python3 train.py"],
            ),
            (HelpWord::XlaOom, &[]),
        ],
    ),
    (
        "JAX",
        &[
            (
                HelpWord::Pprof,
                &["jax.profiler.save_device_memory_profile(\"memory.prof\")"],
            ),
            (HelpWord::Xplane, &[]),
        ],
    ),
    (
        "IREE",
        &[(
            HelpWord::Iree,
            &[
                "iree-compile model.mlir --iree-hal-target-backends=llvm-cpu \
               --compile-to=stream --mlir-disable-threading \
               --mlir-print-ir-before=iree-stream-layout-slices \
               --mlir-print-ir-after=iree-stream-layout-slices -o /dev/null 2> plan.ir.txt",
            ],
        )],
    ),
    ("ExecuTorch", &[(HelpWord::Executorch, &[])]),
    (
        "TFLite Micro",
        &[(HelpWord::Tflm, &["planner.PrintMemoryPlan();"])],
    ),
    (
        "LiteRT",
        &[(
            HelpWord::Litert,
            &[
                "pip install ai-edge-litert",
                "python3 litert_addresses.py model.tflite > plan.csv",
            ],
        )],
    ),
    (
        "Vela",
        &[(
            HelpWord::Vela,
            &["vela --verbose-allocation model.tflite > vela.log"],
        )],
    ),
    ("MegEngine", &[(HelpWord::Megengine, &[])]),
    ("ONNX Runtime, ExecuTorch", &[(HelpWord::Trace, &[])]),
    ("ONNX Runtime", &[(HelpWord::Profile, &[])]),
    ("TVM", &[(HelpWord::Tvm, &["lib.get_graph_json()"])]),
    ("gzip, zip, tar", &[(HelpWord::Packed, &[])]),
    ("CSV, JSON", &[(HelpWord::Others, &[])]),
];

/// The section of the help.
#[component]
pub(crate) fn Openable() -> impl IntoView {
    let session = session();
    let source = move |(toolchain, ways): Source| {
        let way = move |&(word, commands): &(HelpWord, &'static [&'static str])| {
            view! {
                <p>{move || session.say(word)}</p>
                {(word == HelpWord::Litert).then(|| view! {
                    <p>
                        <a href=format!("./public/{SCRIPT}") download=SCRIPT>
                            {move || session.say(HelpWord::LitertScript)}
                        </a>
                    </p>
                })}
                {commands.iter().map(|line| command(session, line)).collect_view()}
            }
        };
        view! {
            <dt>{toolchain}</dt>
            <dd>{ways.iter().map(way).collect_view()}</dd>
        }
    };
    view! {
        <h3 id="help-open">{move || session.say(HelpWord::OpenTitle)}</h3>
        <p class="hint">{move || session.say(HelpWord::OpenHint)}</p>
        <dl class="keys openable">{SOURCES.map(source).collect_view()}</dl>
    }
}

/// A line to run, and a button that copies it.
fn command(session: Session, line: &'static str) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        wasm_bindgen_futures::spawn_local(async move {
            copied.set(files::copy(line.to_owned()).await);
        });
    };
    let word = move || match copied.get() {
        true => HelpWord::Copied,
        false => HelpWord::Copy,
    };
    // Lines break between words, and not at their hyphens.
    let words = line
        .split(' ')
        .map(|word| view! { <span>{word}</span> " " });
    let words = words.collect_view();
    view! {
        <div class="command">
            <code>{words}</code>
            <button
                on:click=copy
                aria-label=move || format!("{}: {line}", session.say(word()))
            >
                {move || session.say(word())}
            </button>
        </div>
    }
}
