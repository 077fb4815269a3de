//! What a row of the table says.

/// What the elements of an operator's output depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Each element on those at its place, broadcast, in this many first inputs.
    ElementWise(usize),
    /// Each element on its row of the first input: softmax and normalisations.
    Rows,
    /// Each element on a row of the first input, of which it is the only result.
    Reduces,
    /// Matrix products.
    Product,
    /// Convolutions and their like, whose kernels can go on with what they write.
    Window,
    /// Each element is one of the input's.
    Moves,
    /// The first input with some elements replaced or added to.
    Updates,
    /// Anything.
    Other,
}

/// What an operator does to where the elements of its input lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// They stay in their order.
    Same,
    /// They are walked in another order, or some are left out.
    Strided,
}

/// By what rule an operator saves for its backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// Nothing.
    Nothing,
    /// The output.
    Output,
    /// The first input.
    Input,
    /// For each input the others.
    Others,
    /// For each operand of a product the others; the bias, which is added, is none.
    Product {
        /// The place of the bias.
        bias: usize,
    },
    /// The dividend's gradient reads the divisor, the divisor's reads both.
    Quotient,
    /// The first input: what is chosen from the others.
    Choice,
    /// The second input: where elements are taken from.
    Place,
    /// Input and output.
    Extreme,
    /// All inputs, the output and what is computed beside.
    Attention,
    /// What it reads, states, and the output where the layer is one call.
    Recurrent {
        /// Whether the output is read.
        output: bool,
    },
    /// Input and what is computed beside.
    Beside(Beside),
    /// What is computed beside alone.
    Only(Beside),
    /// Every input and the output: nobody knows.
    Everything,
}

/// What an operator computes beside its output, for its backward pass alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The mean and the deviation of each channel of a batch, which do not grow with it.
    ChannelStatistics,
    /// The mean and the deviation of each group of elements.
    Statistics,
    /// The deviation of each row alone.
    Deviation,
    /// The place of each element that is taken.
    Indices,
    /// Which elements were kept.
    Mask,
    /// The logarithm of the sum of each query's exponentials.
    LogSumExp,
    /// States and gates of a recurrent layer.
    States,
}

/// By what rule an operator's floating point operations are counted; `training::costs` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// None: it moves, pools or names elements.
    Free,
    /// One for each element that it reads and that is no constant.
    Reads,
    /// Four for each element of the input.
    Normalisation,
    /// The kernel is [out, in of one group, …], or [out, …, in].
    Convolution,
    /// The kernel is [1, height, width, out].
    DepthwiseConvolution,
    /// The kernel is [in, out of one group, …].
    TransposedConvolution,
    /// The kernel is [out, height, width, in], and the sizes of the result stand before it.
    TransposeConv,
    /// A product of matrices.
    Product,
    /// A sum over indices that an equation names.
    Einsum,
    /// Queries, keys and values from one projection.
    PackedAttention,
    /// Queries, keys and values by themselves.
    Attention,
    /// The same put together from its parts.
    ScaledDotProductAttention,
    /// A layer that goes from step to step.
    Recurrent,
    /// What the file says.
    Layer,
}

/// What an operator does beside computing its outputs from its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the same inputs give the same outputs.
    None,
    /// It draws random numbers.
    Random,
    /// It draws random numbers if its third input says so.
    WhenTraining,
    /// It runs subgraphs, keeps variables, or nobody knows what it does.
    SideEffects,
}

/// Which part of the kernels has it. All but the first are fetched when a graph needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What many models have.
    Usual,
    /// Arithmetic on quantised integers.
    Quantised,
    /// Attention and what language models have beside it.
    Transformers,
    /// Layers that go from one place of a sequence to the next.
    Recurrent,
    /// Signals, sampling by coordinates, losses, optimizers and the like.
    Special,
}

/// Positions of inputs, of the first sixteen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Positions(u16);

/// Integers that say where in another input elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexes {
    /// The position of the integers.
    pub position: usize,
    /// The position of what they index.
    pub table: usize,
    /// Whether the attribute `axis` says along which dimension; else it is the first.
    pub by_axis: bool,
}

/// What is known of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What the elements of its output depend on.
    pub family: Family,
    /// Whether it is of that family only where it writes nothing beside its first output.
    pub alone: bool,
    /// Whether its kernels walk inputs of any strides, as far as those of its family do.
    pub strided: bool,
    /// Whether its outputs are elements of an input, unchanged.
    pub view: Option<View>,
    /// The position of that input.
    pub source: usize,
    /// Of an ONNX graph by `LiteRT`'s rule: how many of its first inputs it may be written over.
    pub in_place: usize,
    /// The same of a TFLite graph, as `LiteRT` registers its builtin operators.
    pub litert: usize,
    /// Whether `LiteRT` registers it as one that changes no byte.
    pub bitcast: bool,
    /// Over how many of its first inputs ONNX Runtime's kernels write.
    pub runtime: usize,
    /// Over how many of its first inputs ggml's graph allocator lets it write
    /// (`ggml_op_can_inplace`).
    pub ggml: usize,
    /// What autograd saves of it.
    pub saves: Saves,
    /// Whether PyTorch can have it write over what it reads, and computes the gradient from what it
    /// has written: `relu_`, `leaky_relu_` and `elu_`. `hardtanh_`, of which `ReLU6` is one, saves a
    /// copy of what it read, so that nothing is gained.
    pub overwrites: bool,
    /// The inputs whose constants training changes.
    pub trains: Positions,
    /// Whether numbers that it reads could be weights where training changes none: scales of sizes
    /// and of integers are none.
    pub has_weights: bool,
    /// Whether it rounds numbers to integers that stand for them: no gradient passes through it.
    pub quantises: bool,
    /// Whether of what it writes only the first is an activation.
    pub one_activation: bool,
    /// What it costs.
    pub cost: Cost,
    /// What it does beside.
    pub effect: Effect,
    /// Of ONNX: the inputs that must be known before the run: they say which shape, which axes or
    /// how many, not what to compute on. Indices of Gather and operands of Pow are data; no shape
    /// depends on the bounds of Clip or the value of Pad. `Dropout`'s ratio and mode are among them:
    /// they say whether it draws random numbers or hands its input on.
    pub given: Positions,
    /// Whether it hands on the elements of its first input, in another shape or type, so that a
    /// constant that it reads is what its reader makes of it.
    pub keeps: bool,
    /// Whether its output holds the integers of its first input, so that they index what it does.
    pub passes_on: bool,
    /// Whether it takes away about half of the variance.
    pub rectifies: bool,
    /// The integers that it reads as places.
    pub indexes: Option<Indexes>,
    /// Which part of the kernels has it.
    pub part: Part,
}

impl Positions {
    const fn of(positions: &[u8]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < positions.len() {
            bits |= 1 << positions[index];
            index += 1;
        }
        Self(bits)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this one is among them.
    #[must_use]
    pub const fn has(self, position: usize) -> bool {
        position < 16 && self.0 >> position & 1 == 1
    }

    /// All of them, the first first.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..16).filter(move |position| self.has(*position))
    }
}

/// An operator of which nothing is known.
pub(super) const fn other() -> Facts {
    Facts {
        family: Family::Other,
        alone: false,
        strided: true,
        view: None,
        source: 0,
        in_place: 0,
        litert: 0,
        bitcast: false,
        runtime: 0,
        ggml: 0,
        saves: Saves::Everything,
        overwrites: false,
        trains: Positions::of(&[]),
        has_weights: true,
        quantises: false,
        one_activation: false,
        cost: Cost::Reads,
        effect: Effect::None,
        given: Positions::of(&[]),
        keeps: false,
        passes_on: false,
        rectifies: false,
        indexes: None,
        part: Part::Usual,
    }
}

const fn of(family: Family) -> Facts {
    Facts { family, ..other() }
}

/// Element by element of so many inputs. One of a single input is written over it by any rule.
pub(super) const fn each(inputs: usize) -> Facts {
    Facts {
        in_place: if inputs < 3 { inputs } else { 0 },
        runtime: if inputs == 1 { 1 } else { 0 },
        ..of(Family::ElementWise(inputs))
    }
}

/// Whether the one stands so to the other.
pub(super) const fn compares() -> Facts {
    each(2).in_place(0).saves(Saves::Nothing)
}

pub(super) const fn rows() -> Facts {
    of(Family::Rows).alone()
}

/// By figures of each row that are kept.
pub(super) const fn normalises(beside: Beside) -> Facts {
    rows()
        .saves(Saves::Beside(beside))
        .costs(Cost::Normalisation)
}

pub(super) const fn reduces() -> Facts {
    of(Family::Reduces)
}

pub(super) const fn product() -> Facts {
    of(Family::Product)
}

pub(super) const fn window() -> Facts {
    of(Family::Window)
}

pub(super) const fn moves() -> Facts {
    of(Family::Moves)
}

pub(super) const fn updates() -> Facts {
    of(Family::Updates)
}

/// The first input times others, of which none is a weight.
pub(super) const fn scales() -> Facts {
    other().saves(Saves::Others).no_weights()
}

/// Queries, keys and values that are no weights.
pub(super) const fn attends() -> Facts {
    other().saves(Saves::Attention).no_weights()
}

/// What devices have of the first input, put together or summed up.
pub(super) const fn tells() -> Facts {
    other().saves(Saves::Nothing).no_weights().costs(Cost::Free)
}

/// Elements of the first input.
pub(super) const fn view(view: View) -> Facts {
    Facts {
        view: Some(view),
        saves: Saves::Nothing,
        ..of(Family::Moves)
    }
}

/// A function that sets one field.
macro_rules! sets {
    ($($name:ident($($argument:ident: $type:ty)?) $field:ident = $value:expr;)*) => {
        impl Facts {
            $(pub(super) const fn $name(mut self, $($argument: $type)?) -> Self {
                self.$field = $value;
                self
            })*
        }
    };
}

sets! {
    alone() alone = true;
    contiguous() strided = false;
    from(position: usize) source = position;
    in_place(inputs: usize) in_place = inputs;
    litert(inputs: usize) litert = inputs;
    bitcast() bitcast = true;
    runtime(inputs: usize) runtime = inputs;
    ggml(inputs: usize) ggml = inputs;
    saves(rule: Saves) saves = rule;
    overwrites() overwrites = true;
    trains(positions: &[u8]) trains = Positions::of(positions);
    no_weights() has_weights = false;
    quantises() quantises = true;
    one_activation() one_activation = true;
    costs(rule: Cost) cost = rule;
    effect(what: Effect) effect = what;
    given(positions: &[u8]) given = Positions::of(positions);
    keeps() keeps = true;
    passes_on() passes_on = true;
    rectifies() rectifies = true;
    indexes(places: Indexes) indexes = Some(places);
    part(part: Part) part = part;
}
