"""Modules of PyTorch through both of its exporters, as they are and quantised by ONNX Runtime's tools
in three ways, and what ONNX Runtime computes of each.

`producers.py exports` runs them with the program `corpus` and compares. Weights are seeded and have
7 bits where they are quantised (see quantised_models.py). Every module is such that both exporters
take it: the older one knows neither RMSNorm nor channel_shuffle nor TransformerEncoderLayer.
"""

import io
import json
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy
import onnx
import onnxruntime
import torch
from torch import nn

import corpus
from quantised_models import Optimised, quantised

TOLERANCE = 2**-21
"""Largest difference over the largest element of an output: eight roundings of float32, as sums are
taken in another order. Sums of integers have no order."""

HOWS = ["float", "dynamic", "qdq", "qoperator"]


class Attention(nn.Module):
    """Every position looks at all."""

    def __init__(self):
        super().__init__()
        self.heads = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x):
        return self.heads(x, x, x, need_weights=False)[0]


class Causal(nn.Module):
    """Scaled dot products of what a matrix makes, with a mask of the future."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(32, 96)

    def forward(self, x):
        q, k, v = (it.unflatten(-1, (4, 8)).transpose(1, 2) for it in self.inner(x).chunk(3, -1))
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)


class Sequence(nn.Module):
    """A recurrent layer without its last state."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.last = layer, nn.Linear(layer.hidden_size * (2 if layer.bidirectional else 1), 5)

    def forward(self, x):
        return self.last(self.layer(x)[0])


class Residual(nn.Module):
    """What goes around a normalised convolution."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8))

    def forward(self, x):
        return torch.relu(x + self.inner(x))


class Joined(nn.Module):
    """Two convolutions side by side, and their channels in another order."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 8, 3, padding=1)

    def forward(self, x):
        joined = torch.cat([self.one(x), self.other(x)], 1)
        return joined.unflatten(1, (3, 4)).transpose(1, 2).flatten(1, 2)


class Scaled(nn.Module):
    """Rows by their root mean square, and then by weights."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(32) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class Encoder(nn.Module):
    """A layer of a transformer."""

    def __init__(self):
        super().__init__()
        self.attention, self.first, self.second = Attention(), nn.LayerNorm(32), nn.LayerNorm(32)
        self.inner = nn.Sequential(nn.Linear(32, 48), nn.ReLU(), nn.Linear(48, 32))

    def forward(self, x):
        x = self.first(x + self.attention(x))
        return self.second(x + self.inner(x))


MODULES = {
    "linear": (lambda: nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, 10)), [6, 24]),
    "conv1d": (lambda: nn.Sequential(nn.Conv1d(4, 8, 5, stride=2, padding=2), nn.ELU()), [2, 4, 33]),
    "conv2d": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()), [1, 3, 16, 16]),
    "conv3d": (lambda: nn.Sequential(nn.Conv3d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2)), [1, 2, 6, 6, 6]),
    "depthwise": (lambda: nn.Sequential(nn.Conv2d(6, 6, 3, groups=6), nn.Hardswish(), nn.Conv2d(6, 9, 1)), [1, 6, 9, 9]),
    "dilated": (lambda: nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(3, 4, 3, dilation=2), nn.PReLU(4)), [1, 3, 11, 11]),
    "transposed": (
        lambda: nn.Sequential(nn.ConvTranspose2d(4, 6, 4, 2, 1), nn.InstanceNorm2d(6, affine=True), nn.LeakyReLU(0.1)),
        [1, 4, 7, 7],
    ),
    "residual": (Residual, [1, 8, 8, 8]),
    "joined": (Joined, [1, 4, 8, 8]),
    "pooled": (lambda: nn.Sequential(nn.Conv2d(3, 5, 3), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten()), [1, 3, 18, 18]),
    "resized": (
        lambda: nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(4, 8, 3), nn.PixelShuffle(2)),
        [1, 4, 5, 5],
    ),
    "grouped": (lambda: nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.SiLU()), [1, 4, 8, 8]),
    "normed": (lambda: nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32)), [2, 7, 32]),
    "root_mean_square": (lambda: nn.Sequential(Scaled(), nn.Linear(32, 32), nn.GLU()), [2, 7, 32]),
    "attention": (Attention, [2, 6, 32]),
    "causal": (Causal, [2, 6, 32]),
    "encoder": (Encoder, [2, 6, 32]),
    "lstm": (lambda: Sequence(nn.LSTM(12, 16, 2, bidirectional=True)), [7, 2, 12]),
    "gru": (lambda: Sequence(nn.GRU(12, 16)), [7, 2, 12]),
    "rnn": (lambda: Sequence(nn.RNN(12, 16)), [7, 2, 12]),
    "embedded": (lambda: nn.Sequential(nn.Embedding(40, 16), nn.Linear(16, 12), nn.LogSoftmax(-1)), [3, 5]),
    "mixed": (lambda: nn.Sequential(nn.Linear(16, 16), nn.Softplus(), nn.Linear(16, 8), nn.Softmax(-1)), [4, 16]),
}


def made(name):
    """A module and its input, the same every time."""
    module, dims = MODULES[name]
    torch.manual_seed(len(name) + sum(map(ord, name)))
    x = torch.randint(0, 40, dims) if name == "embedded" else torch.randn(dims)
    module = module().eval()
    for part in module.modules():
        # As after training; at the start they do nothing.
        if isinstance(part, nn.BatchNorm2d):
            nn.init.uniform_(part.running_mean, -0.5, 0.5)
            nn.init.uniform_(part.running_var, 0.5, 2)
    return module, x


def exported(name, dynamo):
    """A module as an exporter writes it, and its feed."""
    module, x = made(name)
    written = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"external_data": False, "verbose": False} if dynamo else {}
        torch.onnx.export(module, (x,), written, input_names=["x"], dynamo=dynamo, **options)
    model = onnx.load_from_string(written.getvalue())
    # The quantiser infers shapes anew, and takes those of transposed weights for wrong.
    del model.graph.value_info[:]
    return model, {"x": x.numpy()}


def ran(program, content, feeds, outputs):
    """What `corpus` makes of a model: the largest difference, or why it does not run."""
    with tempfile.TemporaryDirectory() as folder:
        model, case = Path(folder, "model.onnx"), Path(folder, "case")
        model.write_bytes(content)
        corpus.written(case, feeds, outputs)
        run = subprocess.run([program, "run", model, case], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return run.stderr.strip().splitlines()[-1]
    found = json.loads(run.stdout)
    if found["run"]["verdict"] != "Confirmed" or found["outputs"]["unlike"]:
        return f"{found['run']['verdict']}, {found['outputs']['unlike']} unlike"
    return found["outputs"]["largest"]


def judged(program, content, feeds):
    """Whether it agrees with ONNX Runtime, else how far it is from it or why it is refused.

    What lies between QuantizeLinear and DequantizeLinear are floats: so the file says, and so ONNX
    Runtime computes it with basic optimisations. As deployed it makes integers of most of it, which
    moves results by steps of the quantisation; we make integers of less. Either is right."""
    onnxruntime.set_default_logger_severity(4)
    engine, levels = Optimised(content, feeds), onnxruntime.GraphOptimizationLevel
    found = None
    for level in (levels.ORT_ENABLE_ALL, levels.ORT_ENABLE_BASIC):
        far = ran(program, content, feeds, engine.run(level))
        if isinstance(far, str):
            return far
        found = far if found is None else min(found, far)
        if found <= TOLERANCE:
            return "agrees"
    return f"differs by {found:.1e}"


def cases():
    """Each model that the exporters and quantisers make: its name, its bytes, its feeds."""
    for name in MODULES:
        for dynamo in (False, True):
            model, feeds = exported(name, dynamo)
            for how in HOWS:
                content = model.SerializeToString() if how == "float" else quantised(model, feeds, how)
                yield f"{name}, {'dynamo' if dynamo else 'script'}, {how}", content, feeds
