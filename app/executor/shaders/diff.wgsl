// Compares the arena with its shadow: words changed outside what was declared, declared words
// left unwritten, and the highest word that changed; then the shadow follows the arena.

// Words outside, the complement of the first; words unwritten, likewise; the end of the highest.
var<workgroup> sums: array<atomic<u32>, 5>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    if (thread < 5u) { atomicStore(&sums[thread], 0u); }
    workgroupBarrier();
    var outside = 0u;
    var stray = 0u;
    var unwritten = 0u;
    var gap = 0u;
    var high = 0u;
    for (var w = id.x; w < p.words; w += 64u * groups.x) {
        let now = arena[w];
        let before = shadow[w];
        let kind = declared(w);
        if (kind == 1u && now == p.pattern) {
            // As it was before it was filled, so that watching changes nothing.
            arena[w] = before;
            unwritten += 1u;
            gap = max(gap, ~w);
        } else if (kind == 1u || now != before) {
            shadow[w] = now;
            high = w + 1u;
            if (kind == 0u) {
                outside += 1u;
                stray = max(stray, ~w);
            }
        }
    }
    if (outside > 0u) {
        atomicAdd(&sums[0], outside);
        atomicMax(&sums[1], stray);
    }
    if (unwritten > 0u) {
        atomicAdd(&sums[2], unwritten);
        atomicMax(&sums[3], gap);
    }
    if (high > 0u) { atomicMax(&sums[4], high); }
    workgroupBarrier();
    if (thread < 5u) {
        let sum = atomicLoad(&sums[thread]);
        if (sum != 0u) {
            if (thread == 0u || thread == 2u) {
                atomicAdd(&results[p.slot + thread], sum);
            } else {
                atomicMax(&results[p.slot + thread], sum);
            }
        }
    }
}
