// y = x, of each sequence the first steps in reverse order, as many as it is long.

// Words of a length: 64-bit ones are read by their lower word.
override WORDS: u32 = 2u;

struct Params {
    count: u32,
    // Steps, and elements from one to the next.
    steps: u32,
    step: u32,
    // The same of the sequences.
    sequences: u32,
    sequence: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = 4u * thread_index(group, groups, thread);
    if (first >= u.p.count) { return; }
    for (var k = 0u; k < 4u; k++) {
        let i = first + k;
        if (i >= u.p.count) {
            if (WIDTH < 4u) { put(k, 0u, vec2(0u)); }
            continue;
        }
        let at = i / u.p.step % u.p.steps;
        let length = load(IN1, u.inputs.y + i / u.p.sequence % u.p.sequences * WORDS);
        let bounded = min(length, u.p.steps);
        let source = select(at, bounded - 1u - at, at < bounded);
        put(k, i, element(i - at * u.p.step + source * u.p.step));
    }
    flush(first);
}
