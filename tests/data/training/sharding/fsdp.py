"""Measures on the CPU what a rank holds when PyTorch's FSDP2 trains a small transformer, as JSON.

Usage: python fsdp.py > fsdp.json

No other rank runs: the process group is torch's fake one, whose collectives do nothing, so that
numbers are arbitrary and bytes are not. `FSDPMemTracker` counts storages; without FSDP (`whole`)
it is `MemTracker`. A step is a forward pass, the mean cross entropy, a backward pass, Adam
(foreach, as it is by default on a GPU) and no gradients left. Rows are bytes by `categories`, the
last their sum; of the first step there is that sum alone. `peak` is that of both passes,
`forward` and `backward` are what is there after each, `update_peak` and `update` the same of
Adam. `units` are the peaks of each unit's passes in the second step, `states` all that the
tracker notes there. In `variants`, `root` is resharded after the forward pass, too; `prefetch` is
how many units are gathered ahead explicitly, both ways; `micro` is how many micro-batches there
are, of which `reduce_each` reduces each: rows are then of the last one.

What FSDP2 does (_fsdp_state.py, _fsdp_param_group.py, _fsdp_param.py and _fsdp_collectives.py of
torch 2.15, in torch/distributed/fsdp/_fully_shard). A unit is what `fully_shard` was called with,
less the units inside it; what is left at the top is the root. d is the number of ranks and n the
elements of a unit, the first dimension of each parameter rounded up to a multiple of d. An
element takes P bytes as it is stored (4), C as `param_dtype` and R as `reduce_dtype` (P where
there is no policy).

- Always there: shards, n/d P on each rank, padding included. Gradients of shards are views of n/d
  P as well; states of the optimizer have no padding, so that the last ranks may hold less of
  them.
- To gather a unit is to allocate, with a policy, its shard cast to C (n/d C), then one flat
  output (n C), of which this rank's input is a part; after the call the cast shard is gone. To
  copy it out is to allocate n C more, a storage for each parameter: the same tensor each time,
  resized from 0 and back. Parameters are not views of the flat output, so that for a moment 2 n C
  are there.
- Forward: a unit is gathered when it is entered and none before. Its flat output stays while it
  is computed; the next unit's copying out, after that one's flat output was allocated, frees it,
  and so does the end of the root. So a unit that is computed has n C twice, beside the parameters
  of the root; between two units there are two flat outputs, and no parameters but the root's.
  Parameters go when the unit is left (`reshard_after_forward`), those of the root only where it
  says True.
- Backward: a unit begins when the gradient of its output is there. It is gathered now unless it
  was already; it is copied out, which here frees the flat output at once; then the unit before
  it, in the order in which they ran forward, is gathered but not copied out. So a unit that is
  computed has its n C and n C of the unit before it, beside the root's. What was not resharded
  needs none of it.
- A unit ends when the gradients of its inputs are there; without such an input, as the root that
  reads tokens, it ends after all others, and keeps parameters and gradients until then. At its
  end its parameters are freed, whether they were resharded after the forward pass or not; then
  the input of the previous unit's reduction; then its own input is allocated (n R), its gradients
  are copied in (until now C each, without padding) and freed; then the output (n/d R). So there
  is one input of a reduction at a time, and it stays through the computation of the next unit and
  after the root until the pass is over. It is there beside gradients while they are copied, never
  beside another.
- The gradients of a unit's shards are views of that output if R is P and else of its cast. Where
  there are some already, as after another micro-batch, the output is added to them and freed.
- `set_requires_gradient_sync(False)`: no reduction. Gradients stay whole, in R; later ones are
  added in place. Parameters are freed at the end of a unit all the same, and gathered again.
- Explicitly gathered units come after a unit's own copying out, each with a flat output that
  stays until it is copied out itself; backward they take the place of the unit before.

The tracker: gradients are Temp until their unit ends, and so are flat outputs that were asked for
explicitly in the backward pass. A cast shard is Activation or Temp. After a unit's end (After
Post-Backward) the tracker itself still holds the gradient of its last parameter.
"""

import json

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed._tools.mem_tracker import MemTracker
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

COMMON = {"heads": 4, "sequence": 32, "batch": 2}
# 8 ranks cannot divide a vocabulary of 100 evenly. In the second network 8 divides no dimension, 4
# divides one of three and 2 two.
SIZES = {
    "even": {"hidden": 64, "inner": 256, "vocabulary": 100, **COMMON},
    "uneven": {"hidden": 60, "inner": 250, "vocabulary": 101, **COMMON},
}
BLOCKS = 3
HALF = torch.bfloat16


class Block(nn.Module):
    def __init__(self, hidden, heads, inner, sequence, dtype):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.q, self.k, self.v, self.out = (nn.Linear(hidden, hidden, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        mask = torch.full((sequence, sequence), -torch.inf, dtype=dtype).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x):
        batch, sequence, hidden = x.shape
        n = self.before(x)
        q, k, v = (
            it(n).view(batch, sequence, self.heads, -1).transpose(1, 2)
            for it in (self.q, self.k, self.v)
        )
        scores = (q @ k.transpose(2, 3)) * (hidden // self.heads) ** -0.5
        mixed = torch.softmax(scores + self.mask, -1) @ v
        z = x + self.out(mixed.transpose(1, 2).reshape(batch, sequence, hidden))
        return z + self.down(F.gelu(self.up(self.between(z))))


class Transformer(nn.Module):
    def __init__(self, hidden, heads, inner, vocabulary, sequence, dtype):
        super().__init__()
        self.table = nn.Embedding(vocabulary, hidden)
        self.blocks = nn.ModuleList(
            Block(hidden, heads, inner, sequence, dtype) for _ in range(BLOCKS)
        )
        self.norm, self.head = nn.LayerNorm(hidden), nn.Linear(hidden, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.table(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def transformer(size, dtype=torch.float32):
    """The network, its tokens and what should follow."""
    size = dict(SIZES[size])
    shape = (size.pop("batch"), size["sequence"])
    return Transformer(**size, dtype=dtype), *(torch.zeros(shape, dtype=torch.int64) for _ in "xy")


def row(snapshot):
    """The bytes of one device by category."""
    return [bytes for of_device in snapshot.values() for bytes in of_device.values()]


def names(snapshot):
    return [getattr(it, "value", it) for of_device in snapshot.values() for it in of_device]


def prefetched(model, count):
    """Has so many units gathered ahead in both directions."""
    units = [model, *model.blocks]
    for place, unit in enumerate(units):
        unit.set_modules_to_forward_prefetch(units[place + 1 : place + 1 + count])
    # The root is where the backward pass begins.
    units = [model, *reversed(model.blocks)]
    for place, unit in enumerate(units):
        unit.set_modules_to_backward_prefetch(units[place + 1 : place + 1 + count])


def step(tracker, model, adam, tokens, target, micro, reduce_each):
    found = {}
    for done in range(micro):
        tracker.reset_mod_stats()
        if micro > 1:
            model.set_requires_gradient_sync(reduce_each or done + 1 == micro)
        with tracker:
            made = model(tokens)
            loss = F.cross_entropy(made.flatten(0, 1), target.flatten())
            del made
            found["forward"] = row(tracker.get_tracker_snapshot())
            loss.backward()
            found["backward"] = row(tracker.get_tracker_snapshot())
        found["peak"] = row(tracker.get_tracker_snapshot("peak"))
        del loss
    # Entered anew, the tracker has a peak of the update alone.
    with tracker:
        adam.step()
    found["update_peak"] = row(tracker.get_tracker_snapshot("peak"))
    found["update"] = row(tracker.get_tracker_snapshot())
    with tracker:
        adam.zero_grad()
    return found


def steps(tracker, model, adam, tokens, target, micro=1, reduce_each=True):
    first, second = (
        step(tracker, model, adam, tokens, target, micro, reduce_each) for _ in range(2)
    )
    return {"first": {state: bytes[-1] for state, bytes in first.items()}, "second": second}


def optimizer(model):
    return torch.optim.Adam(model.parameters(), foreach=True)


def whole(size):
    """Without FSDP."""
    model, tokens, target = transformer(size)
    adam, tracker = optimizer(model), MemTracker()
    tracker.track_external(model, tokens, target)
    return {
        "size": size,
        **steps(tracker, model, adam, tokens, target),
        "categories": names(tracker.get_tracker_snapshot()),
    }


def states(tracker, wanted):
    """Snapshots of each unit by state; a unit has each state once."""
    return {
        unit.mod_fqn.partition(".")[2]: {
            state.value: row(snapshots[-1])
            for state, snapshots in unit.snapshots.items()
            if wanted in state.value
        }
        for unit in tracker.memory_tracking.values()
    }


def sharded(
    size, world, reshard, half, *,
    rank=0, root=None, prefetch=0, micro=1, reduce_each=True, all=False,
):
    """With FSDP2, a unit for each block and one for what is left."""
    dist.init_process_group("fake", rank=rank, world_size=world, store=FakeStore())
    try:
        policy = MixedPrecisionPolicy(HALF, torch.float32) if half else MixedPrecisionPolicy()
        shard = {"mesh": init_device_mesh("cpu", (world,)), "mp_policy": policy}
        model, tokens, target = transformer(size, HALF if half else torch.float32)
        for block in model.blocks:
            fully_shard(block, reshard_after_forward=reshard, **shard)
        fully_shard(model, reshard_after_forward=root, **shard)
        if prefetch > 0:
            prefetched(model, prefetch)
        adam = optimizer(model)
        tracker = FSDPMemTracker(model, adam)
        tracker.track_inputs((tokens, target))
        made = steps(tracker, model, adam, tokens, target, micro, reduce_each)
        usual = {"size": size, "world": world, "reshard": reshard, "half": half}
        of_units = {"states" if all else "units": states(tracker, "" if all else "Peak")}
        return {**usual, **made, **of_units}, names(tracker.get_tracker_snapshot())
    finally:
        dist.destroy_process_group()


VARIANTS = [
    {"root": True},
    {"prefetch": 1},
    {"prefetch": 2},
    {"micro": 2},
    {"micro": 2, "reduce_each": False},
]


def variants():
    """What differs from the usual, and how."""
    asked = [("even", 4, True, half, more) for more in VARIANTS for half in (False, True)]
    asked.append(("uneven", 8, True, True, {"rank": 7}))
    for *usual, more in asked:
        found, _ = sharded(*usual, **more)
        yield {**more, **found}


def shapes(module):
    return {name: list(it.shape) for name, it in module.named_parameters()}


def parameters(size):
    """Their shapes in a block, and of those that are in none."""
    model, *_ = transformer(size)
    others = {name: it for name, it in shapes(model).items() if not name.startswith("blocks.")}
    return {"block": shapes(model.blocks[0]), "root": others}


def written(found):
    """A line for each of a list, since a line for each number makes twice as much."""
    if isinstance(found, list):
        return "[\n" + ",\n".join(json.dumps(it, separators=(",", ":")) for it in found) + "\n]"
    return json.dumps(found)


if __name__ == "__main__":
    torch.manual_seed(1)
    usual = [
        (size, world, reshard, half)
        for size in SIZES
        for world in (2, 4, 8)
        for reshard in (True, False)
        for half in (False, True)
    ]
    made = [sharded(*it, all=it[:2] == ("even", 4)) for it in usual]
    everything = {
        "torch": torch.__version__,
        "blocks": BLOCKS,
        "sizes": SIZES,
        "parameters": {size: parameters(size) for size in SIZES},
        "categories": made[0][1],
        "whole": [whole(size) for size in SIZES],
        "sharded": [it for it, _ in made],
        "variants": list(variants()),
    }
    lines = (f'"{name}": {written(found)}' for name, found in everything.items())
    print("{\n" + ",\n".join(lines) + "\n}")
