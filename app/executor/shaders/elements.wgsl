// Elements of 1, 2, 4 or 8 bytes that are moved without being looked at, as pairs of words.
// A thread writes four neighbours, so that no two threads share a word of narrow elements.

// Bytes of an element.
override WIDTH: u32 = 4u;

// Narrow elements before they are stored: one word of bytes, two of halves.
var<private> packed: vec2<u32>;

fn element(i: u32) -> vec2<u32> {
    if (WIDTH == 1u) {
        return vec2(extractBits(load(IN0, u.inputs.x + i / 4u), i % 4u * 8u, 8u), 0u);
    }
    if (WIDTH == 2u) {
        return vec2(extractBits(load(IN0, u.inputs.x + i / 2u), i % 2u * 16u, 16u), 0u);
    }
    if (WIDTH == 4u) { return vec2(load(IN0, u.inputs.x + i), 0u); }
    return vec2(load(IN0, u.inputs.x + 2u * i), load(IN0, u.inputs.x + 2u * i + 1u));
}

// Writes element k of this thread's four, element i of the output. Narrow ones wait for flush.
fn put(k: u32, i: u32, value: vec2<u32>) {
    if (WIDTH == 1u) {
        packed.x = insertBits(packed.x, value.x, k * 8u, 8u);
    } else if (WIDTH == 2u) {
        if (k < 2u) {
            packed.x = insertBits(packed.x, value.x, k * 16u, 16u);
        } else {
            packed.y = insertBits(packed.y, value.x, (k - 2u) * 16u, 16u);
        }
    } else if (WIDTH == 4u) {
        store(OUT0, u.more.z + i, value.x);
    } else {
        store(OUT0, u.more.z + 2u * i, value.x);
        store(OUT0, u.more.z + 2u * i + 1u, value.y);
    }
}

// Stores the narrow elements of this thread, whose first is element `first` of the output.
fn flush(first: u32) {
    if (WIDTH == 1u) { store(OUT0, u.more.z + first / 4u, packed.x); }
    if (WIDTH == 2u) {
        store(OUT0, u.more.z + first / 2u, packed.x);
        if (first + 2u < u.p.count) { store(OUT0, u.more.z + first / 2u + 1u, packed.y); }
    }
}

// Loads the narrow elements that this thread is about to store, to keep some of them.
fn reload(first: u32) {
    if (WIDTH == 1u) { packed.x = load(OUT0, u.more.z + first / 4u); }
    if (WIDTH == 2u) {
        packed.x = load(OUT0, u.more.z + first / 2u);
        if (first + 2u < u.p.count) { packed.y = load(OUT0, u.more.z + first / 2u + 1u); }
    }
}
