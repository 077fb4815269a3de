"""What torch.compile's partitioner saves of networks that a test has as graphs in text.

With torch 2.15.0 and what it needs `python3 compiled.py > compiled.txt` makes the file again,
`python3 compiled.py FILE` ends with an error where the installed version would write another one.
Tensors are fake, as in `min_cut.py`. A line is a network, a memory budget and the bytes of what is
saved beside parameters, in ascending order.
"""

import sys

import min_cut
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode


def mlp(x, w1, b1, w2, b2, scale, shift):
    h = F.layer_norm(x, (64,), scale, shift)
    return x + (F.linear(F.gelu(F.linear(h, w1) + b1), w2) + b2)


def residual(x, w0, w1, s1, t1, w2, s2, t2, w3, b3):
    x = F.conv2d(x, w0, padding=1)
    norm = lambda y, scale, shift: F.batch_norm(y, None, None, scale, shift, training=True)
    y = torch.relu(norm(F.conv2d(x, w1, padding=1), s1, t1))
    y = torch.relu(x + norm(F.conv2d(y, w2, padding=1), s2, t2))
    y = F.max_pool2d(y, 2)
    return F.linear(y.mean((-1, -2), keepdim=True).flatten(1), w3, b3)


def attention(x, q, k, v, o):
    split = lambda t: t.view(2, 32, 4, 16).transpose(1, 2)
    a, b, c = split(F.linear(x, q)), split(F.linear(x, k)), split(F.linear(x, v))
    p = F.dropout(torch.softmax((a @ b.transpose(-1, -2)) * 0.25, -1), 0.1)
    return F.linear((p @ c).transpose(1, 2).reshape(2, 32, 64), o)


def swiglu(x, scale, gate, up, down):
    h = F.rms_norm(x, (64,), scale)
    return F.log_softmax(F.linear(F.silu(F.linear(h, gate)) * F.linear(h, up), down), -1)


def squeezed(x, w, reduce, expand, w2):
    y = F.hardswish(F.conv2d(x, w, padding=1))
    s = torch.relu(F.conv2d(y.mean((-1, -2), keepdim=True), reduce))
    return F.conv2d(y * F.hardsigmoid(F.conv2d(s, expand)), w2)


def skipped(x, w, scale, shift, w2):
    y = F.silu(F.group_norm(F.conv2d(x, w, padding=1), 4, scale, shift))
    return F.conv2d(torch.cat([y, x], 1), w2).sigmoid()


IMAGE = (2, 8, 16, 16)
TEXT = (2, 32, 64)
NETWORKS = [
    (mlp, TEXT, [(256, 64), (256,), (64, 256), (64,), (64,), (64,)]),
    (
        residual,
        (2, 3, 16, 16),
        [(8, 3, 3, 3), (8, 8, 3, 3), (8,), (8,), (8, 8, 3, 3), (8,), (8,), (10, 8), (10,)],
    ),
    (attention, TEXT, [(64, 64)] * 4),
    (swiglu, TEXT, [(64,), (128, 64), (128, 64), (100, 128)]),
    (squeezed, IMAGE, [(16, 8, 3, 3), (4, 16, 1, 1), (16, 4, 1, 1), (8, 16, 1, 1)]),
    (skipped, IMAGE, [(16, 8, 3, 3), (16,), (16,), (4, 24, 1, 1)]),
]


def answers(function, dims, weights):
    with FakeTensorMode(allow_non_fake_inputs=True):
        given = [torch.empty(*dims), *(torch.empty(*own, requires_grad=True) for own in weights)]
        lines = min_cut.partitions(function, given, list(range(1, len(given))))
    words = ("forward ", "backward ", "saved ", "greedy ")
    nodes = [line.split() for line in lines if not line.startswith(words)]
    for line in lines:
        if line.startswith("saved "):
            budget, saved = line.removeprefix("saved ").split(":")
            own = [nodes[int(node)] for node in saved.split()]
            sizes = sorted(int(node[2]) for node in own if node[0] != "W")
            yield f"{function.__name__} {budget}: {' '.join(map(str, sizes))}\n"


def main():
    text = "".join(line for network in NETWORKS for line in answers(*network))
    if len(sys.argv) < 2:
        sys.stdout.write(text)
    elif open(sys.argv[1], encoding="utf8").read() != text:
        sys.exit(f"torch {torch.__version__} would save something else than {sys.argv[1]} says")
    else:
        print(f"{len(NETWORKS)} networks save what {sys.argv[1]} says")


main()
