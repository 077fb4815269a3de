// Outputs of elements of any type, word by word.

// What thread t holds of an output of `count` elements: a word of it, or two of a 64-bit one,
// so that no two threads write the same word. result(i) is the kernel's own: the bits of
// element i. Places after the last element become 0.
fn put(kind: u32, t: u32, count: u32) {
    let width = bits_of(kind);
    if (width == 64u) {
        if (t >= count) { return; }
        let bits = result(t);
        store(OUT0, u.more.z + 2u * t, bits.x);
        store(OUT0, u.more.z + 2u * t + 1u, bits.y);
        return;
    }
    let lanes = 32u / width;
    if (t >= (count + lanes - 1u) / lanes) { return; }
    var word = 0u;
    for (var lane = 0u; lane < lanes; lane++) {
        let i = t * lanes + lane;
        if (i < count) { word = insertBits(word, result(i).x, lane * width, width); }
    }
    store(OUT0, u.more.z + t, word);
}
