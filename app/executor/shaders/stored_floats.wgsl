// Operands of floats of any width, computed with as f32: what floats.wgsl is for 32 bits alone.

// The types of the inputs and outputs, by their codes.
override T0: u32 = 0u;
override T1: u32 = 0u;
override T2: u32 = 0u;
override T3: u32 = 0u;
override T4: u32 = 0u;
override T5: u32 = 0u;
override T6: u32 = 0u;
override T7: u32 = 0u;
override TY0: u32 = 0u;
override TY1: u32 = 0u;
// Number of the last element of an output that fills its last word in part.
override LAST0: u32 = 0xffffffffu;
override LAST1: u32 = 0xffffffffu;

fn stored(kind: u32, space: u32, base: u32, i: u32) -> f32 { return real(kind, raw(kind, space, base, i)); }

// Writes element i. Beside the last one of a word that is not full there is nothing to keep.
fn keep(kind: u32, space: u32, base: u32, i: u32, last: u32, value: f32) {
    let bits = bits_of_real(kind, value);
    let width = bits_of(kind);
    if (width == 64u) {
        store(space, base + 2u * i, bits.x);
        store(space, base + 2u * i + 1u, bits.y);
        return;
    }
    let lanes = 32u / width;
    let word = base + i / lanes;
    let lane = i % lanes * width;
    if (width == 32u || (i == last && lane == 0u)) { store(space, word, bits.x); return; }
    blend(space, word, ~insertBits(0u, 0xffffffffu, lane, width), insertBits(0u, bits.x, lane, width));
}

// Of elements of at most 32 bits: how many a word has.
fn lanes_of(kind: u32) -> u32 { return 32u / min(bits_of(kind), 32u); }

fn start0() -> u32 { return u.inputs.x * lanes_of(T0); }
fn start1() -> u32 { return u.inputs.y * lanes_of(T1); }
fn start2() -> u32 { return u.inputs.z * lanes_of(T2); }
fn target0() -> u32 { return u.more.z * lanes_of(TY0); }

fn at0(at: u32) -> f32 { return stored(T0, IN0, 0u, at); }
fn at1(at: u32) -> f32 { return stored(T1, IN1, 0u, at); }
fn at2(at: u32) -> f32 { return stored(T2, IN2, 0u, at); }
fn put0(at: u32, value: f32) { out0(at - target0(), value); }

fn in0(i: u32) -> f32 { return stored(T0, IN0, u.inputs.x, i); }
fn in1(i: u32) -> f32 { return stored(T1, IN1, u.inputs.y, i); }
fn in2(i: u32) -> f32 { return stored(T2, IN2, u.inputs.z, i); }
fn in3(i: u32) -> f32 { return stored(T3, IN3, u.inputs.w, i); }
fn in4(i: u32) -> f32 { return stored(T4, IN4, u.more.x, i); }
fn in5(i: u32) -> f32 { return stored(T5, IN5, u.more.y, i); }
fn in6(i: u32) -> f32 { return stored(T6, IN6, u.last.x, i); }
fn in7(i: u32) -> f32 { return stored(T7, IN7, u.last.y, i); }
fn out0(i: u32, value: f32) { keep(TY0, OUT0, u.more.z, i, LAST0, value); }
fn out1(i: u32, value: f32) { keep(TY1, OUT1, u.more.w, i, LAST1, value); }

// Element i of another operand of the space and the type of input 1, which begins at a word.
fn like1(word: u32, i: u32) -> f32 { return stored(T1, IN1, word, i); }
