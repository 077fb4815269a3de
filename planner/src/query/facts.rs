//! What is known of every buffer as text, each text once, ready to be searched.

use std::collections::BTreeMap;

use super::Field;
use super::model::Model;
use super::pattern::fold;
use super::stacks::StackFacts;
use crate::deployed::{Hold, IrValue, Note, Scope, Stacks, shape_word};
use crate::graph::Tensor;
use crate::liveness::Lifetimes;
use crate::program::Program;
use crate::units::{Step, narrow};
use crate::waste::{Waste, WasteKind};

/// Where facts come from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The buffers.
    pub lifetimes: &'a Lifetimes,
    /// The model, if there is one.
    pub program: Option<&'a Program>,
    /// What the file says of each buffer, in the buffers' order, or nothing.
    pub notes: &'a [Note],
    /// What the program said that it was about, and when.
    pub scopes: &'a [Scope],
    /// The stacks that [`Note::stack`] leads to.
    pub stacks: &'a Stacks,
    /// The step whose live bytes set the lower bound.
    pub peak: Step,
    /// The parts of the arena, where they were found.
    pub waste: Option<&'a Waste>,
}

/// What is known of every buffer as text, beside what its lifetimes and a plan say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub(super) names: Column,
    pub(super) aliases: Column,
    pub(super) roles: Column,
    pub(super) ops: Column,
    pub(super) sources: Column,
    pub(super) computations: Column,
    pub(super) dtypes: Column,
    pub(super) shapes: Column,
    pub(super) producers: Column,
    pub(super) consumers: Column,
    pub(super) stacks: StackFacts,
    pub(super) held: Column,
    pub(super) waste: Column,
    /// Names of the steps.
    pub(super) steps: Column,
    /// See [`Sources::peak`].
    pub(super) peak: Step,
    /// The last step; `None` where there is none.
    pub(super) last: Option<u64>,
}

/// The texts of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    /// Every text, in order of first use.
    pub(super) texts: Vec<Text>,
    /// Indices into `texts`, row after row.
    ids: Vec<u32>,
    /// Where each row of `ids` begins, and where the last one ends.
    starts: Vec<usize>,
    /// The row of each buffer; the buffer's own index where it is empty.
    rows: Vec<u32>,
}

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) shown: String,
    pub(super) folded: String,
}

/// A column that is being filled. Not generic, for columns come from many kinds of iterators.
struct Filling<'a> {
    column: Column,
    known: BTreeMap<&'a str, u32>,
    fold: Fold,
}

/// Makes what is searched of a text; nothing of texts that are only shown.
type Fold = fn(&str) -> String;

impl<'a> Filling<'a> {
    fn new(fold: Fold) -> Self {
        Self {
            column: Column {
                starts: vec![0],
                ..Column::default()
            },
            known: BTreeMap::new(),
            fold,
        }
    }

    /// Another text of the row, unless it is empty or there already.
    #[inline(never)]
    fn push(&mut self, text: &'a str) {
        if text.is_empty() {
            return;
        }
        let column = &mut self.column;
        let next = narrow(column.texts.len());
        let id = *self.known.entry(text).or_insert(next);
        if id == next {
            column.texts.push(Text {
                shown: text.to_owned(),
                folded: (self.fold)(text),
            });
        }
        let from = column.starts.last().copied().unwrap_or_default();
        let row = column.ids.get(from..).unwrap_or_default();
        if !row.contains(&id) {
            column.ids.push(id);
        }
    }

    /// The same, if there is one.
    fn say(&mut self, text: Option<&'a str>) {
        self.push(text.unwrap_or_default());
    }

    fn all(&mut self, texts: &mut dyn Iterator<Item = &'a String>) {
        for text in texts {
            self.push(text);
        }
    }

    #[inline(never)]
    fn end_row(&mut self) {
        self.column.starts.push(self.column.ids.len());
    }
}

impl Column {
    /// A column of these rows, one per buffer unless `rows` says which.
    pub(super) fn new<'a, R: IntoIterator<Item = &'a str>>(
        table: impl IntoIterator<Item = R>,
        rows: Vec<u32>,
    ) -> Self {
        let mut filling = Filling::new(fold);
        for row in table {
            for text in row {
                filling.push(text);
            }
            filling.end_row();
        }
        Self {
            rows,
            ..filling.column
        }
    }

    /// A column of so many rows, each filled by its index. Not generic: the first picture has one
    /// for every field.
    #[inline(never)]
    fn of<'a>((count, fold): (usize, Fold), fill: &dyn Fn(usize, &mut Filling<'a>)) -> Self {
        let mut filling = Filling::new(fold);
        for index in 0..count {
            fill(index, &mut filling);
            filling.end_row();
        }
        filling.column
    }

    /// A column in which every buffer has one text of its own, so that none is looked up.
    fn each<'a>(texts: impl IntoIterator<Item = &'a str>, fold: Fold) -> Self {
        let texts = texts.into_iter().map(|text| Text {
            shown: text.to_owned(),
            folded: fold(text),
        });
        let texts: Vec<Text> = texts.collect();
        let count = narrow(texts.len());
        Self {
            ids: (0..count).collect(),
            starts: (0..=texts.len()).collect(),
            texts,
            rows: Vec::new(),
        }
    }

    /// How many rows there are, of a column without shared ones.
    pub(super) fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The texts of a buffer, as indices.
    pub(super) fn texts_of(&self, buffer: usize) -> &[u32] {
        let row = self.rows.get(buffer).map_or(buffer, |&row| row as usize);
        let from = self.starts.get(row).copied().unwrap_or_default();
        let to = self.starts.get(row + 1).copied().unwrap_or(from);
        self.ids.get(from..to).unwrap_or_default()
    }
}

impl Facts {
    /// Gathers them: linear in what there is to know, but for sorting texts.
    #[must_use]
    pub fn new(sources: Sources<'_>) -> Self {
        let mut made = made(sources.waste, sources.lifetimes.buffers.len());
        Self {
            stacks: StackFacts::new(&sources),
            waste: Column::new(made.drain(..), Vec::new()),
            ..Self::gathered(sources, fold)
        }
    }

    /// The same without what stacks and the parts of the arena say, and not to be searched: what
    /// the first picture needs.
    #[must_use]
    pub fn at_once(sources: Sources<'_>) -> Self {
        Self::gathered(sources, |_| String::new())
    }

    fn gathered(sources: Sources<'_>, fold: Fold) -> Self {
        let Sources {
            lifetimes,
            program,
            notes,
            ..
        } = sources;
        let rows = (lifetimes.buffers.len(), fold);
        let note = |index: usize| notes.get(index);
        let names = step_names(lifetimes, program);
        let step = |step: Step| {
            let index = usize::try_from(step.0).ok();
            index.and_then(|index| names.get(index)).map(String::as_str)
        };
        let model = program.map(|program| Model::new(program, lifetimes));
        let model = model.as_ref();
        let values = Values { model, notes, rows };
        Self {
            names: Column::each(lifetimes.buffers.iter().map(|it| it.name.as_str()), fold),
            aliases: Column::of(rows, &|index, row| {
                let noted = note(index).into_iter().flat_map(|it| &it.aliases);
                row.all(&mut noted.chain(view_names(lifetimes, index)));
            }),
            roles: Column::of(rows, &|index, row| {
                let role = model.and_then(|it| it.role(index));
                row.say(role.or_else(|| Some(note(index)?.role.as_str())));
            }),
            ops: Column::of(rows, &|index, row| {
                let op = model.and_then(|it| it.op(index));
                let kind = op.map(|op| op.kind.as_str());
                row.say(kind.or_else(|| Some(note(index)?.op.as_str())));
            }),
            sources: values.column(|it| &it.source),
            computations: values.column(|it| &it.computation),
            dtypes: values.dtypes(),
            shapes: values.shapes(),
            producers: Column::of(rows, &|index, row| {
                row.say(match model {
                    Some(model) => model.op(index).map(|op| op.name.as_str()),
                    None => step(lifetimes.buffers[index].span.start),
                });
            }),
            consumers: Column::of(rows, &|index, row| match model {
                Some(model) => model.readers(index).iter().for_each(|it| row.push(it)),
                None => {
                    let uses = note(index).into_iter().flat_map(|note| &note.uses);
                    uses.for_each(|&at| row.say(step(at)));
                }
            }),
            held: Column::of(rows, &|index, row| {
                let held = note(index).and_then(|it| it.held);
                row.say(held.map(|it| hold(it.why)));
            }),
            steps: Column::of((names.len(), fold), &|index, row| row.push(&names[index])),
            peak: sources.peak,
            last: lifetimes.horizon.0.checked_sub(1),
            ..Self::default()
        }
    }

    /// The column of a text field; `None` for numbers, and for pools, which a plan chooses.
    pub(super) fn column(&self, field: Field) -> Option<&Column> {
        Some(match field {
            Field::Name => &self.names,
            Field::Alias => &self.aliases,
            Field::Role => &self.roles,
            Field::Op => &self.ops,
            Field::Source => &self.sources,
            Field::Computation => &self.computations,
            Field::Dtype => &self.dtypes,
            Field::Shape => &self.shapes,
            Field::Producer => &self.producers,
            Field::Consumer => &self.consumers,
            Field::Caller => &self.stacks.callers,
            Field::Module => &self.stacks.modules,
            Field::Phase => &self.stacks.phases,
            Field::Category => &self.stacks.categories,
            Field::Stream => &self.stacks.streams,
            Field::Frame => &self.stacks.frames,
            Field::Function => &self.stacks.functions,
            Field::File => &self.stacks.files,
            Field::Held => &self.held,
            Field::Waste => &self.waste,
            _ => return None,
        })
    }

    /// Everything that a text field says of a buffer.
    pub fn all(&self, field: Field, buffer: usize) -> impl Iterator<Item = &str> {
        let columns = self.column(field).into_iter();
        columns.flat_map(move |column| {
            let texts = column.texts_of(buffer).iter();
            let texts = texts.filter_map(|&id| column.texts.get(id as usize));
            texts.map(|text| text.shown.as_str())
        })
    }

    /// What a text field says first of a buffer; empty where it says nothing.
    #[must_use]
    pub fn first(&self, field: Field, buffer: usize) -> &str {
        self.all(field, buffer).next().unwrap_or_default()
    }

    /// How many buffers there are.
    pub(super) fn buffers(&self) -> usize {
        self.names.rows()
    }

    /// How many buffers have the same first text in a text field, by text in order of first
    /// use; some may have none.
    #[must_use]
    pub fn kinds(&self, field: Field) -> Vec<usize> {
        let Some(column) = self.column(field) else {
            return Vec::new();
        };
        let mut counts = vec![0; column.texts.len()];
        for buffer in 0..self.buffers() {
            let first = column.texts_of(buffer).first();
            if let Some(count) = first.and_then(|&text| counts.get_mut(text as usize)) {
                *count += 1;
            }
        }
        counts.retain(|count| *count > 0);
        counts
    }

    /// Whether a text field says anything of any buffer.
    #[must_use]
    pub fn knows(&self, field: Field) -> bool {
        self.column(field)
            .is_some_and(|column| !column.texts.is_empty())
    }
}

/// The values in the buffers, as the model or the file describes them.
struct Values<'a> {
    model: Option<&'a Model<'a>>,
    notes: &'a [Note],
    rows: (usize, Fold),
}

impl<'a> Values<'a> {
    fn noted(&self, buffer: usize) -> Option<&'a IrValue> {
        self.notes.get(buffer)?.value.as_deref()
    }

    fn tensor(&self, buffer: usize) -> Option<&'a Tensor> {
        self.model.and_then(|model| model.tensor(buffer))
    }

    fn column(&self, read: fn(&IrValue) -> &str) -> Column {
        Column::of(self.rows, &|buffer, row| {
            row.say(self.noted(buffer).map(read));
        })
    }

    fn dtypes(&self) -> Column {
        Column::of(self.rows, &|buffer, row| {
            row.say(match self.tensor(buffer) {
                Some(tensor) => Some(tensor.dtype.name()),
                None => self.noted(buffer).map(|it| it.dtype.as_str()),
            });
        })
    }

    fn shapes(&self) -> Column {
        let word = |buffer: usize| {
            let dims = match self.tensor(buffer) {
                Some(tensor) => tensor.dims.as_ref(),
                None => self.noted(buffer)?.shape.as_ref(),
            };
            dims.map(|dims| shape_word(dims))
        };
        let words: Vec<Option<String>> = (0..self.rows.0).map(word).collect();
        Column::of(self.rows, &|buffer, row| row.say(words[buffer].as_deref()))
    }
}

/// Names of the tensors that are views of a buffer.
fn view_names(lifetimes: &Lifetimes, buffer: usize) -> impl Iterator<Item = &String> {
    let start = lifetimes.views.partition_point(|view| view.buffer < buffer);
    let views = lifetimes.views[start..].iter();
    let own = views.take_while(move |view| view.buffer == buffer);
    own.map(|view| &view.name)
}

/// Names of the steps, empty where they have none.
fn step_names(lifetimes: &Lifetimes, program: Option<&Program>) -> Vec<String> {
    match program {
        Some(program) if lifetimes.step_names.is_empty() => program.step_names(),
        _ => lifetimes.step_names.clone(),
    }
}

/// The parts that each buffer makes.
fn made(waste: Option<&Waste>, count: usize) -> Vec<Vec<&'static str>> {
    let mut made = vec![Vec::new(); count];
    for part in parts(waste) {
        for &buffer in &part.buffers {
            if let Some(made) = made.get_mut(buffer) {
                made.push(kind(part.kind));
            }
        }
    }
    made
}

/// The parts that buffers make, in the order in which they say most of a buffer: policy
/// before padding, and that it merely belongs to the peak last.
fn parts(waste: Option<&Waste>) -> impl Iterator<Item = &crate::waste::Part> {
    const ORDER: [WasteKind; 6] = [
        WasteKind::Pinned,
        WasteKind::WholeLife,
        WasteKind::Pending,
        WasteKind::Padding,
        WasteKind::Needed,
        WasteKind::Alignment,
    ];
    ORDER.into_iter().flat_map(move |kind| {
        let parts = waste.into_iter().flat_map(|waste| &waste.parts);
        parts.filter(move |part| part.kind == kind)
    })
}

fn hold(why: Hold) -> &'static str {
    match why {
        Hold::Pinned => "pinned",
        Hold::WholeLife => "whole-life",
        Hold::Pending => "pending",
    }
}

fn kind(kind: WasteKind) -> &'static str {
    match kind {
        WasteKind::Needed => "needed",
        WasteKind::Padding => "padding",
        WasteKind::Pinned => "pinned",
        WasteKind::WholeLife => "whole-life",
        WasteKind::Pending => "pending",
        WasteKind::Alignment => "alignment",
        WasteKind::Fragmentation => "fragmentation",
        WasteKind::Tail => "tail",
        WasteKind::NotListed => "not-listed",
        WasteKind::FreeSegments => "free-segments",
        WasteKind::FreeInside => "free-inside",
    }
}
