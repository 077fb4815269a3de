//! What is described: the model, and what it does.

use leptos::prelude::*;
use planner::generate::{AttentionForm, Execution, Mode, Norm, Positions};
use planner::graph::DType;
use planner::load::Described;

use super::numbers::{Number, PARTS, RUN, SHAPE, tokens};
use super::{Form, Wrong};
use crate::state::session::{Session, session};
use crate::strings::GenerateWord as W;

/// The model.
#[component]
pub(super) fn Shape(form: Form) -> impl IntoView {
    let session = session();
    view! {
        <fieldset>
            <legend>{move || session.say(W::Shape)}</legend>
            <div class="of-text" hidden=move || form.with(|it| it.transformer.patches.is_some())>
                {select(session, form, ("kind", W::Kind), kinds())}
                {select(session, form, ("positions", W::Positions), positions())}
            </div>
            {SHAPE.map(|field| number(session, form, field)).collect_view()}
            {select(session, form, ("norm", W::Norm), norms())}
            {PARTS.map(|field| number(session, form, field)).collect_view()}
            {check(session, form, W::Gated, |it| &mut it.transformer.feed_forward.gated)}
            {check(session, form, W::Tied, |it| &mut it.transformer.tied)}
            {check(session, form, W::Dropout, |it| &mut it.transformer.dropout)}
        </fieldset>
    }
}

/// A mode of so many tokens.
type OfTokens = fn(u64) -> Mode;

/// What it does.
#[component]
pub(super) fn Runs(form: Form, wanted: RwSignal<Execution>) -> impl IntoView {
    let session = session();
    // What is chosen here holds for what is described next, too.
    let keep =
        move |_| wanted.update(|wanted| *wanted = form.with_untracked(|it| kept(*wanted, it)));
    const MODES: [(&str, W, OfTokens); 3] = [
        ("forward", W::Forward, Mode::Forward),
        ("prefill", W::Prefill, Mode::Prefill),
        ("decode", W::Decode, Mode::Decode),
    ];
    const FORMS: [(&str, W, AttentionForm); 2] = [
        ("written", W::Written, AttentionForm::Written),
        ("fused", W::Fused, AttentionForm::Fused),
    ];
    let modes = MODES.map(|(name, word, make)| Choice {
        name,
        says: Says::Word(word),
        is: Box::new(move |form| form.execution.mode == make(tokens(form.execution.mode))),
        set: Box::new(move |form| form.execution.mode = make(tokens(form.execution.mode))),
    });
    let forms = FORMS.map(|(name, word, attention)| Choice {
        name,
        says: Says::Word(word),
        is: Box::new(move |form| form.execution.attention == attention),
        set: Box::new(move |form| form.execution.attention = attention),
    });
    view! {
        <fieldset on:input=keep on:change=keep>
            <legend>{move || session.say(W::Run)}</legend>
            {select(session, form, ("mode", W::Mode), modes.into())}
            {RUN.map(|field| number(session, form, field)).collect_view()}
            {select(session, form, ("attention", W::Attention), forms.into())}
            {select(session, form, ("weight-type", W::WeightType), types(|it| &mut it.execution.weights))}
            {select(session, form, ("activation-type", W::ActivationType), types(|it| &mut it.execution.activations))}
            {select(session, form, ("cache-type", W::CacheType), types(|it| &mut it.execution.cache))}
        </fieldset>
    }
}

/// How it is to run, once something of that was chosen: what the model at hand cannot do is not
/// forgotten for it.
fn kept(wanted: Execution, form: &Described) -> Execution {
    let (of, now) = (&form.transformer, form.execution);
    let cut = tokens(wanted.fitted(of).mode) == tokens(now.mode);
    let mode = if of.decoder { now.mode } else { wanted.mode };
    let most = if cut {
        tokens(wanted.mode)
    } else {
        tokens(now.mode)
    };
    Execution {
        mode: mode.of(most),
        ..now
    }
}

/// What one may choose.
struct Choice {
    name: &'static str,
    says: Says,
    is: Box<dyn Fn(&Described) -> bool + Send + Sync>,
    set: Box<dyn Fn(&mut Described) + Send + Sync>,
}

#[derive(Clone, Copy)]
enum Says {
    Word(W),
    Itself,
}

/// Each token sees those before it, or all.
fn kinds() -> Vec<Choice> {
    const KINDS: [(&str, W, bool); 2] = [
        ("decoder", W::Decoder, true),
        ("encoder", W::Encoder, false),
    ];
    let choice = |(name, word, decoder)| Choice {
        name,
        says: Says::Word(word),
        is: Box::new(move |form: &Described| form.transformer.decoder == decoder),
        set: Box::new(move |form: &mut Described| {
            form.transformer.decoder = decoder;
            form.execution = form.execution.fitted(&form.transformer);
        }),
    };
    KINDS.map(choice).into()
}

fn norms() -> Vec<Choice> {
    let choice = |(name, norm)| Choice {
        name,
        says: Says::Itself,
        is: Box::new(move |form: &Described| form.transformer.norm == norm),
        set: Box::new(move |form: &mut Described| form.transformer.norm = norm),
    };
    [("LayerNorm", Norm::Layer), ("RMSNorm", Norm::Rms)]
        .map(choice)
        .into()
}

/// Learned ones begin with as many places as tokens are read.
fn positions() -> Vec<Choice> {
    let rotary = Choice {
        name: "rotary",
        says: Says::Word(W::Rotary),
        is: Box::new(|form| form.transformer.positions == Positions::Rotary),
        set: Box::new(|form| form.transformer.positions = Positions::Rotary),
    };
    let learned = Choice {
        name: "learned",
        says: Says::Word(W::Learned),
        is: Box::new(|form| form.transformer.positions != Positions::Rotary),
        set: Box::new(|form| {
            form.transformer.positions = Positions::Learned(tokens(form.execution.mode));
        }),
    };
    vec![rotary, learned]
}

fn types(field: fn(&mut Described) -> &mut DType) -> Vec<Choice> {
    let types = ["f32", "f16", "bf16", "f8e4m3", "i8"].into_iter();
    let choice = |name| {
        let dtype = DType::named(name)?;
        Some(Choice {
            name,
            says: Says::Itself,
            is: Box::new(move |form| *field(&mut form.clone()) == dtype),
            set: Box::new(move |form| *field(form) = dtype),
        })
    };
    types.filter_map(choice).collect()
}

fn select(
    session: Session,
    form: Form,
    (id, word): (&'static str, W),
    choices: Vec<Choice>,
) -> impl IntoView {
    let choices = StoredValue::new(choices);
    let current = Memo::new(move |_| {
        form.with(|form| choices.with_value(|all| all.iter().position(|it| (it.is)(form))))
    });
    let pick = move |event| {
        let name = event_target_value(&event);
        choices.with_value(|all| {
            if let Some(choice) = all.iter().find(|it| it.name == name) {
                form.update(|form| (choice.set)(form));
            }
        });
    };
    let chosen = move || choices.with_value(|all| Some(all.get(current.get()?)?.name));
    let options = choices.with_value(|all| {
        let option = |(place, choice): (usize, &Choice)| {
            let (name, says) = (choice.name, choice.says);
            let text = move || match says {
                Says::Word(word) => session.say(word),
                Says::Itself => name,
            };
            view! { <option value=name selected=move || current.get() == Some(place)>{text}</option> }
        };
        all.iter().enumerate().map(option).collect_view()
    });
    view! {
        <label>
            <span>{move || session.say(word)}</span>
            <select id=format!("generate-{id}") prop:value=chosen on:change=pick>{options}</select>
        </label>
    }
}

fn number(session: Session, form: Form, field: Number) -> impl IntoView {
    let Number {
        id,
        word,
        hint,
        least,
        applies,
        get,
        set,
    } = field;
    let hidden = move || !form.with(applies);
    let id = format!("generate-{id}");
    let says = format!("{id}-hint");
    let value = move || form.with(get).to_string();
    let wrong = expect_context::<Wrong>();
    let field = StoredValue::new(id.clone());
    let change = move |event| {
        // The field keeps what is typed; what is no number changes nothing, and is marked.
        let typed = event_target_value(&event).trim().parse::<u64>().ok();
        let typed = typed.filter(|&number| number >= least);
        field.with_value(|id| wrong.set(id, typed.is_none()));
        if let Some(number) = typed {
            form.update(|form| set(form, number));
        }
    };
    // What is not seen stands in nobody's way.
    Effect::new(move |_| {
        if hidden() {
            field.with_value(|id| wrong.set(id, false));
        }
    });
    let marked = move || field.with_value(|id| wrong.of(id));
    view! {
        <label title=move || session.say(hint) hidden=hidden>
            <span>{move || session.say(word)}</span>
            <input type="number" id=id min=least.to_string() step="1" prop:value=value
                aria-invalid=marked aria-describedby=says.clone() on:input=change/>
        </label>
        <p class="hint" id=says hidden=hidden>{move || session.say(hint)}</p>
    }
}

fn check(
    session: Session,
    form: Form,
    word: W,
    field: fn(&mut Described) -> &mut bool,
) -> impl IntoView {
    let checked = move || form.with(|form| *field(&mut form.clone()));
    let toggle = move |_| form.update(|form| *field(form) = !*field(form));
    view! {
        <label class="check">
            <input type="checkbox" prop:checked=checked on:change=toggle/>
            <span>{move || session.say(word)}</span>
        </label>
    }
}
