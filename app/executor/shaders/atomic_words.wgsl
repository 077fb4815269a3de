// The words of the arena and of io where two threads may each write half of one: a thread
// changes the bits of its own element alone, so the order does not matter.

@group(0) @binding(0) var<storage, read_write> arena: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> io: array<atomic<u32>>;

fn load(space: u32, word: u32) -> u32 {
    if (space == 0u) { return atomicLoad(&arena[word]); }
    if (space == 1u) { return weights[word]; }
    return atomicLoad(&io[word]);
}

fn store(space: u32, word: u32, value: u32) {
    if (space == 0u) { atomicStore(&arena[word], value); } else { atomicStore(&io[word], value); }
}

// Writes the bits that `kept` does not keep.
fn blend(space: u32, word: u32, kept: u32, value: u32) {
    if (space == 0u) {
        atomicAnd(&arena[word], kept);
        atomicOr(&arena[word], value);
    } else {
        atomicAnd(&io[word], kept);
        atomicOr(&io[word], value);
    }
}
