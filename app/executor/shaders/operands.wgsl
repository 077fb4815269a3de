// Access to the operands of a dispatch: addresses are words in the arena, the weights or io.

override IN0: u32 = 0u;
override IN1: u32 = 0u;
override IN2: u32 = 0u;
override IN3: u32 = 0u;
override IN4: u32 = 0u;
override IN5: u32 = 0u;
override IN6: u32 = 0u;
override IN7: u32 = 0u;
override OUT0: u32 = 0u;
override OUT1: u32 = 0u;

struct Uniform {
    // Addresses of four inputs, of two more and both outputs, and of the last two inputs.
    inputs: vec4<u32>,
    more: vec4<u32>,
    last: vec4<u32>,
    p: Params,
}

@group(0) @binding(1) var<storage, read> weights: array<u32>;
@group(0) @binding(3) var<uniform> u: Uniform;
// Where only a part of a grid runs: its first workgroup, and how many the whole has in x; else 0.
@group(0) @binding(4) var<uniform> slice: vec4<u32>;

// What no constant of WGSL may be: these are known when they are run.
fn not_a_number() -> f32 {
    var bits = 0x7fc00000u;
    return bitcast<f32>(bits);
}

fn infinite(sign: f32) -> f32 {
    var bits = 0x7f800000u;
    return bitcast<f32>(bits | (bitcast<u32>(sign) & 0x80000000u));
}

// The number of this workgroup in a grid that grows in x first, then in y.
fn group_number(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    let columns = select(slice.w, groups.x, slice.w == 0u);
    return (group.y + slice.y) * columns + group.x + slice.x;
}

// The number of this thread in such a grid.
fn thread_index(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return group_number(group, groups) * 64u + thread;
}

// WGSL lets a compiler take it that there are no NaNs, and its max and min drop them: bits are
// compared instead.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn max_of(a: f32, b: f32) -> f32 { return select(select(max(a, b), b, is_nan(b)), a, is_nan(a)); }

fn min_of(a: f32, b: f32) -> f32 { return select(select(min(a, b), b, is_nan(b)), a, is_nan(a)); }

// Not clamp: WGSL lets it give anything where the bounds are in the wrong order.
fn clamp_of(x: f32, low: f32, high: f32) -> f32 { return min_of(max_of(x, low), high); }
