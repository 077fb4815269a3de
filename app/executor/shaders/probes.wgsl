// What the kernels that watch a run share: counters and tables. words.wgsl or quads.wgsl
// declares the arena and its shadow.

struct Params {
    // Words [first, first + words) are looked at or filled.
    first: u32,
    words: u32,
    pattern: u32,
    // Where the counters begin.
    slot: u32,
    // Declared ranges: where they begin in the table, and how many there are.
    ranges: u32,
    count: u32,
    // 0 fills the arena, 1 its shadow; arm.wgsl and extent.wgsl say what it is to them.
    into: u32,
    pad: u32,
}

// Order does not matter to sums and maxima of integers, so atomics are repeatable.
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> table: array<u32>;
@group(0) @binding(4) var<uniform> p: Params;

// 0: nobody declares to write the word; 1: it was filled with the pattern before; 2: it is
// written where it is read, and could not be filled.
fn declared(word: u32) -> u32 {
    for (var r = p.ranges; r < p.ranges + 3u * p.count; r += 3u) {
        if (word >= table[r] && word < table[r + 1u]) { return table[r + 2u]; }
    }
    return 0u;
}
