// The words of the arena and of io.

@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> io: array<u32>;

// The space is an override constant, so each pipeline keeps one branch.
fn load(space: u32, word: u32) -> u32 {
    if (space == 0u) { return arena[word]; }
    if (space == 1u) { return weights[word]; }
    return io[word];
}

fn store(space: u32, word: u32, value: u32) {
    if (space == 0u) { arena[word] = value; } else { io[word] = value; }
}
