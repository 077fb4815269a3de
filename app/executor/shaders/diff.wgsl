// Compares a range of the arena with its shadow: words changed outside what was declared, declared words
// left unwritten, and the highest word that changed; then the shadow follows the arena.

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // Most steps have one range: it is kept at hand.
    var near = vec3<u32>();
    if (p.count > 0u) {
        near = vec3<u32>(table[p.ranges], table[p.ranges + 1u], table[p.ranges + 2u]);
    }
    var outside = 0u;
    var stray = 0u;
    var unwritten = 0u;
    var gap = 0u;
    var high = 0u;
    for (var i = id.x; i < p.words; i += 64u * groups.x) {
        let w = p.first + i;
        let now = arena[w];
        let before = shadow[w];
        var kind = select(0u, near.z, w >= near.x && w < near.y);
        if (kind == 0u && p.count > 1u) {
            kind = declared(w);
        }
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
        atomicAdd(&results[p.slot], outside);
        atomicMax(&results[p.slot + 1u], stray);
    }
    if (unwritten > 0u) {
        atomicAdd(&results[p.slot + 2u], unwritten);
        atomicMax(&results[p.slot + 3u], gap);
    }
    if (high > 0u) { atomicMax(&results[p.slot + 4u], high); }
}
