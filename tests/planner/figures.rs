use planner::bounds::bounds;
use planner::check::check;
use planner::liveness::{Buffer, Lifetimes};
use planner::plan::Options;
use planner::strategies::*;
use planner::units::*;
#[test]
fn scratch() {
    let recs: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("/tmp/records.json").unwrap()).unwrap();
    let figs: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string("/work/shared/vectors/model_figures.json").unwrap(),
    )
    .unwrap();
    for (m, r) in recs.as_object().unwrap() {
        let buffers: Vec<Buffer> = r
            .as_array()
            .unwrap()
            .iter()
            .map(|t| {
                let g = |i: usize| t[i].as_u64().unwrap();
                Buffer::new("b", g(0), Span::new(g(1), g(2) + 1))
            })
            .collect();
        let l = Lifetimes {
            buffers,
            horizon: Step(10000),
            schedule: vec![],
        };
        let b = bounds(&l);
        let f = &figs["models"][m];
        let o = Options {
            alignment: Bytes(64),
        };
        assert_eq!(f["lb_offset"].as_u64().unwrap(), b.offsets.0, "{m}");
        assert_eq!(f["lb_shared"].as_u64().unwrap(), b.objects.0, "{m}");
        for (c, s) in [
            ("naive", Strategy::Naive),
            ("off_gbs", Strategy::OffsetsBySize),
            ("off_gbb", Strategy::OffsetsByBreadth),
            ("off_inorder", Strategy::OffsetsInOrder),
            ("off_strip", Strategy::StripBestFit),
            ("so_gbs_improved", Strategy::GreedyBySize),
            ("so_gbb", Strategy::GreedyByBreadth),
            ("so_greedy_in_order", Strategy::GreedyInOrder),
            ("so_mcf", Strategy::MinCostFlow),
        ] {
            let t = std::time::Instant::now();
            let p = plan(s, &l, &o, &mut Silent).unwrap();
            let e = t.elapsed();
            assert!(check(&l, &p, &o).is_empty());
            let ok = f[c].as_u64() == Some(p.arena.0);
            println!(
                "{} {m} {c} {} {} {e:?}",
                if ok { "ok  " } else { "DIFF" },
                f[c],
                p.arena.0
            );
        }
    }
}
