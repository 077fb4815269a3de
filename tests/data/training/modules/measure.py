"""Exports torch modules in training mode by both exporters, and measures on the CPU what autograd
saves of them: python measure.py FOLDER > FOLDER/measured.json

Needs torch, onnx and onnxscript. For each module there are NAME.script.onnx
(`torch.onnx.export(dynamo=False)`) and NAME.dynamo.onnx (`dynamo=True`), without the numbers of
its weights. `weights` are the bytes of the parameters, `saved` those of each storage that
`torch.autograd.graph.saved_tensors_hooks` sees, once, without parameters, buffers, the inputs
and the target. The loss is the mean squared error.
"""

import json
import sys
import warnings
from pathlib import Path

import onnx
import torch
import torch.nn.functional as F
from torch import nn

# Below so many bytes a constant may be a shape or a factor.
SMALL = 64


class First(nn.Module):
    """The first of what a recurrent layer gives, and a layer on it."""

    def __init__(self, layer, last):
        super().__init__()
        self.layer, self.last = layer, last

    def forward(self, x):
        return self.last(self.layer(x)[0])


class Attention(nn.Module):
    """Self-attention of two heads by `scaled_dot_product_attention`."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(16, 16) for _ in range(4))

    def forward(self, x):
        heads = [it(x).view(3, 10, 2, 8).transpose(1, 2) for it in (self.q, self.k, self.v)]
        mixed = F.scaled_dot_product_attention(*heads)
        return self.o(mixed.transpose(1, 2).reshape(3, 10, 16))


class Chunked(nn.Module):
    """Self-attention of four heads, whose queries, keys and values are parts of one product."""

    def __init__(self):
        super().__init__()
        self.all, self.o = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        heads = [it.view(2, 6, 4, 8).transpose(1, 2) for it in self.all(x).chunk(3, -1)]
        mixed = F.scaled_dot_product_attention(*heads)
        return self.o(mixed.transpose(1, 2).reshape(2, 6, 32))


class Scaled(nn.Module):
    """Arithmetic with numbers of the code, which an exporter casts like its operand."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(12, 20), nn.Linear(20, 6)

    def forward(self, x):
        return self.two(torch.tanh(self.one(x) * 0.5) + 1.0)


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(50, 16), nn.LayerNorm(16)
        self.last = nn.Linear(16, 4)

    def forward(self, x):
        return self.last(self.norm(self.table(x)))


MODULES = {
    "lstm": (First(nn.LSTM(16, 24), nn.Linear(24, 5)), (7, 3, 16)),
    "lstm_two_ways": (
        First(nn.LSTM(16, 12, num_layers=2, bidirectional=True), nn.Linear(24, 5)), (7, 3, 16)
    ),
    "lstm_batch_first": (
        First(nn.LSTM(16, 24, batch_first=True), nn.Linear(24, 5)), (3, 7, 16)
    ),
    "gru": (First(nn.GRU(16, 24), nn.Linear(24, 5)), (7, 3, 16)),
    "rnn": (First(nn.RNN(16, 24), nn.Linear(24, 5)), (7, 3, 16)),
    "group_norm_silu": (
        nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.SiLU(),
            nn.Conv2d(8, 5, 3, padding=1),
        ),
        (2, 3, 8, 8),
    ),
    "gelu": (nn.Sequential(nn.Linear(12, 20), nn.GELU(), nn.Linear(20, 6)), (9, 12)),
    "gelu_tanh": (
        nn.Sequential(nn.Linear(12, 20), nn.GELU("tanh"), nn.Linear(20, 6)), (9, 12)
    ),
    "attention": (Attention(), (3, 10, 16)),
    "attention_chunked": (Chunked(), (2, 6, 32)),
    "encoder": (
        nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), (2, 6, 32)
    ),
    "batch_norm": (
        nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 5, 3, padding=1), nn.BatchNorm2d(5),
        ),
        (4, 3, 8, 8),
    ),
    "transposed_instance_norm": (
        nn.Sequential(
            nn.ConvTranspose2d(3, 6, 2, stride=2), nn.InstanceNorm2d(6, affine=True),
            nn.LeakyReLU(0.1), nn.Conv2d(6, 4, 3, padding=1),
        ),
        (2, 3, 5, 5),
    ),
    "dropout": (
        nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Dropout(0.25), nn.Linear(20, 6)), (9, 12)
    ),
    "dropout_none": (
        nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Dropout(0.0), nn.Linear(20, 6)), (9, 12)
    ),
    "tokens": (Tokens(), (4, 6)),
    "scaled": (Scaled(), (9, 12)),
    "activations": (
        nn.Sequential(
            nn.Linear(12, 20), nn.Hardswish(), nn.Linear(20, 18), nn.Mish(), nn.Linear(18, 16),
            nn.Softplus(), nn.Linear(16, 14), nn.Hardsigmoid(), nn.Linear(14, 6),
        ),
        (9, 12),
    ),
}


def measured(module, given):
    """The bytes of each storage that autograd saves, ascending."""
    tensors = (*module.parameters(), *module.buffers(), given)
    known = {it.untyped_storage().data_ptr() for it in tensors}
    found, kept = {}, []

    def pack(tensor):
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        made = module(given)
        target = torch.zeros_like(made)
        known.add(target.untyped_storage().data_ptr())
        loss = F.mse_loss(made, target)
    loss.backward()
    return sorted(size for place, size in found.items() if place not in known)


def without_weights(path):
    """Leaves the numbers of weights, and what the exporter says of itself, out of a file."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        numbers = onnx.numpy_helper.to_array(tensor)
        if numbers.nbytes > SMALL and tensor.data_type == onnx.TensorProto.FLOAT:
            tensor.ClearField("raw_data")
            tensor.ClearField("float_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="left_out")
    for node in model.graph.node:
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    for function in model.functions:
        for node in function.node:
            node.ClearField("metadata_props")
            node.ClearField("doc_string")
    for value in (*model.graph.value_info, *model.graph.input, *model.graph.output):
        value.ClearField("metadata_props")
    for tensor in model.graph.initializer:
        tensor.ClearField("metadata_props")
    model.ClearField("metadata_props")
    model.graph.ClearField("metadata_props")
    path.write_bytes(model.SerializeToString(deterministic=True))


def export(name, module, given, folder):
    """The files that could be made, and why others could not."""
    refused = {}
    for way, dynamo in (("script", False), ("dynamo", True)):
        path = folder / f"{name}.{way}.onnx"
        more = {} if dynamo else {"training": torch.onnx.TrainingMode.TRAINING,
                                  "do_constant_folding": False}
        more = {"external_data": False, **more} if dynamo else more
        try:
            torch.onnx.export(module, (given,), path, dynamo=dynamo, verbose=False, **more)
            without_weights(path)
        except Exception as error:
            refused[way] = str(error).strip().splitlines()[0]
    return refused


def main(folder):
    warnings.simplefilter("ignore")
    found = {"torch": torch.__version__, "modules": {}}
    for name, (module, shape) in MODULES.items():
        torch.manual_seed(1)
        module.train()
        given = torch.randint(0, 50, shape) if name == "tokens" else torch.randn(shape)
        saved = measured(module, given)
        refused = export(name, module, given, folder)
        weights = sum(it.nbytes for it in module.parameters())
        found["modules"][name] = {"weights": weights, "saved": saved}
        if refused:
            found["modules"][name]["refused"] = refused
    return found


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
