use super::checkmate::{all, rows, run, vgg19, whole};
use planner::training::Policy;
use std::time::Instant;

#[test]
fn measure() {
    for (file, problem) in all() {
        for row in rows(&file["ilp"]) {
            let budget = whole(&row["budget"]);
            let t = Instant::now();
            let found = run(Policy::LpRounding, &problem, Some(budget));
            println!(
                "{} {budget}: bound {:?} opt {} found {:?} {} {:?} {:?}",
                problem.name,
                found.lower_bound,
                whole(&row["cpu"]),
                found.needs.cost,
                found.optimal,
                found.why,
                t.elapsed()
            );
            let t = Instant::now();
            let f = Policy::LpRounding.glance(&problem, Some(planner::Bytes(budget)));
            println!(
                "    glance {:?} {} {:?}",
                f.lower_bound,
                f.needs.cost,
                t.elapsed()
            );
        }
    }
    let problem = vgg19().problem(289).expect("a problem");
    let t = Instant::now();
    let found = run(Policy::LpRounding, &problem, Some(14_850_662_080));
    println!(
        "vgg19 base {} {:?} {} {:?} {:?}",
        problem.base_cost(),
        found.lower_bound,
        found.needs.cost,
        found.why,
        t.elapsed()
    );
}
