//! The elements of tensors: outputs and whatever else a step makes.

use std::sync::Arc;

use crate::browser::files::download;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use conversation::{Action, RunAction, Values};
use leptos::html::Input;
use leptos::prelude::*;
use planner::graph::{DType, Graph, TensorId};
use runner::Output;
use runner::values::{self, Number, Statistics};
use web_sys::{Blob, DragEvent, Event};

use super::trouble::sentence;
use super::value_views::{Look, shown};
use super::{machine, name};
use crate::browser::feeds::bytes_of;
use crate::format;
use crate::strings::{ValueWord as Word, filled};
use crate::text::fault::said;

/// So many names are suggested.
const SUGGESTED: usize = 5000;

/// What was found of a file that was compared.
type Notes = RwSignal<Vec<(String, String)>>;

/// Where labels are kept, and why there are none.
type Labelled = (RwSignal<Vec<String>>, RwSignal<String>);

/// What is shown beside the elements.
type Beside = (RwSignal<Vec<String>>, RwSignal<String>, Notes);

/// Files of labels end so.
const LABELS: [&str; 3] = [".txt", ".labels", ".names"];

#[component]
pub(super) fn ValuesView() -> impl IntoView {
    let session = session();
    let labels = RwSignal::new(Vec::<String>::new());
    let notes: Notes = RwSignal::new(Vec::new());
    let problem = RwSignal::new(String::new());
    let field = NodeRef::<Input>::new();
    let ask = move |tensors: Vec<TensorId>| {
        notes.set(Vec::new());
        act(session, Action::Run(RunAction::Values(tensors)));
    };
    let outputs = move |_| {
        problem.set(String::new());
        let found = with_graph(session, |graph| graph.outputs.clone());
        ask(found.unwrap_or_default());
    };
    let show = move |_| {
        let wanted = field.get_untracked().map(|field| field.value());
        let wanted = wanted.unwrap_or_default();
        let found = with_graph(session, |graph| {
            made(graph).find(|id| graph.tensor(*id).name == wanted)
        });
        match found.flatten() {
            Some(id) => {
                problem.set(String::new());
                ask(vec![id]);
            }
            None => problem.set(filled(session.say(Word::Unknown), &[&wanted])),
        }
    };
    let busy = move || session.runs.going.with(Option::is_some);
    view! {
        <section class="values" aria-label=move || session.say(Word::Title)>
            <h3>{move || session.say(Word::Title)}</h3>
            <div class="controls">
                <button
                    id="values-outputs" title=move || session.say(Word::OutputsHint)
                    disabled=busy on:click=outputs
                >
                    {move || session.say(Word::Outputs)}
                </button>
                <label>
                    {move || session.say(Word::Tensor)} " "
                    <input id="values-tensor" type="search" list="values-names" node_ref=field autocomplete="off"/>
                </label>
                <datalist id="values-names">{move || names(session)}</datalist>
                <button
                    id="values-show" title=move || session.say(Word::ShowHint)
                    disabled=busy on:click=show
                >
                    {move || session.say(Word::Show)}
                </button>
                {move || label_button(session, (labels, problem))}
            </div>
            <p class="misfit" role="status">{move || problem.get()}</p>
            {move || {
                let values = session.runs.values.get()?;
                Some(found(session, &values, (labels, problem, notes)))
            }}
        </section>
    }
}

/// What the field for a tensor suggests.
fn names(session: Session) -> impl IntoView {
    session.prepared.track();
    let names = with_graph(session, |graph| {
        let names = made(graph).map(|id| graph.tensor(id).name.clone());
        names.take(SUGGESTED).collect::<Vec<String>>()
    });
    let options = names.unwrap_or_default().into_iter();
    options
        .map(|name| view! { <option value=name></option> })
        .collect_view()
}

fn label_button(session: Session, to: Labelled) -> impl IntoView {
    let words = (Word::Labels, Word::LabelsHint);
    file_button(session, "labels", words, move |name, blob| {
        wasm_bindgen_futures::spawn_local(label(session, to, name, blob));
    })
}

/// Takes a file of labels, one a line.
async fn label(session: Session, (labels, problem): Labelled, name: String, blob: Blob) {
    let bytes = bytes_of(&blob).await.unwrap_or_default();
    match String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
    {
        Some(text) => {
            problem.set(String::new());
            labels.set(text.lines().map(|line| line.trim().to_owned()).collect());
        }
        None => problem.set(filled(
            session.say(Word::Misfit),
            &[&name, session.say(Word::NoText)],
        )),
    }
}

/// The tensors that operators make, in the order of the graph.
fn made(graph: &Graph) -> impl Iterator<Item = TensorId> + '_ {
    graph
        .ops
        .iter()
        .flat_map(|op| op.outputs.iter().flatten().copied())
}

fn with_graph<T>(session: Session, look: impl FnOnce(&Graph) -> T) -> Option<T> {
    let prepared = session.prepared.get_untracked()?;
    Some(look(&prepared.subject.program.as_ref()?.graph))
}

/// A button that asks for a file.
fn file_button(
    session: Session,
    id: &'static str,
    (text, hint): (Word, Word),
    take: impl Fn(String, Blob) + 'static,
) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let chosen = move |_: Event| {
        let Some(field) = field.get_untracked() else {
            return;
        };
        if let Some(file) = field.files().and_then(|files| files.get(0)) {
            take(file.name(), file.into());
        }
        // So that the same file can be chosen again after it has changed.
        field.set_value("");
    };
    let choose = move |_| {
        if let Some(field) = field.get_untracked() {
            field.click();
        }
    };
    view! {
        <input type="file" node_ref=field hidden data-values=id on:change=chosen/>
        <button title=session.say(hint) on:click=choose>{session.say(text)}</button>
    }
}

fn found(session: Session, values: &Arc<Values>, given: Beside) -> AnyView {
    let of = filled(
        session.say(Word::Of),
        &[
            &name(session, values.key),
            machine(session, values.machine),
            &values.seed.to_string(),
        ],
    );
    let outputs = match &values.outputs {
        Ok(outputs) => {
            let one = |place: usize| output(session, Arc::clone(values), place, given);
            let known = unmade(session, &values.tensors, outputs).map(|names| {
                let says = filled(session.say(Word::NoneMade), &[&names]);
                view! { <p>{says}</p> }
            });
            let all = (0..outputs.len()).map(one).collect_view();
            view! { {known} {all} }.into_any()
        }
        Err(trouble) => view! { <p class="misfit">{sentence(session, trouble)}</p> }.into_any(),
    };
    view! { <p class="size">{of}</p> {outputs} }.into_any()
}

/// The names of the tensors that were asked for and that no step makes, if there are any.
fn unmade(session: Session, asked: &[TensorId], outputs: &[Output]) -> Option<String> {
    let names = with_graph(session, |graph| {
        let names = asked.iter().map(|&id| graph.tensor(id).name.clone());
        let unmade = names.filter(|name| outputs.iter().all(|output| output.name != *name));
        unmade.collect::<Vec<String>>().join(", ")
    });
    names.filter(|names| !names.is_empty())
}

fn output(
    session: Session,
    values: Arc<Values>,
    place: usize,
    (labels, problem, notes): Beside,
) -> AnyView {
    let all = match &values.outputs {
        Ok(outputs) => outputs.get(place).cloned(),
        Err(_) => None,
    };
    let Some(output) = all.map(Arc::new) else {
        return ().into_any();
    };
    let numbers = Arc::new(values::numbers(&output));
    let figures = values::statistics(&numbers);
    let title = format!("{} {}", format::dims(&output.dims), output.dtype.name());
    let look = RwSignal::new(Look::Numbers);
    let plane = RwSignal::new(0_u64);
    let own = output.name.clone();
    let said = move || {
        let notes = notes.get().into_iter().filter(|(name, _)| *name == own);
        notes
            .map(|(_, said)| view! { <p role="status">{said}</p> })
            .collect_view()
    };
    let (five, looked) = (Arc::clone(&numbers), Arc::clone(&numbers));
    let (looked_at, held) = (Arc::clone(&output), Arc::clone(&output));
    let dropped = move |event: DragEvent| {
        let file = event.data_transfer().and_then(|data| data.files()?.get(0));
        let Some(file) = file else { return };
        let (name, labelled) = (file.name(), (labels, problem));
        if LABELS.iter().any(|end| name.ends_with(end)) {
            wasm_bindgen_futures::spawn_local(label(session, labelled, name, file.into()));
        } else if name.ends_with(".npy") {
            compare(session, &held, (name, file.into()), notes);
        } else {
            return;
        }
        // The page around would open it as a model.
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <article class="value" data-tensor=output.name.clone() on:drop=dropped>
            <h4>{output.name.clone()} " " <span class="size">{title}</span></h4>
            <p class="size">{facts(session, &output, figures)}</p>
            <div class="controls">
                {looks(session, &output, (look, plane))}
                {files(session, &output, notes)}
            </div>
            {said}
            {move || shown(session, &looked_at, &looked, (look.get(), plane.get()))}
            {move || top(session, &five, &labels.get())}
        </article>
    }
    .into_any()
}

/// What the tensor is looked at as, and which plane of it.
fn looks(
    session: Session,
    output: &Output,
    (look, plane): (RwSignal<Look>, RwSignal<u64>),
) -> impl IntoView + use<> {
    let kinds = Look::of(output).map(|kind| {
        let word = kind.word();
        view! {
            <button
                aria-pressed=move || (look.get() == kind).to_string()
                data-look=kind.id() on:click=move |_| look.set(kind)
            >
                {session.say(word)}
            </button>
        }
    });
    let (planes, _) = values::planes(&output.dims);
    let last = planes.saturating_sub(1);
    let turn = move |event: Event| {
        let text = event_target_value(&event);
        plane.set(text.parse::<u64>().unwrap_or(0).min(last));
    };
    view! {
        {kinds.collect_view()}
        <label hidden=move || planes < 2 || !matches!(look.get(), Look::Numbers | Look::Map)>
            {session.say(Word::Plane)} " "
            <input type="number" min="0" max=last.to_string() value="0" on:change=turn/>
            " " {filled(session.say(Word::PlaneOf), &[&planes.to_string()])}
        </label>
    }
}

/// Ways to keep the tensor and to hold it against a file.
fn files(session: Session, output: &Arc<Output>, notes: Notes) -> impl IntoView + use<> {
    let saved = Arc::clone(output);
    let save = move |_| {
        let kept = |sign: char| sign.is_alphanumeric() || "-_.".contains(sign);
        let safe = |sign: char| if kept(sign) { sign } else { '_' };
        let name: String = saved.name.chars().map(safe).collect();
        let file = values::npy(&saved);
        download(&format!("{name}.npy"), "application/octet-stream", &file);
    };
    let compared = Arc::clone(output);
    let words = (Word::Compare, Word::Compare);
    let compare = file_button(session, "expected", words, move |file, blob| {
        compare(session, &compared, (file, blob), notes);
    });
    view! {
        <button data-values="save" on:click=save>{session.say(Word::Save)}</button>
        {compare}
    }
}

/// Notes how far the tensor is from a file.
fn compare(session: Session, output: &Arc<Output>, (file, blob): (String, Blob), notes: Notes) {
    let output = Arc::clone(output);
    wasm_bindgen_futures::spawn_local(async move {
        let said = comparison(session, &output, &file, &blob).await;
        notes.update(|notes| notes.push((output.name.clone(), said)));
    });
}

fn facts(session: Session, output: &Output, figures: Statistics) -> String {
    let Statistics {
        least,
        largest,
        mean,
        deviation,
        ..
    } = figures;
    let all = [least, largest, mean, deviation].map(Number::Float);
    let [mut least, mut largest, mean, deviation] = all.map(|it| it.to_string());
    if let Some(all) = values::integers(output) {
        let ends = [all.iter().min(), all.iter().max()];
        [least, largest] = ends.map(|it| it.map_or_else(String::new, ToString::to_string));
    }
    let (count, zeros) = (
        format::grouped(figures.count),
        format::grouped(figures.zeros),
    );
    if figures.count == 0 {
        return session.say(Word::NoElements).to_owned();
    }
    if figures.odd == figures.count {
        return filled(session.say(Word::NoneFinite), &[&count]);
    }
    let figures_of = [&*count, &*least, &*largest, &*mean, &*deviation, &*zeros];
    let mut text = filled(session.say(Word::Facts), &figures_of);
    if figures.odd > 0 {
        let odd = format::grouped(figures.odd);
        text.push_str(&filled(session.say(Word::NotFinite), &[&odd]));
    }
    text
}

/// What a comparison with a file says.
async fn comparison(session: Session, output: &Output, file: &str, blob: &Blob) -> String {
    let bytes = bytes_of(blob).await;
    let found =
        bytes.and_then(|bytes| values::compared(output, &bytes).map_err(|error| error.message()));
    let found = match found {
        Ok(found) => found,
        Err(why) => return filled(session.say(Word::Misfit), &[file, &said(session, &why)]),
    };
    if found.differing == 0 {
        return filled(session.say(Word::Equal), &[file]);
    }
    let Some((place, is, expected)) = &found.place else {
        return filled(
            session.say(Word::Signs),
            &[file, &format::grouped(found.differing)],
        );
    };
    let place: Vec<String> = place.iter().map(ToString::to_string).collect();
    let (place, is, expected) = (place.join(", "), is.to_string(), expected.to_string());
    let (differing, beyond) = (
        format::grouped(found.differing),
        format::grouped(found.beyond),
    );
    let mut text = match found.largest {
        Number::Whole(largest) => filled(
            session.say(Word::ComparedWhole),
            &[
                file,
                &largest.to_string(),
                &place,
                &expected,
                &is,
                &differing,
            ],
        ),
        Number::Float(largest) => filled(
            session.say(Word::Compared),
            &[
                file,
                &format!("{largest:.3e}"),
                &place,
                &expected,
                &is,
                &differing,
                &beyond,
                match output.dtype {
                    DType::F16 => "2⁻¹⁰ (float16)",
                    DType::BF16 => "2⁻⁷ (bfloat16)",
                    _ => "1e-4",
                },
            ],
        ),
    };
    if let Some(rounding) = output.rounding {
        let most = match found.largest {
            Number::Whole(_) => format!("{rounding:.0}"),
            Number::Float(_) => format!("{rounding:.3e}"),
        };
        text.push_str(&filled(session.say(Word::Rounding), &[&most]));
    }
    if found.unlike > 0 {
        text.push_str(&filled(
            session.say(Word::Unlike),
            &[&format::grouped(found.unlike)],
        ));
    }
    text
}

/// The five largest elements with their labels, where there are labels.
fn top(session: Session, numbers: &[f64], labels: &[String]) -> Option<AnyView> {
    if labels.is_empty() {
        return None;
    }
    let rows = values::top(numbers, 5).into_iter().map(|index| {
        let label = labels.get(index).cloned().unwrap_or_default();
        view! { <li>{format!("{index} {label}: {:.4}", numbers[index])}</li> }
    });
    Some(
        view! {
            <h4>{session.say(Word::Top)}</h4>
            <ol class="top">{rows.collect_view()}</ol>
        }
        .into_any(),
    )
}

/// A count as a coordinate.
pub(super) fn wide(count: u64) -> f64 {
    to_f64(count)
}
