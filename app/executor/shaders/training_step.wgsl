// One step of an optimizer, element by element: what is trained, its first and its second
// moment, of which a dispatch writes one or two.

// 0 Adam, 1 Adagrad, 2 momentum, 3 momentum as Nesterov has it.
override OP: u32 = 0u;
// What the outputs are: 1 what is trained, 2 the first moment, 3 the second.
override ROLE0: u32 = 1u;
override ROLE1: u32 = 0u;

struct Params {
    count: u32,
    alpha: f32,
    beta: f32,
    epsilon: f32,
    // How much of what is trained counts as gradient, and what it shrinks by after the step.
    norm: f32,
    norm_after: f32,
}

fn write(role: u32, i: u32, value: f32) {
    if (ROLE0 == role) { out0(i, value); }
    if (ROLE1 == role) { out1(i, value); }
}

// Input 0 is the rate, 1 the number of steps before this one, as 64 bits.
fn rate() -> f32 {
    let before = f32(load(IN1, u.inputs.y));
    let rate = in0(0u);
    if (OP == 0u && before > 0.0) {
        return rate * sqrt(1.0 - power_of(u.p.beta, before)) / (1.0 - power_of(u.p.alpha, before));
    }
    // Alpha is the decay of Adagrad's rate.
    if (OP == 1u) { return rate / (1.0 + before * u.p.alpha); }
    return rate;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let x = in2(i);
    let gradient = u.p.norm * x + in3(i);
    var first = in4(i);
    var second = in5(i);
    var direction = 0.0;
    switch OP {
        case 0u: {
            first = u.p.alpha * first + (1.0 - u.p.alpha) * gradient;
            second = u.p.beta * second + (1.0 - u.p.beta) * gradient * gradient;
            direction = first / (sqrt(second) + u.p.epsilon);
        }
        case 1u: {
            second += gradient * gradient;
            direction = gradient / (sqrt(second) + u.p.epsilon);
        }
        default: {
            // At the very first step the gradient counts in full.
            first = u.p.alpha * first + select(1.0, u.p.beta, load(IN1, u.inputs.y) != 0u) * gradient;
            direction = select(first, gradient + u.p.alpha * first, OP == 3u);
        }
    }
    write(1u, i, (1.0 - u.p.norm_after) * (x - rate() * direction));
    write(2u, i, first);
    write(3u, i, second);
}
