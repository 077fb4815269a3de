//! Lines → graph: names become ids, and what contradicts another line is refused here.

use std::collections::{BTreeMap, BTreeSet};

use super::elements::{element_count, encoded, is_writable, natural};
use super::operators::default_type;
use super::parser::{Read, no_number};
use super::statement::{Literal, Name, Size, Statement, Target};
use super::{OPSET, base, fault, limit};
use crate::graph::infer::counted;
use crate::graph::{
    Content, DType, Dialect, Dim, Graph, Role, Symbol, SymbolId, Tensor, TensorId, Unsized,
    UnsizedReason, infer,
};
use crate::load::Warning;
use crate::message;
use crate::units::narrow;

/// The most dimensions of a tensor.
const MAX_RANK: usize = 64;
/// The most shapes that are warned of.
const MAX_WARNINGS: usize = 64;

/// A line's number and what it says.
pub(super) type Line<'t> = (usize, Statement<'t>);

/// Builds the graph.
///
/// # Errors
/// The first contradiction.
pub(super) fn assemble(lines: &[Line<'_>], base: Option<&Graph>) -> Read<(Graph, Vec<Warning>)> {
    let mut build = Build::default();
    build.head(lines)?;
    build.define(lines)?;
    for (line, statement) in lines {
        build.add(*line, statement)?;
    }
    let mut warnings = build.reorder()?;
    let mut graph = build.graph;
    if !graph.offline.is_empty() {
        graph.offline.resize(graph.tensors.len(), None);
    }
    if graph.dialect == Dialect::Tflite {
        size(&mut graph, &build.typed);
    }
    warnings.extend(shapes(&graph, &build.written));
    if let Some(base) = base {
        base::take(&mut graph, base);
        graph.others = base.others;
    }
    let counts = counted::symbols(&graph);
    graph.symbols.extend(counts);
    Ok((graph, warnings))
}

/// The graph so far, and what its names stand for.
#[derive(Default)]
pub(super) struct Build {
    pub(super) graph: Graph,
    pub(super) names: BTreeMap<String, TensorId>,
    symbols: BTreeMap<String, SymbolId>,
    /// Whether a line gives the element type, by tensor.
    typed: Vec<bool>,
    /// What operators write, with the line.
    pub(super) written: Vec<(usize, TensorId)>,
    /// The line of each operator.
    pub(super) lines: Vec<usize>,
    states: BTreeSet<String>,
    outputs: BTreeSet<TensorId>,
}

impl Build {
    /// What the others depend on: the dialect and the dimensions.
    fn head(&mut self, lines: &[Line<'_>]) -> Read<()> {
        self.graph.dialect = Dialect::Onnx { opset: OPSET };
        let (mut seen, mut symbols) = (Seen::default(), Seen::default());
        for (line, statement) in lines {
            match statement {
                Statement::Graph { name, dialect } => {
                    seen.once(*line, 1, "graph")?;
                    self.graph.name.clone_from(name);
                    self.graph.dialect = dialect.unwrap_or(self.graph.dialect);
                }
                Statement::Let(bindings) => {
                    for (name, default) in bindings {
                        symbols.once(*line, name.column, &name.text)?;
                        let next = narrow(self.graph.symbols.len());
                        self.symbols.insert(name.text.clone(), SymbolId(next));
                        self.graph.symbols.push(Symbol {
                            name: name.text.clone(),
                            default: *default,
                            at_most: false,
                        });
                    }
                }
                Statement::State(targets) => {
                    let names = targets.iter().map(|it| it.name.text.clone());
                    self.states.extend(names);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives an id to every tensor that a line defines: first those whose order is said.
    fn define(&mut self, lines: &[Line<'_>]) -> Read<()> {
        let mut seen = Seen::default();
        let mut defined = Vec::new();
        let mut ordered = Vec::new();
        for (line, statement) in lines {
            let targets: Vec<&Target> = match statement {
                Statement::Input(targets) | Statement::State(targets) => targets.iter().collect(),
                Statement::Const(target, _) => vec![target],
                Statement::Call(call) => {
                    let written = call.outputs.iter().flatten();
                    // A state is defined by its own line, and written as often as one likes.
                    let new = written.filter(|it| !self.states.contains(&it.name.text));
                    new.collect()
                }
                Statement::Order(names) => {
                    ordered.extend(names.iter().map(|name| name.text.as_str()));
                    continue;
                }
                Statement::Graph { .. } | Statement::Let(_) | Statement::Output(_) => continue,
            };
            for target in targets {
                let name = &target.name;
                seen.once(*line, name.column, &name.text)?;
                defined.push(name.text.as_str());
            }
        }
        let ordered = ordered
            .into_iter()
            .filter(|it| seen.lines.contains_key(*it));
        let ordered: Vec<&str> = ordered.collect();
        for name in ordered.into_iter().chain(defined) {
            if !self.names.contains_key(name) {
                self.push(name.to_owned());
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, name: String) -> TensorId {
        let id = TensorId::at(self.graph.tensors.len());
        self.names.insert(name.clone(), id);
        self.graph.tensors.push(Tensor::new(name, DType::Other));
        self.typed.push(false);
        id
    }

    fn add(&mut self, line: usize, statement: &Statement<'_>) -> Read<()> {
        match statement {
            Statement::Graph { .. } | Statement::Let(_) | Statement::Order(_) => {}
            Statement::Input(targets) => {
                for target in targets {
                    let id = self.source(line, target, Role::Input)?;
                    self.graph.inputs.push(id);
                }
            }
            Statement::State(targets) => {
                for target in targets {
                    self.source(line, target, Role::State)?;
                }
            }
            Statement::Const(target, elements) => self.constant(line, target, elements.as_ref())?,
            Statement::Call(call) => self.call(line, call)?,
            Statement::Output(names) => {
                for name in names {
                    let id = self.find(line, name)?;
                    if !self.outputs.insert(id) {
                        return Err(fault(
                            line,
                            name.column,
                            message!("listed twice among the outputs"),
                        ));
                    }
                    self.graph.outputs.push(id);
                    let tensor = &mut self.graph.tensors[id.index()];
                    if tensor.role == Role::Intermediate {
                        tensor.role = Role::Output;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn find(&self, line: usize, name: &Name) -> Read<TensorId> {
        self.names.get(&name.text).copied().ok_or_else(|| {
            let message = message!(
                "nothing defines \"{}\": write an input, a constant or an operator that does",
                name.text
            );
            fault(line, name.column, message)
        })
    }

    /// A tensor that needs a type, for no operator gives it.
    fn source(&mut self, line: usize, target: &Target, role: Role) -> Read<TensorId> {
        if target.kind.is_none() {
            let message = message!("it needs an element type and a shape, as in \"x: f32[1, 8]\"");
            return Err(fault(line, target.name.column, message));
        }
        let id = self.target(line, target)?;
        self.graph.tensors[id.index()].role = role;
        Ok(id)
    }

    /// Takes over what a line says of a tensor.
    pub(super) fn target(&mut self, line: usize, target: &Target) -> Read<TensorId> {
        let id = self.find(line, &target.name)?;
        if let Some((dtype, sizes)) = &target.kind {
            let declared = match sizes {
                Some(sizes) => Some(self.dims(line, target, sizes)?),
                None => None,
            };
            let tensor = &mut self.graph.tensors[id.index()];
            tensor.dtype = *dtype;
            if let Some((declared, dims)) = declared {
                tensor.declared = Some(declared);
                // Only TFLite's files have them.
                tensor.dims = dims.filter(|_| self.graph.dialect == Dialect::Tflite);
            }
            self.typed[id.index()] = true;
        }
        if let Some(quantization) = &target.quantization {
            let quantization = Some(Box::new(quantization.clone()));
            self.graph.tensors[id.index()].quantization = quantization;
        }
        if let Some(offset) = target.offset {
            let count = self.graph.tensors.len();
            self.graph.offline.resize(count, None);
            self.graph.offline[id.index()] = Some(offset);
        }
        Ok(id)
    }

    /// Declared dimensions, and those that the file has where every one has an example.
    fn dims(
        &self,
        line: usize,
        target: &Target,
        sizes: &[Size],
    ) -> Read<(Vec<Dim>, Option<Vec<u64>>)> {
        if sizes.len() > MAX_RANK {
            let message = message!("more than {} dimensions", MAX_RANK);
            return Err(limit(line, target.name.column, message));
        }
        let (mut declared, mut dims) = (Vec::new(), Some(Vec::new()));
        for size in sizes {
            let (dim, example) = match size {
                Size::Fixed(size) => (Dim::Fixed(*size), Some(*size)),
                Size::Unknown(example) => (Dim::Unknown, *example),
                Size::Symbol(name, most) => {
                    let id = self.symbols.get(&name.text).copied().ok_or_else(|| {
                        let message = message!(
                            "no dimension is called \"{}\": give its size, as in `let H = 224`",
                            name.text
                        );
                        fault(line, name.column, message)
                    })?;
                    let symbol = self.graph.symbols.get(id.0 as usize);
                    let default = symbol.map(|it| it.default);
                    match most {
                        Some(most) => (Dim::AtMost(id, *most), default.map(|it| it.min(*most))),
                        None => (Dim::Symbol(id), default),
                    }
                }
            };
            declared.push(dim);
            dims = dims.zip(example).map(|(mut dims, example)| {
                dims.push(example);
                dims
            });
        }
        Ok((declared, dims))
    }

    fn constant(
        &mut self,
        line: usize,
        target: &Target,
        elements: Option<&Literal<'_>>,
    ) -> Read<()> {
        let id = match elements {
            Some(_) => self.target(line, target)?,
            None => self.source(line, target, Role::Constant)?,
        };
        // Without brackets it is one element.
        if let Some((_, None)) = target.kind {
            self.declare(id, &[]);
        }
        self.elements(line, id, elements)
    }

    fn declare(&mut self, id: TensorId, dims: &[u64]) {
        let tensor = &mut self.graph.tensors[id.index()];
        tensor.declared = Some(dims.iter().copied().map(Dim::Fixed).collect());
        if self.graph.dialect == Dialect::Tflite {
            tensor.dims = Some(dims.to_vec());
        }
    }

    /// Makes a constant of a tensor; without a type it is that of its elements.
    pub(super) fn elements(
        &mut self,
        line: usize,
        id: TensorId,
        elements: Option<&Literal<'_>>,
    ) -> Read<()> {
        let Some(literal) = elements else {
            let tensor = &mut self.graph.tensors[id.index()];
            tensor.role = Role::Constant;
            tensor.content = Content::Stripped;
            return Ok(());
        };
        let count = literal.numbers.len() as u64;
        if !self.typed[id.index()] {
            let floats = literal.numbers.iter().any(|it| it.is_float());
            self.graph.tensors[id.index()].dtype = natural(self.graph.dialect, floats);
            self.typed[id.index()] = true;
            let dims = [count];
            self.declare(id, if literal.is_list { &dims[..] } else { &[] });
        }
        let tensor = &mut self.graph.tensors[id.index()];
        let room = tensor.declared.as_deref().and_then(element_count);
        if room != Some(count) {
            let message = message!("{} elements do not fill this shape", count);
            return Err(fault(line, literal.column, message));
        }
        let dtype = tensor.dtype;
        if !is_writable(dtype) {
            let message = message!(
                "elements of {} cannot be written: leave them out",
                dtype.name()
            );
            return Err(fault(line, literal.column, message));
        }
        let mut bytes = Vec::new();
        for number in &literal.numbers {
            let element = encoded(dtype, *number);
            bytes.extend(element.ok_or_else(|| no_number(line, *number))?);
        }
        tensor.role = Role::Constant;
        tensor.content = Content::Inline(bytes);
        Ok(())
    }
}

/// Which line says each thing.
#[derive(Default)]
struct Seen {
    lines: BTreeMap<String, usize>,
}

impl Seen {
    fn once(&mut self, line: usize, column: usize, what: &str) -> Read<()> {
        match self.lines.insert(what.to_owned(), line) {
            None => Ok(()),
            Some(first) => {
                let message = message!("line {} defines \"{}\" already", first, what);
                Err(fault(line, column, message))
            }
        }
    }
}

/// Gives the tensors of a TFLite graph what its files say of each: element type and dimensions.
fn size(graph: &mut Graph, typed: &[bool]) {
    for index in 0..graph.ops.len() {
        let op = &graph.ops[index];
        let dtype = default_type(graph, op);
        for id in op.written().collect::<Vec<_>>() {
            if typed.get(id.index()) == Some(&false) {
                graph.tensors[id.index()].dtype = dtype;
            }
        }
    }
    let mut sized = graph.clone();
    infer(&mut sized, &BTreeMap::new());
    for (tensor, sized) in graph.tensors.iter_mut().zip(sized.tensors) {
        if tensor.dims.is_none() {
            tensor.dims = sized.dims;
        }
    }
}

/// Warns of shapes that operators do not make, and that therefore do not count, and of operators
/// that contradict themselves, whose results have none.
fn shapes(graph: &Graph, written: &[(usize, TensorId)]) -> Vec<Warning> {
    let mut sized = graph.clone();
    infer(&mut sized, &BTreeMap::new());
    let size = |dim: &Dim| match dim {
        Dim::Fixed(size) => Some(*size),
        Dim::Symbol(id) => graph.symbols.get(id.0 as usize).map(|it| it.default),
        Dim::AtMost(id, most) => {
            let symbol = graph.symbols.get(id.0 as usize);
            symbol.map(|it| it.default.min(*most))
        }
        Dim::Unknown => None,
    };
    let wrong = written.iter().filter_map(|(line, id)| {
        let (tensor, made) = (graph.tensor(*id), sized.tensor(*id));
        let name = &tensor.name;
        let message = match (&made.dims, &made.missing) {
            (Some(made), _) => {
                let dims = tensor.declared.as_ref()?.iter().map(size);
                let declared: Vec<u64> = dims.collect::<Option<_>>()?;
                let message = || {
                    message!(
                        "\"{}\" is {} by its operator, whatever is declared",
                        name,
                        format_args!("{made:?}")
                    )
                };
                (declared != *made).then(message)?
            }
            (
                None,
                Some(Unsized {
                    reason: UnsizedReason::InvalidOperator,
                    detail,
                }),
            ) => {
                message!("\"{}\" has no shape: {}", name, detail)
            }
            (None, _) => return None,
        };
        let place = message!("line {}", line);
        Some(Warning::new(place, message))
    });
    wrong.take(MAX_WARNINGS).collect()
}
