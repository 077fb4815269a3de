"""Writes nnvm_tokens.json: what MXNet allocates for random graphs, by match range.

Run with Python 3.11, mxnet 1.9.1, numpy 1.23, requests and graphviz 0.8. Every graph is a
process of its own, because the order and sizes of its nodes are read from MXNet's log.
"""
import json
import os
import random
import re
import subprocess
import sys

UNIT = 262144  # floats in a MiB
SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
RUNS = {  # match range, whether to search for it, number of colours
    **{str(most): (str(most), "0", "1") for most in (1, 2, 4, 8, 16)},
    "auto": ("16", "1", "1"),
    "colors": ("16", "0", "8"),
}


def graph(mx, rnd):
    """A random symbol and the shapes of its variables; sizes are whole MiB."""
    shapes = {"x": (4 * UNIT,)}
    pool = [(mx.sym.Variable("x"), 4)]
    used = set()
    for k in range(rnd.randint(14, 24)):
        kind = rnd.choice(["take", "take", "concat", "sin", "add", "split"])
        recent = pool[-6:]
        one, size = rnd.choice(recent)
        other, more = rnd.choice(recent)
        if kind == "concat" and size + more > 60:
            kind = "take"
        if kind == "add":
            same = [p for p in pool if p[1] == size and p[0] is not one]
            kind = "add" if same else "take"
            other = rnd.choice(same)[0] if same else other
        if kind == "split" and size % 2:
            kind = "sin"
        used.add(id(one))
        if kind in ("concat", "add"):
            used.add(id(other))
        name = f"n{k}"
        if kind == "take":
            length = rnd.choice(SIZES)
            shapes[f"i{k}"] = (length * UNIT,)
            index = mx.sym.Variable(f"i{k}")
            pool.append((mx.sym.take(one, index, name=name), length))
        elif kind == "concat":
            pool.append((mx.sym.concat(one, other, dim=0, name=name), size + more))
        elif kind == "sin":
            pool.append((mx.sym.sin(one, name=name), size))
        elif kind == "add":
            pool.append((mx.sym.elemwise_add(one, other, name=name), size))
        else:
            halves = mx.sym.split(one, num_outputs=2, axis=0, name=name)
            pool.append((halves[0], size // 2))
            if rnd.random() < 0.6:
                pool.append((halves[1], size // 2))
    unread = [symbol for symbol, _ in pool[1:] if id(symbol) not in used]
    return mx.sym.Group(unread), shapes


def one(seed):
    """Prints the nodes of a graph and MXNet's totals in MiB; sizes go to the log."""
    os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
    os.environ["MXNET_ELIMINATE_COMMON_EXPR"] = "0"
    import mxnet as mx

    symbol, shapes = graph(mx, random.Random(seed))
    shapes = {name: shapes[name] for name in symbol.list_arguments()}
    totals = {}
    for key, (most, search, colors) in RUNS.items():
        os.environ["NNVM_EXEC_MATCH_RANGE"] = most
        os.environ["NNVM_AUTO_SEARCH_MATCH_RANGE"] = search
        os.environ["NNVM_EXEC_NUM_TEMP"] = colors
        os.environ["MXNET_MEM_PLAN_VERBOSE_LOGGING"] = "1" if key == "1" else "0"
        bound = symbol.simple_bind(mx.cpu(), grad_req="null", **shapes)
        told = re.search(r"Total (\d+) MB", bound.debug_str())
        totals[key] = int(told.group(1))
    print(json.dumps({"totals": totals, **json.loads(symbol.tojson())}))


def case(seed):
    """The case of `seed` as rows of operators, or None when the log is incomplete."""
    command = [sys.executable, __file__, str(seed)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(run.stdout.strip().splitlines()[-1])
    sizes = re.findall(r"output (\d+): \[(\d+)\]", run.stderr)
    sizes = {int(entry): int(length) // UNIT for entry, length in sizes}
    entry, tensors, ops = 0, {}, []
    for index, node in enumerate(told["nodes"]):
        outputs = 2 if node["op"] == "SliceChannel" else 1
        if node["op"] != "null":
            own = range(entry, entry + outputs)
            if any(output not in sizes for output in own):
                return None
            inputs = [tuple(key[:2]) for key in node["inputs"]]
            row = {
                "kind": node["op"],
                "inputs": [tensors[key] for key in inputs if key in tensors],
                "sizes": [sizes[output] for output in own],
            }
            ops.append(row)
            tensors.update({(index, k): len(tensors) + k for k in range(outputs)})
        entry += outputs
    heads = [tensors[tuple(key[:2])] for key in told["heads"]]
    return {"ops": ops, "outputs": heads, "totals": told["totals"]}


def main():
    cases = [case(seed) for seed in range(1, 31)]
    lines = [json.dumps(c, separators=(",", ":")) for c in cases if c]
    source = "MXNet 1.9.1, total of Executor.debug_str in MiB; written by nnvm_tokens.py"
    head = json.dumps({"source": source})[:-1]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nnvm_tokens.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    one(int(sys.argv[1])) if len(sys.argv) > 1 else main()
