// Counts the words of one live tensor that were written, and finds the first of them.

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var written = 0u;
    var first = 0u;
    for (var i = id.x; i < p.words; i += 64u * groups.x) {
        let w = p.first + i;
        let now = arena[w];
        // A declared word shows that it was written even where its value stays the same.
        if (select(now != shadow[w], now != p.pattern, declared(w) == 1u)) {
            written += 1u;
            first = max(first, ~w);
        }
    }
    if (written > 0u) {
        atomicAdd(&results[p.slot], written);
        atomicMax(&results[p.slot + 1u], first);
    }
}
