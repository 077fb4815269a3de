// Access to the operands of a dispatch: addresses are words in the arena, the weights or io.

override IN0: u32 = 0u;
override IN1: u32 = 0u;
override IN2: u32 = 0u;
override IN3: u32 = 0u;
override IN4: u32 = 0u;
override IN5: u32 = 0u;
override OUT0: u32 = 0u;
override OUT1: u32 = 0u;

struct Uniform {
    inputs: vec4<u32>,
    more: vec4<u32>,
    p: Params,
}

@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<u32>;
@group(0) @binding(2) var<storage, read_write> io: array<u32>;
@group(0) @binding(3) var<uniform> u: Uniform;

// The space is an override constant, so each pipeline keeps one branch.
fn load(space: u32, word: u32) -> u32 {
    if (space == 0u) { return arena[word]; }
    if (space == 1u) { return weights[word]; }
    return io[word];
}

fn store(space: u32, word: u32, value: u32) {
    if (space == 0u) { arena[word] = value; } else { io[word] = value; }
}

fn in0(i: u32) -> f32 { return bitcast<f32>(load(IN0, u.inputs.x + i)); }
fn in1(i: u32) -> f32 { return bitcast<f32>(load(IN1, u.inputs.y + i)); }
fn in2(i: u32) -> f32 { return bitcast<f32>(load(IN2, u.inputs.z + i)); }
fn in3(i: u32) -> f32 { return bitcast<f32>(load(IN3, u.inputs.w + i)); }
fn in4(i: u32) -> f32 { return bitcast<f32>(load(IN4, u.more.x + i)); }
fn in5(i: u32) -> f32 { return bitcast<f32>(load(IN5, u.more.y + i)); }
fn out0(i: u32, value: f32) { store(OUT0, u.more.z + i, bitcast<u32>(value)); }
fn out1(i: u32, value: f32) { store(OUT1, u.more.w + i, bitcast<u32>(value)); }

// The number of this thread in a grid that grows in x first, then in y.
fn thread_index(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.y * groups.x + group.x) * 64u + thread;
}
