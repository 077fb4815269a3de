// y[i] = f(a[j], b[k]), where the override OP chooses f and j, k follow from i by broadcasting.

override OP: u32 = 0u;

fn apply(a: f32, b: f32) -> f32 {
    switch OP {
        case 0u: { return a + b; }
        case 1u: { return a - b; }
        case 2u: { return a * b; }
        case 3u: { return a / b; }
        case 4u: { return max_of(a, b); }
        case 5u: { return min_of(a, b); }
        case 6u: { return power_of(a, b); }
        case 7u: { return select(a * b, a, a >= 0.0); }
        case 8u: { return (a - b) * (a - b); }
        case 9u: { return floor_mod_of(a, b); }
        case 10u: { return fmod_of(a, b); }
        case 11u: { return floor(a / b); }
        default: { return b; }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let place = sources(i);
    out0(target_of(i), activated(apply(in0(place.x), in1(place.y)), u.p.alpha, u.p.beta));
}
