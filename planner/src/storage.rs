//! Storage: what holds bytes. Every tensor is a view of a storage: some of its bytes, read
//! with strides. Tensors of one storage are aliases that no plan can take apart.
//!
//! ```text
//! storage   ├────────────────────────────────┤
//! base      [ 0  1  2  3 │ 4  5  6  7 │ 8 … ]    offset 0
//! slice                  [ 4  5  6  7 ]          offset 16 B, an alias of these bytes
//! ```
//!
//! While a storage stays in memory without a break it is one
//! [`Buffer`](crate::liveness::Buffer), a residency of the storage, with an address of its
//! own. A storage that is evicted and recomputed has several.

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Role, Tensor, TensorId};
use crate::units::Bytes;
use crate::{Message, impl_message, message};

pub use crate::ids::StorageId;

/// What holds bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// The tensor that gives it its name: the first view of all of it.
    pub tensor: TensorId,
    /// How many; `None` where the tensor has no size.
    pub bytes: Option<Bytes>,
    /// Its address is a multiple of so many bytes, at least 1.
    pub alignment: Bytes,
    /// What its bytes are for.
    pub kind: StorageKind,
}

/// What the bytes of a storage are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageKind {
    /// Written and read during the run.
    #[default]
    Activation,
    /// Known before the run.
    Weight,
    /// The derivative of the loss by a weight or an activation.
    Gradient,
    /// What the optimizer keeps from one training step to the next.
    OptimizerState,
    /// What one operator needs while it runs.
    Workspace,
    /// Fed by the caller.
    Input,
    /// Read by the caller.
    Output,
    /// Kept by the model from one run to the next.
    State,
    /// What a device receives from others, or sends to them.
    Communication,
}

/// Which bytes of a storage a tensor reads and writes. The tensor's own dimensions are its
/// shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The storage.
    pub base: StorageId,
    /// Bytes from the start of the storage to the tensor's first element.
    pub offset: Bytes,
    /// Elements from one index of each dimension to the next, at least 0; empty where the
    /// elements follow one another, the last dimension first.
    pub strides: Vec<u64>,
}

/// The storages of a graph, and which one each tensor views.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storages {
    /// Every storage. One that no tensor views holds nothing.
    pub list: Vec<Storage>,
    /// The view of each tensor, in the order of [`Graph::tensors`].
    pub views: Vec<View>,
}

/// Why a tensor cannot be a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewError {
    /// What is wrong with it.
    pub message: Message,
}

impl Storage {
    /// The storage of `tensor` alone.
    fn of(id: TensorId, (graph, tensor): (&Graph, &Tensor)) -> Self {
        Self {
            tensor: id,
            bytes: graph.held(tensor),
            alignment: Bytes(1),
            kind: StorageKind::of(tensor.role),
        }
    }
}

impl StorageKind {
    /// What a tensor of this role is stored as.
    fn of(role: Role) -> Self {
        match role {
            Role::Input => Self::Input,
            Role::Output => Self::Output,
            Role::Constant => Self::Weight,
            Role::State => Self::State,
            Role::Intermediate | Role::Unsized => Self::Activation,
        }
    }

    /// The kind of a storage that holds tensors of both kinds: what the caller holds, he holds
    /// under every name.
    fn shared_with(self, other: Self) -> Self {
        let callers = [Self::Input, Self::Output];
        if callers.contains(&self) || !callers.contains(&other) {
            self
        } else {
            other
        }
    }
}

impl Storages {
    /// A storage of its own for every tensor of `graph`.
    #[must_use]
    pub fn one_each(graph: &Graph) -> Self {
        let mut storages = Self::default();
        storages.extend(graph);
        storages
    }

    /// The view that `tensor` is; `None` beyond the last.
    #[must_use]
    pub fn view(&self, tensor: TensorId) -> Option<&View> {
        self.views.get(tensor.index())
    }

    /// The tensor that gives `storage` its name; `None` beyond the last.
    #[must_use]
    pub fn named(&self, storage: StorageId) -> Option<TensorId> {
        Some(self.list.get(storage.index())?.tensor)
    }

    /// The tensors that view each storage: the one that names it, then the others in tensor
    /// order.
    #[must_use]
    pub fn tensors_of_each(&self) -> Vec<Vec<TensorId>> {
        let mut tensors: Vec<Vec<TensorId>> = vec![Vec::new(); self.list.len()];
        for (index, view) in self.views.iter().enumerate() {
            let tensor = TensorId::at(index);
            let own = &mut tensors[view.base.index()];
            match self.named(view.base) == Some(tensor) {
                true => own.insert(0, tensor),
                false => own.push(tensor),
            }
        }
        tensors
    }

    /// Makes `tensor` a view of the storage of `base`: its first element `offset` bytes from
    /// the start of that tensor, its elements `strides` apart. What viewed the storage that
    /// `tensor` had until now follows it.
    ///
    /// # Errors
    /// [`ViewError`] when a size is unknown, the strides do not fit the shape, or an element
    /// would lie outside the storage.
    pub fn alias(
        &mut self,
        graph: &Graph,
        (tensor, base): (TensorId, TensorId),
        offset: Bytes,
        strides: &[u64],
    ) -> Result<(), ViewError> {
        let own = self.views[tensor.index()].base;
        let views = self.views.iter().enumerate();
        let followers = views.filter(|(index, view)| view.base == own && *index != tensor.index());
        let followers: Vec<usize> = followers.map(|(index, _)| index).collect();
        self.join(graph, (tensor, base), (offset, strides), &followers)
    }

    /// The same for a tensor whose storage no other tensor views: not all of them are looked at.
    pub(crate) fn alias_alone(
        &mut self,
        graph: &Graph,
        pair: (TensorId, TensorId),
        offset: Bytes,
        strides: &[u64],
    ) -> Result<(), ViewError> {
        self.join(graph, pair, (offset, strides), &[])
    }

    fn join(
        &mut self,
        graph: &Graph,
        (tensor, base): (TensorId, TensorId),
        (offset, strides): (Bytes, &[u64]),
        followers: &[usize],
    ) -> Result<(), ViewError> {
        let within = self.views[base.index()].clone();
        let own = self.views[tensor.index()].base;
        let fail = |message: Message| ViewError { message };
        if own == within.base {
            return Err(fail(message!("it views that storage already")));
        }
        if !within.strides.is_empty() || !strides.is_empty() && !followers.is_empty() {
            return Err(fail(message!(
                "a view of a strided view is no view of one storage"
            )));
        }
        let start = within.offset.checked_add(offset);
        let start = start.ok_or_else(|| fail(message!("the offset goes beyond 64 bits")))?;
        let view = View {
            base: within.base,
            offset: start,
            strides: strides.to_vec(),
        };
        self.place(graph, tensor, view)?;
        for &follower in followers {
            // Within the bytes of `tensor`, so that the sum is at most `reach`.
            let view = &mut self.views[follower];
            view.offset = Bytes(view.offset.0.saturating_add(start.0));
            view.base = within.base;
        }
        Ok(())
    }

    /// Makes `tensor`, whose storage no other views, the view `view`.
    ///
    /// # Errors
    /// [`ViewError`] when a size is unknown, the strides do not fit the shape, or an element
    /// would lie outside the storage.
    pub(crate) fn place(
        &mut self,
        graph: &Graph,
        tensor: TensorId,
        view: View,
    ) -> Result<(), ViewError> {
        let fail = |message| ViewError { message };
        let reach = window(graph, tensor, &view).map_err(fail)?.1;
        let whole = self.list.get(view.base.index()).and_then(|it| it.bytes);
        if whole.is_none_or(|whole| reach > whole) {
            let whole = whole.unwrap_or_default();
            return Err(fail(message!(
                "its bytes {} to {} reach beyond the {} bytes of its storage",
                view.offset.0,
                reach.0,
                whole.0
            )));
        }
        self.share(view.base, self.views[tensor.index()].base);
        self.views[tensor.index()] = view;
        Ok(())
    }

    /// `base` holds what `own` held, too.
    pub(crate) fn share(&mut self, base: StorageId, own: StorageId) {
        let kind = self.list[own.index()].kind;
        let base = &mut self.list[base.index()];
        base.kind = base.kind.shared_with(kind);
    }

    /// A storage of its own for each tensor that `graph` has beyond those known here.
    pub(crate) fn extend(&mut self, graph: &Graph) {
        for (index, tensor) in graph.tensors.iter().enumerate().skip(self.views.len()) {
            self.views.push(View {
                base: StorageId::at(self.list.len()),
                offset: Bytes::ZERO,
                strides: Vec::new(),
            });
            self.list
                .push(Storage::of(TensorId::at(index), (graph, tensor)));
        }
    }

    /// The storage of which `tensor` is all bytes, in its own order; `None` for a part, and for
    /// elements that lie otherwise.
    #[must_use]
    pub fn whole(&self, graph: &Graph, tensor: TensorId) -> Option<StorageId> {
        let view = self.view(tensor).filter(|view| view.strides.is_empty())?;
        let bytes = self.list.get(view.base.index())?.bytes?;
        let window = self.window(graph, tensor)?;
        (window == (Bytes::ZERO, bytes)).then_some(view.base)
    }

    /// Whether `tensor` lies in the bytes of `other`.
    #[must_use]
    pub fn within(&self, graph: &Graph, tensor: TensorId, other: TensorId) -> bool {
        let base = |id| self.view(id).map(|view| view.base);
        let windows = self.window(graph, tensor).zip(self.window(graph, other));
        base(tensor) == base(other)
            && windows.is_some_and(|(one, two)| two.0 <= one.0 && one.1 <= two.1)
    }

    /// The bytes of its storage that `tensor` touches: start and end, from the start of the
    /// storage; `None` where it has no size.
    #[must_use]
    pub fn window(&self, graph: &Graph, tensor: TensorId) -> Option<(Bytes, Bytes)> {
        window(graph, tensor, self.view(tensor)?).ok()
    }
}

/// Start and end of the bytes that `view` touches: for strides, of the hull.
fn window(graph: &Graph, id: TensorId, view: &View) -> Result<(Bytes, Bytes), Message> {
    let tensor = graph.tensor(id);
    let bytes = graph
        .held(tensor)
        .ok_or_else(|| message!("it has no size"))?;
    let reach = if view.strides.is_empty() || bytes == Bytes::ZERO {
        bytes
    } else {
        strided(tensor, &view.strides)?
    };
    let end = view.offset.checked_add(reach);
    Ok((
        view.offset,
        end.ok_or_else(|| message!("it ends beyond 64 bits"))?,
    ))
}

/// Bytes from the first element of a strided tensor to the end of its last.
fn strided(tensor: &Tensor, strides: &[u64]) -> Result<Bytes, Message> {
    let dims = tensor.dims.as_deref().unwrap_or_default();
    if dims.len() != strides.len() {
        return Err(message!("there are not as many strides as dimensions"));
    }
    let bits = tensor.dtype.bits().filter(|bits| bits % 8 == 0);
    let bits = bits.ok_or_else(|| message!("its elements are not whole bytes"))?;
    let last = dims
        .iter()
        .zip(strides)
        .try_fold(0_u64, |sum, (dim, stride)| {
            sum.checked_add(dim.saturating_sub(1).checked_mul(*stride)?)
        });
    let elements = last.and_then(|last| last.checked_add(1));
    let bytes = elements.and_then(|count| count.checked_mul(bits / 8));
    bytes
        .map(Bytes)
        .ok_or_else(|| message!("it ends beyond 64 bits"))
}

impl ViewError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        self.message.clone()
    }
}

impl_message!(ViewError);
impl std::error::Error for ViewError {}
