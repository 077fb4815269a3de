// Adds two sums over a range of the arena that change with any word and with its place.

// MurmurHash3's 32-bit finalizer.
fn mixed(word: u32) -> u32 {
    var x = word;
    x = (x ^ (x >> 16u)) * 0x85ebca6bu;
    x = (x ^ (x >> 13u)) * 0xc2b2ae35u;
    return x ^ (x >> 16u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var low = 0u;
    var high = 0u;
    for (var i = id.x; i < p.words; i += 64u * groups.x) {
        let word = arena[p.first + i];
        let place = i * 0x9e3779b9u;
        low += mixed(word ^ place);
        high += mixed(word + 0x7f4a7c15u + (place ^ (place >> 15u)));
    }
    if (low != 0u) { atomicAdd(&results[p.slot], low); }
    if (high != 0u) { atomicAdd(&results[p.slot + 1u], high); }
}
