"""Measures on the CPU what PyTorch's autograd saves of three networks, as JSON.

Usage: python measure.py > measured.json

The networks are those of the graphs beside this file. Bytes are those of each storage that
`torch.autograd.graph.saved_tensors_hooks` sees, once, without parameters, buffers, the model's
input and the target. The loss is the mean squared error. `segments` are the same where
`checkpoint_sequential` runs the modules in so many, `blocks` where each block of the transformer
is checkpointed; `in_place` are those of the activations where they write over what they read.
"""

import json

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Mean(nn.Module):
    def forward(self, x):
        return x.mean((2, 3), keepdim=True).flatten(1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(32), nn.LayerNorm(32)
        self.q, self.k, self.v, self.o = (nn.Linear(32, 32, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(32, 96), nn.Linear(96, 32)
        self.register_buffer("scale", torch.tensor(8**-0.5))

    def forward(self, x):
        n = self.before(x)
        q = self.q(n).reshape(12, 4, 8).permute(1, 0, 2)
        k = self.k(n).reshape(12, 4, 8).permute(1, 2, 0)
        v = self.v(n).reshape(12, 4, 8).permute(1, 0, 2)
        p = torch.softmax((q @ k) * self.scale, -1)
        z = x + self.o((p @ v).permute(1, 0, 2).reshape(12, 32))
        return z + self.down(F.gelu(self.up(self.between(z))))


CNN = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), Mean(), nn.Linear(16, 10),
)
MLP = nn.Sequential(
    nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 40), nn.Sigmoid(),
)
TRANSFORMER = nn.Sequential(Block(), Block())
ACTIVATIONS = {
    in_place: nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU6(inplace=in_place),
        nn.Conv2d(8, 7, 3, padding=1), nn.BatchNorm2d(7), nn.LeakyReLU(0.1, inplace=in_place),
        nn.Conv2d(7, 6, 3, padding=1), nn.ELU(inplace=in_place),
        nn.Conv2d(6, 5, 3, padding=1), nn.ReLU(inplace=in_place),
        Mean(), nn.Linear(5, 4), nn.Sigmoid(),
    )
    for in_place in (False, True)
}
NETWORKS = {
    "cnn": (CNN, (8, 3, 16, 16)),
    "mlp": (MLP, (32, 24)),
    "transformer": (TRANSFORMER, (12, 32)),
    "activations": (ACTIVATIONS[False], (2, 3, 8, 8)),
}


def saved(network, shape, run):
    """The bytes of what is saved when `run` computes `network`, ascending."""
    given = torch.randn(shape)
    known = {it.untyped_storage().data_ptr() for it in (*network.parameters(), *network.buffers())}
    known.add(given.untyped_storage().data_ptr())
    found, kept = {}, []

    def pack(tensor):
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        made = run(network, given)
        target = torch.zeros_like(made)
        known.add(target.untyped_storage().data_ptr())
        loss = F.mse_loss(made, target)
    loss.backward()
    return sorted(size for place, size in found.items() if place not in known)


def blocks(network, given):
    for block in network:
        given = checkpoint(block, given, use_reentrant=False)
    return given


def segments(count):
    return lambda network, given: checkpoint_sequential(
        network, count, given, use_reentrant=False
    )


if __name__ == "__main__":
    torch.manual_seed(1)
    everything = {
        name: saved(network, shape, lambda it, given: it(given))
        for name, (network, shape) in NETWORKS.items()
    }
    print(json.dumps({
        "torch": torch.__version__,
        "saved": everything,
        "in_place": saved(ACTIVATIONS[True], (2, 3, 8, 8), lambda it, given: it(given)),
        "segments": {str(count): saved(MLP, (32, 24), segments(count)) for count in (2, 3)},
        "blocks": saved(TRANSFORMER, (12, 32), blocks),
    }, indent=1))
