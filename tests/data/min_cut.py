"""What torch.compile's partitioner saves of arbitrary small networks, budget by budget.

With torch 2.15.0 and what it needs `python3 min_cut.py > min_cut.txt` makes the file again,
`python3 min_cut.py FILE` ends with an error where the installed version would write another one.
Nothing is computed: tensors are fake, on the CPU. Each network is traced forward and backward with
the decompositions of Inductor, and PyTorch's own `min_cut_rematerialization_partition` chooses.

A network begins with `network NAME`, `forward` and `backward` list the nodes that are its outputs.
Then a node a line, in the order of the joint graph after common subexpressions are merged:

    CLASS OPERATOR BYTES RUNTIME READS [| ALSO READS]

Classes as PyTorch's lists have them: P an input, W a parameter, T a tangent, v a view, r what may
be computed again, n what draws random numbers, i what is costly to compute, c a concatenation,
g an element of several results, o anything else; after it `*` where the result is several tensors,
`=` where it shares an input's storage. Reads are positions of nodes, as often as they are operands;
those in lists or by keyword stand after the bar. RUNTIME is what PyTorch's estimator by
floating point operations says. At last `saved BUDGET: NODES` for each budget, and once more with
the solver `greedy` for two of them, as `greedy BUDGET: NODES`, where that saves something else.
"""

import contextlib
import io
import operator
import random
import sys
import warnings

import torch
import torch._functorch.config as config
import torch._functorch.partitioners as partitioners
import torch.nn.functional as F
from torch._functorch.aot_autograd import aot_function
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.fx_utils import get_node_storage
from torch._subclasses.fake_tensor import FakeTensorMode

VERSION = "2.15.0"
NETWORKS = 300
BUDGETS = [tenth / 10 for tenth in range(11)]
BUDGETS_OF_GREEDY = [0.3, 0.7]


class Found(Exception):
    """Ends the tracing once the partitioner has answered."""


def size(node):
    return partitioners._size_of(node)


def kind(node, parameters, ops):
    """The class of a node."""
    if node.op == "placeholder":
        if "tangents" in node.target:
            return "T"
        return "W" if node in parameters else "P"
    target = partitioners.get_aten_target(node)
    if node.target is operator.getitem:
        return "g"
    if target == torch.ops.aten.cat:
        return "c"
    for letter, holds in [
        ("v", ops.is_view),
        ("r", ops.is_recomputable),
        ("n", ops.is_random),
        ("i", ops.is_compute_intensive),
    ]:
        if holds(node):
            return letter
    return "o"


def runtime(node):
    if node.op != "call_function" or node.target is operator.getitem:
        return 0
    with contextlib.redirect_stdout(io.StringIO()):
        return int(partitioners.estimate_runtime(node))


def lines_of(graph, info, forward_outputs, backward_outputs):
    ops = partitioners.get_default_op_list()
    nodes = [node for node in graph.nodes if node.op != "output"]
    place = {node: index for index, node in enumerate(nodes)}
    listed = lambda some: " ".join(str(place[node]) for node in some if node in place)
    shared = {get_node_storage(node) for node in info.inputs}
    yield f"forward {listed(forward_outputs)}"
    yield f"backward {listed(backward_outputs)}"
    for node in nodes:
        letter = kind(node, info.static_lifetime_input_nodes, ops)
        tuple_of = not isinstance(node.meta["val"], torch.Tensor)
        own = node.op == "call_function" and not tuple_of and get_node_storage(node) in shared
        marks = ("*" if tuple_of else "") + ("=" if own else "")
        name = node.name.rstrip("0123456789").rstrip("_")
        direct = [it for it in node.args if isinstance(it, torch.fx.Node)]
        others = [it for it in node.all_input_nodes if it not in direct]
        words = [letter + marks, name, str(size(node)), str(runtime(node)), listed(direct)]
        words += ["|", listed(others)] if others else []
        yield " ".join(word for word in words if word)
    return place


def partitions(function, inputs, trained):
    """The lines of one network. What the partitioner is asked once is asked for every budget."""
    lines = []
    ends = []
    chosen = partitioners.choose_saved_values_set

    def watched(graph, info, memory_budget=1):
        nodes = [node for node in graph.nodes if node.op != "output"]
        place = {node: index for index, node in enumerate(nodes)}
        results = next(node for node in graph.nodes if node.op == "output").args[0]
        lines.extend(lines_of(graph, info, results[: ends[0]], results[ends[0] :]))

        def saved(budget, solver):
            with config.patch(activation_memory_budget_solver=solver):
                found = chosen(graph, info, memory_budget=budget)
            return " ".join(str(place[node]) for node in found)

        answers = {budget: saved(budget, "dp") for budget in BUDGETS}
        lines.extend(f"saved {budget}: {found}" for budget, found in answers.items())
        for budget in BUDGETS_OF_GREEDY:
            found = saved(budget, "greedy")
            if found != answers[budget]:
                lines.append(f"greedy {budget}: {found}")
        raise Found

    def partition(module, joint_inputs, *, num_fwd_outputs, **_):
        ends.append(num_fwd_outputs)
        partitioners.choose_saved_values_set = watched
        partitioners.min_cut_rematerialization_partition(
            module,
            joint_inputs,
            num_fwd_outputs=num_fwd_outputs,
            static_lifetime_input_indices=trained,
        )

    compiled = aot_function(
        function,
        fw_compiler=lambda module, _: module,
        partition_fn=partition,
        decompositions=select_decomp_table(),
    )
    try:
        compiled(*inputs)
    except Found:
        pass
    finally:
        partitioners.choose_saved_values_set = chosen
    if not lines:
        raise RuntimeError("nothing was partitioned")
    return lines


class Network:
    """An arbitrary network: its parameters, and steps that are applied one after the other."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.weights = []
        self.steps = []

    def weight(self, *dims):
        self.weights.append(dims)
        return len(self.weights) - 1

    def step(self, make):
        self.steps.append(make)


def norm(net, width):
    scale = net.weight(width)
    if net.draw.random() < 0.5:
        bias = net.weight(width)
        return lambda x, w: F.layer_norm(x, (width,), w[scale], w[bias])
    return lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w[scale]


ACTIVATIONS = [
    torch.relu, torch.sigmoid, torch.tanh, F.gelu, F.silu, F.softplus, torch.exp, torch.abs,
    lambda x: F.gelu(x, approximate="tanh"), lambda x: F.leaky_relu(x, 0.1), F.hardswish,
    lambda x: x * x, lambda x: F.elu(x), torch.sin, lambda x: x / (1 + x.abs()),
    lambda x: torch.clamp(x, -1, 1), lambda x: F.dropout(x, 0.1), lambda x: F.softmax(x, -1),
    lambda x: F.log_softmax(x, -1), lambda x: x - x.mean(-1, keepdim=True),
    lambda x: x / x.norm(dim=-1, keepdim=True), lambda x: x.cumsum(-1), lambda x: x.logsumexp(-1, keepdim=True) + x,
]


def linear(net, before, after):
    weight = net.weight(after, before)
    bias = net.weight(after) if net.draw.random() < 0.6 else None
    return lambda x, w: F.linear(x, w[weight], None if bias is None else w[bias])


def attention(net, width):
    heads = net.draw.choice([1, 2, 4])
    q, k, v, out = [linear(net, width, width) for _ in range(4)]
    masked = net.draw.random() < 0.5

    def run(x, w):
        split = lambda it: it.view(*it.shape[:-1], heads, -1).transpose(-2, -3)
        a, b, c = split(q(x, w)), split(k(x, w)), split(v(x, w))
        scores = a @ b.transpose(-1, -2) / (width // heads) ** 0.5
        if masked:
            count = scores.shape[-1]
            scores = scores.masked_fill(torch.ones(count, count).triu(1).bool(), float("-inf"))
        mixed = torch.softmax(scores, -1) @ c
        return out(mixed.transpose(-2, -3).reshape(x.shape), w)

    return run


def block(net, width):
    """One arbitrary step from `width` to `width`."""
    draw = net.draw
    pick = draw.random()
    if pick < 0.35:
        some = [draw.choice(ACTIVATIONS) for _ in range(draw.randint(1, 3))]

        def run(x, w):
            for activation in some:
                x = activation(x)
            return x

        return run
    if pick < 0.5:
        return norm(net, width)
    if pick < 0.65:
        inner = draw.choice([width, 2 * width, 4 * width])
        up, down, act = linear(net, width, inner), linear(net, inner, width), draw.choice(ACTIVATIONS)
        return lambda x, w: down(act(up(x, w)), w)
    if pick < 0.75:
        gate, up, down = linear(net, width, 2 * width), linear(net, width, 2 * width), linear(net, 2 * width, width)
        return lambda x, w: down(F.silu(gate(x, w)) * up(x, w), w)
    if pick < 0.85:
        return attention(net, width)
    if pick < 0.93:
        first, second = norm(net, width), block(net, width)
        return lambda x, w: x + second(first(x, w), w)
    half = linear(net, width, width)
    return lambda x, w: torch.cat([half(x, w)[..., : width // 2], torch.relu(x)[..., width // 2 :]], -1)


def convolutional(net, channels):
    draw = net.draw
    weight = net.weight(channels, channels, 3, 3)
    act = draw.choice([torch.relu, F.silu, F.gelu, F.hardswish])
    pick = draw.random()
    scale, bias = net.weight(channels), net.weight(channels)

    def run(x, w):
        y = F.conv2d(x, w[weight], padding=1)
        if pick < 0.4:
            y = F.batch_norm(y, None, None, w[scale], w[bias], training=True)
        elif pick < 0.6:
            y = F.group_norm(y, 2, w[scale], w[bias])
        y = act(y)
        if pick < 0.2:
            y = y + x
        elif pick > 0.8:
            y = F.max_pool2d(y, 2)
        elif pick > 0.7:
            y = F.avg_pool2d(y, 2)
        return y

    return run


def arbitrary(seed):
    """A network, its input and whether the input has a gradient."""
    net = Network(seed)
    draw = net.draw
    if draw.random() < 0.25:
        channels = draw.choice([4, 8, 16])
        dims = (draw.choice([1, 2, 4]), channels, 32, 32)
        for _ in range(draw.randint(1, 3)):
            net.step(convolutional(net, channels))
        ends = linear(net, channels, 10)
        net.step(lambda x, w: ends(x.mean((-1, -2)), w))
    else:
        width = draw.choice([16, 32, 64])
        dims = (draw.choice([1, 2]), draw.choice([8, 32, 128]), width)
        for _ in range(draw.randint(1, 3)):
            net.step(block(net, width))
    return net, dims, draw.random() < 0.5


def loss(x, pick):
    if pick == 0:
        return x
    if pick == 1:
        return x.sum()
    if pick == 2:
        return (x * x).mean()
    return F.cross_entropy(x.flatten(0, -2), torch.zeros(x[..., 0].numel(), dtype=torch.long))


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight


def networks():
    with FakeTensorMode(allow_non_fake_inputs=True):
        # The handout of CS336 (Stanford, 2026): its first example.
        inputs = [torch.empty(4, 512, 2560, requires_grad=True), torch.empty(2560, requires_grad=True)]
        yield "rms_norm", partitions(rms_norm, inputs, [1])
        for seed in range(NETWORKS):
            net, dims, graded = arbitrary(seed)
            pick = net.draw.randrange(4)

            def function(*given):
                x = given[-1]
                for step in net.steps:
                    x = step(x, given)
                return loss(x, pick)

            given = [torch.empty(*own, requires_grad=True) for own in net.weights]
            given.append(torch.empty(*dims, requires_grad=graded))
            if not any(it.requires_grad for it in given):
                given[-1].requires_grad = True
            yield f"{seed}", partitions(function, given, list(range(len(net.weights))))


def main():
    if not torch.__version__.startswith(VERSION):
        sys.exit(f"min_cut.py is about torch {VERSION}, not {torch.__version__}")
    warnings.simplefilter("ignore")
    made = []
    for name, lines in networks():
        made += [f"network {name}", *lines]
    text = "\n".join(made) + "\n"
    if len(sys.argv) < 2:
        sys.stdout.write(text)
    elif open(sys.argv[1], encoding="utf8").read() != text:
        sys.exit(f"torch {torch.__version__} would partition otherwise than {sys.argv[1]} says")
    else:
        print(f"{NETWORKS + 1} networks are partitioned as {sys.argv[1]} says")


if __name__ == "__main__":
    main()
