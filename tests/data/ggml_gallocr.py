"""Where ggml's graph allocator puts every tensor of its own tests and of arbitrary graphs.

`pip install pywhispercpp==1.5.1` brings ggml 0.13.1; `python3 ggml_gallocr.py > ggml_gallocr.json`
makes the file again. An argument is a directory to look for the library in instead. Linux, x86-64.
A graph's tensors are the leafs and then the nodes, in ggml's order:
[operator, type, dimensions, sources, flags, [chunk, offset]]. The first dimension is the innermost
and 1s at the end are left out. Flags: i input, o output, x has memory of its own, a weight. What
has memory of its own, and a view of it, has null for its place. A view has a seventh entry:
[first, count] of its source's last dimension. `sizes` are the bytes of the chunks, `max` is what
a chunk may have. A cast has itself as second source in ggml, which is left out.
"""

import ctypes
import json
import random
import sys
from ctypes import c_bool, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint64, c_void_p
from importlib import metadata
from pathlib import Path

VERSION = "0.13.1"
TYPES = {"f32": 0, "f16": 1}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
CHUNK_BITS = 40  # what the address of a chunk is a multiple of
GRAPHS = 500


def library():
    if len(sys.argv) > 1:
        found = list(Path(sys.argv[1]).rglob("libggml-base.so"))
    else:
        files = metadata.files("pywhispercpp")
        found = [file.locate() for file in files if file.name == "libggml-base.so"]
    return ctypes.CDLL(str(found[0]))


class Tensor(ctypes.Structure):
    pass


TENSOR = ctypes.POINTER(Tensor)
Tensor._fields_ = [
    ("type", c_int),
    ("buffer", c_void_p),
    ("ne", c_int64 * 4),
    ("nb", c_size_t * 4),
    ("op", c_int),
    ("op_params", c_int * 16),
    ("flags", c_int),
    ("src", TENSOR * 10),
    ("view_src", TENSOR),
    ("view_offs", c_size_t),
    ("data", c_void_p),
]


class Graph(ctypes.Structure):
    _fields_ = [
        ("size", c_int),
        ("n_nodes", c_int),
        ("n_leafs", c_int),
        ("nodes", ctypes.POINTER(TENSOR)),
        ("grads", c_void_p),
        ("grad_accs", c_void_p),
        ("leafs", ctypes.POINTER(TENSOR)),
    ]


class Parameters(ctypes.Structure):
    _fields_ = [("mem_size", c_size_t), ("mem_buffer", c_void_p), ("no_alloc", c_bool)]


class BufferInterface(ctypes.Structure):
    """ggml_backend_buffer_i, of which only the second function is needed."""

    _fields_ = [("free", c_void_p), ("base", c_void_p), ("others", c_void_p * 9)]


class BufferType(ctypes.Structure):
    _fields_ = [
        ("get_name", c_void_p),
        ("alloc_buffer", c_void_p),
        ("get_alignment", c_void_p),
        ("get_max_size", c_void_p),
        ("get_alloc_size", c_void_p),
        ("is_host", c_void_p),
        ("device", c_void_p),
        ("context", c_void_p),
    ]


GGML = library()
for name, result, arguments in [
    ("ggml_version", c_char_p, []),
    ("ggml_init", c_void_p, [Parameters]),
    ("ggml_free", None, [c_void_p]),
    ("ggml_new_graph", ctypes.POINTER(Graph), [c_void_p]),
    ("ggml_build_forward_expand", None, [ctypes.POINTER(Graph), TENSOR]),
    ("ggml_set_input", None, [TENSOR]),
    ("ggml_set_output", None, [TENSOR]),
    ("ggml_op_desc", c_char_p, [TENSOR]),
    ("ggml_backend_buffer_init", c_void_p, [c_void_p, BufferInterface, c_void_p, c_size_t]),
    ("ggml_gallocr_new", c_void_p, [c_void_p]),
    ("ggml_gallocr_alloc_graph", c_bool, [c_void_p, ctypes.POINTER(Graph)]),
    ("ggml_gallocr_free", None, [c_void_p]),
]:
    getattr(GGML, name).restype = result
    getattr(GGML, name).argtypes = arguments


def allocate(graph, alignment, most):
    """Has ggml place the tensors and returns the sizes of the chunks."""
    bases, sizes = {}, []
    base = ctypes.CFUNCTYPE(c_size_t, c_void_p)(lambda buffer: bases[buffer])
    interface = BufferInterface(base=ctypes.cast(base, c_void_p))

    @ctypes.CFUNCTYPE(c_void_p, c_void_p, c_size_t)
    def alloc_buffer(kind, size):
        buffer = GGML.ggml_backend_buffer_init(kind, interface, None, size)
        sizes.append(size)
        bases[buffer] = len(sizes) << CHUNK_BITS
        return buffer

    number = ctypes.CFUNCTYPE(c_uint64, c_void_p)
    get_alignment = number(lambda _: alignment)
    get_max_size = number(lambda _: 2**64 - 1 if most is None else most)
    kind = BufferType(
        alloc_buffer=ctypes.cast(alloc_buffer, c_void_p),
        get_alignment=ctypes.cast(get_alignment, c_void_p),
        get_max_size=ctypes.cast(get_max_size, c_void_p),
    )
    allocator = GGML.ggml_gallocr_new(ctypes.addressof(kind))
    assert GGML.ggml_gallocr_alloc_graph(allocator, graph)
    GGML.ggml_gallocr_free(allocator)
    return sizes


def address(tensor):
    return ctypes.addressof(tensor.contents)


def dimensions(tensor):
    ne = list(tensor.contents.ne)
    while len(ne) > 1 and ne[-1] == 1:
        ne.pop()
    return ne


def operator(tensor):
    name = GGML.ggml_op_desc(tensor).decode().lower()
    return {"none": "leaf", "cpy": "cast"}.get(name, name)


def sources(tensor):
    return [src for src in tensor.contents.src if src and address(src) != address(tensor)]


def row(tensor, indices):
    it = tensor.contents
    external = it.data >> CHUNK_BITS == 0
    flags = "i" * (it.flags & 1) + "o" * (it.flags >> 1 & 1)
    flags += "x" * (external and not it.view_src)
    chunk = (it.data >> CHUNK_BITS) - 1
    place = None if external else [chunk, it.data % (1 << CHUNK_BITS)]
    src = [indices[address(src)] for src in sources(tensor)]
    cells = [operator(tensor), TYPE_NAMES[it.type], dimensions(tensor), src, flags, place]
    if operator(tensor) == "view":
        source = it.src[0]
        last = len(dimensions(source)) - 1
        before = it.view_offs - source.contents.view_offs
        cells.append([before // source.contents.nb[last], it.ne[last]])
    return cells


class Builder:
    """Tensors of one graph."""

    def __init__(self):
        self.context = GGML.ggml_init(Parameters(1 << 20, None, True))
        self.graph = GGML.ggml_new_graph(self.context)

    def make(self, name, *arguments):
        function = getattr(GGML, f"ggml_{name}")
        function.restype = TENSOR
        arguments = [c_int64(given) if isinstance(given, int) else given for given in arguments]
        return function(c_void_p(self.context), *arguments)

    def leaf(self, ne, flag="i", kind="f32"):
        tensor = self.make("new_tensor_4d", TYPES[kind], *full(ne))
        if flag == "i":
            GGML.ggml_set_input(tensor)
        elif flag == "x":
            tensor.contents.data = 4096
        return tensor

    def input(self, size):
        return self.leaf([size // 4])

    def pad(self, tensor, count):
        return self.make("pad", tensor, count, 0, 0, 0)

    def scale(self, tensor):
        return self.make("scale", tensor, c_float(2))

    def reshape(self, tensor, ne):
        return self.make("reshape_4d", tensor, *full(ne))

    def view(self, tensor, first, rows):
        """Part of the last dimension."""
        ne, nb = dimensions(tensor), tensor.contents.nb
        offset = first * nb[len(ne) - 1]
        return self.make("view_4d", tensor, *full([*ne[:-1], rows]), *nb[1:], offset)

    def run(self, name, roots, alignment, most):
        for root in roots:
            GGML.ggml_set_output(root)
            GGML.ggml_build_forward_expand(self.graph, root)
        sizes = allocate(self.graph, alignment, most)
        graph = self.graph.contents
        tensors = graph.leafs[: graph.n_leafs] + graph.nodes[: graph.n_nodes]
        indices = {address(tensor): index for index, tensor in enumerate(tensors)}
        rows = [row(tensor, indices) for tensor in tensors]
        GGML.ggml_free(self.context)
        return {"name": name, "alignment": alignment, "max": most, "tensors": rows, "sizes": sizes}


def full(ne):
    return [*ne, 1, 1, 1][:4]


# The scenarios of llama.cpp's tests/test-alloc.cpp that need one kind of buffer.


def too_many_tensors(b):
    x = [b.input(8) for _ in range(3)]
    product = b.make("mul", x[0], x[1])
    total = b.make("add", x[1], x[2])
    return b.make("add", total, b.make("add", product, x[0]))


def tensor_too_large(b):
    return b.make("concat", b.input(16), b.input(8), 0)


def larger_than_max(b):
    return b.scale(b.input(24))


def not_enough_chunks(b):
    total, *others = [b.input(8) for _ in range(17)]
    for other in others:
        total = b.make("add", total, other)
    return total


def fill_leftover(b):
    return b.make("mean", b.pad(b.input(8), 2))


def view_inplace(b):
    square = b.reshape(b.input(16), [2, 2])
    return b.make("add", b.view(b.make("transpose", square), 1, 1), b.input(8))


def reuse_and_free(b):
    x = [b.input(size) for size in (24, 8, 8)]
    small = b.make("add", x[1], x[2])
    padded = b.pad(x[0], 2)
    total = b.make("add", padded, b.scale(padded))
    return b.make("add", small, b.view(total, 2, 2))


def merge_free_block(b):
    x = [b.input(16) for _ in range(3)]
    means = b.make("add", b.make("mean", x[0]), b.make("mean", x[1]))
    return b.make("add", b.pad(x[2], 2), b.pad(means, 5))


def merge_free_block_unlimited(b):
    return merge_free_block(b)


def prefer_already_allocated(b):
    return b.make("mean", b.make("mean", b.input(24)))


def buffer_size_zero(b):
    return b.scale(b.input(16))


def reallocation(b):
    return b.make("add", b.view(b.input(24), 0, 4), b.input(16))


def reallocation_again(b):
    return b.make("add", b.input(20), b.input(20))


def alloc_dep(b):
    return b.scale(b.scale(b.scale(b.input(16))))


def scenarios():
    graphs = []
    for build, alignment, most, least_total, most_total in [
        (too_many_tensors, 8, 16, 0, 32),
        (tensor_too_large, 8, 32, 0, 56),
        (larger_than_max, 8, 16, 24, 24),
        (not_enough_chunks, 8, 8, 129, 2**63),
        (fill_leftover, 8, 16, 0, 28),
        (view_inplace, 8, 32, 0, 24),
        (reuse_and_free, 8, 40, 0, 104),
        (merge_free_block, 8, 32, 0, 88),
        (merge_free_block_unlimited, 8, None, 0, 88),
        (prefer_already_allocated, 4, 32, 0, 28),
        (buffer_size_zero, 8, None, 16, 16),
        (reallocation, 4, 32, 40, 40),
        (reallocation_again, 4, 32, 40, 40),
        (alloc_dep, 8, None, 16, 16),
    ]:
        builder = Builder()
        graph = builder.run(build.__name__, [build(builder)], alignment, most)
        assert least_total <= sum(graph["sizes"]) <= most_total, graph
        graphs.append(graph)
    assert graphs[1]["tensors"][-1][5] == [1, 0]
    assert len({str(tensor[5]) for tensor in graphs[-1]["tensors"]}) == 1
    return graphs


# Arbitrary graphs.

ROWWISE = ["relu", "tanh", "sigmoid", "neg", "abs"]  # ggml wants the innermost dimension dense
UNARY = ["sqrt", "log", "sin"]
BINARY = ["add", "sub", "mul", "div"]
KINDS = ["norm", "soft_max", "rms_norm", "mean", "mul_mat", "cast", "concat"]
VIEWS = ["reshape", "view", "transpose"]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 40]
LARGEST = 1600  # elements


def dense(tensor):
    it = tensor.contents
    steps = [2 if it.type else 4]
    for length in it.ne[:3]:
        steps.append(steps[-1] * length)
    return list(it.nb) == steps


def elements(ne):
    product = 1
    for length in ne:
        product *= length
    return product


class Arbitrary(Builder):
    """A graph that grows by one operator after the other."""

    def __init__(self, rnd):
        super().__init__()
        self.rnd = rnd
        self.shapes = [
            [rnd.choice(SIZES) for _ in range(rnd.choice([1, 2, 2, 2, 3]))] for _ in range(3)
        ]
        self.shapes = [ne for ne in self.shapes if elements(ne) <= LARGEST] or [[4, 4]]
        self.pool = [self.new(rnd.choice(self.shapes)) for _ in range(rnd.randint(2, 7))]
        self.unread = list(self.pool)

    def new(self, ne, kind="f32"):
        return self.leaf(ne, self.rnd.choice(["i", "i", "x", "x", ""]), kind)

    def other(self, tensor, fits, ne):
        """Something that fits as second operand, mostly of what there is, else a new leaf."""
        kind = tensor.contents.type
        found = [t for t in self.pool if t.contents.type == kind and dense(t) and fits(t)]
        others = [t for t in found if address(t) != address(tensor)]
        unread = [t for t in self.unread if any(address(t) == address(own) for own in others)]
        for given, chance in ((unread, 0.6), (others, 0.6), (found, 0.3)):
            if given and self.rnd.random() < chance:
                return self.rnd.choice(given)
        return self.new(ne, TYPE_NAMES[kind])

    def grow(self):
        """One more operator, or None where what was drawn does not go together."""
        rnd = self.rnd
        tensor = rnd.choice(self.unread if rnd.random() < 0.6 else self.pool)
        if not dense(tensor):
            kind = rnd.choice(UNARY)
        elif tensor.contents.type:
            kind = rnd.choice([*ROWWISE, *UNARY, *BINARY, "reshape", "concat", "cast", "cast"])
        else:
            groups = [ROWWISE, UNARY, ["concat", "mul_mat", "view"], BINARY, BINARY, KINDS, VIEWS]
            kind = rnd.choice(rnd.choice(groups))
        # Arenascope copies what is viewed of a weight, views of narrow elements, and a transpose that
        # a cast reads or nobody.
        if kind in VIEWS and operator(tensor) == "leaf" and tensor.contents.data:
            return
        operands = self.operands(kind, tensor)
        if operands is None:
            return
        result = self.node(kind, operands)
        read = {address(operand) for operand in operands}
        self.unread = [t for t in self.unread if address(t) not in read]
        self.unread.append(result)
        self.pool.append(result)
        # The flag of a view does not keep the bytes that it views: nobody may ask for that.
        if rnd.random() < 0.05 and not result.contents.view_src:
            GGML.ggml_set_output(result)

    def operands(self, kind, tensor):
        rnd, ne = self.rnd, full(dimensions(tensor))
        if kind in BINARY:
            narrow = [rnd.choice([length, length, length, 1]) for length in ne]

            def repeats(t):
                return all(own in (1, length) for own, length in zip(t.contents.ne, ne))

            return [tensor, self.other(tensor, repeats, narrow)]
        if kind not in ("mul_mat", "concat"):
            return [tensor]
        if ne[2] > 1 or kind == "concat" and elements(ne) > LARGEST // 4:
            return None
        kept = 0 if kind == "mul_mat" else rnd.randint(0, 1)

        def matches(t):
            own = t.contents.ne
            return own[2] == 1 and own[kept] == ne[kept] and own[0] * own[1] <= LARGEST // 4

        shape = [rnd.choice(SIZES), rnd.choice(SIZES)]
        shape[kept] = ne[kept]
        pair = [tensor, self.other(tensor, matches, shape)]
        # In ggml's mul_mat the weight comes first.
        return pair[::-1] if kind == "mul_mat" and rnd.random() < 0.7 else pair

    def node(self, kind, operands):
        rnd, tensor = self.rnd, operands[0]
        ne = dimensions(tensor)
        if kind == "cast":
            return self.make("cast", tensor, 1 - tensor.contents.type)
        if kind in ("norm", "rms_norm"):
            return self.make(kind, tensor, c_float(1e-5))
        if kind == "concat":
            along = 1 if tensor.contents.ne[0] == operands[1].contents.ne[0] else 0
            return self.make("concat", *operands, along)
        if kind == "reshape":
            inner = rnd.choice([d for d in range(1, elements(ne) + 1) if elements(ne) % d == 0])
            shapes = [[elements(ne)], [inner, elements(ne) // inner], ne[::-1]]
            return self.reshape(tensor, rnd.choice(shapes))
        if kind == "view":
            first = rnd.choice([0, rnd.randrange(ne[-1])])
            return self.view(tensor, first, rnd.randint(1, ne[-1] - first))
        return self.make(kind, *operands)


def arbitrary(rnd, name):
    """Draws until a graph has about as many nodes as wanted, and several chunks where limited."""
    most = rnd.choice([64, 128, 200, 256, 512, 700, 1000, 2048]) if rnd.random() < 0.25 else None
    alignment = rnd.choice([8, 32, 128])
    least = rnd.randint(6, 23)
    while True:
        builder = Arbitrary(rnd)
        for _ in range(rnd.randint(least, least + 10)):
            builder.grow()
        unread = [tensor for tensor in builder.unread if dense(tensor)]
        roots = [tensor for tensor in unread if operator(tensor) != "leaf"]
        rnd.shuffle(roots)
        roots = roots[: rnd.randint(1, 3)]
        graph = builder.run(name, roots, alignment, most)
        nodes = sum(tensor[0] != "leaf" for tensor in graph["tensors"])
        chunks = len(graph["sizes"])
        if least <= nodes <= least + 3 and (chunks == 1 if most is None else 2 <= chunks <= 15):
            return graph


def main():
    assert GGML.ggml_version().decode() == VERSION
    rnd = random.Random(8)
    graphs = scenarios() + [arbitrary(rnd, f"arbitrary {index}") for index in range(GRAPHS)]
    lines = [json.dumps(graph, separators=(",", ":")) for graph in graphs]
    print(f'{{"library": "{VERSION}", "graphs": [\n' + ",\n".join(lines) + "\n]}")


if __name__ == "__main__":
    main()
