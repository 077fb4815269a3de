// y = the determinant of each matrix of x, one workgroup for each: Gaussian elimination, each time by the row with the largest number in the column.

struct Params {
    count: u32,
    // Rows and columns of a matrix.
    size: u32,
}

const MOST = 60u;
var<workgroup> matrix: array<f32, 3600>;
var<workgroup> pivot: u32;

fn at(row: u32, column: u32) -> u32 { return row * u.p.size + column; }

fn largest(column: u32) -> u32 {
    var best = column;
    for (var row = column + 1u; row < u.p.size; row++) {
        if (abs(matrix[at(row, column)]) > abs(matrix[at(best, column)])) { best = row; }
    }
    return best;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let which = group_number(group, groups);
    if (which >= u.p.count) { return; }
    let elements = u.p.size * u.p.size;
    for (var i = thread; i < elements; i += 64u) { matrix[i] = in0(which * elements + i); }
    var y = 1.0;
    for (var k = 0u; k < u.p.size; k++) {
        workgroupBarrier();
        if (thread == 0u) { pivot = largest(k); }
        workgroupBarrier();
        let other = pivot;
        for (var column = k + thread; column < u.p.size; column += 64u) {
            let upper = matrix[at(k, column)];
            matrix[at(k, column)] = matrix[at(other, column)];
            matrix[at(other, column)] = upper;
        }
        workgroupBarrier();
        let head = matrix[at(k, k)];
        y *= select(head, -head, other != k);
        // Nothing is left to clear below a column of zeros.
        if (head != 0.0) {
            for (var row = k + 1u + thread; row < u.p.size; row += 64u) {
                let factor = matrix[at(row, k)] / head;
                for (var column = k + 1u; column < u.p.size; column++) {
                    matrix[at(row, column)] -= factor * matrix[at(k, column)];
                }
            }
        }
    }
    if (thread == 0u) { out0(which, y); }
}
