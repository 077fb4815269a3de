//! What a step can be made of: the passes before, switches, packing, the way it is traced.

use super::divisions::Division;
use super::kind::{Kind, Kinds};
use super::room::Room;
use super::{Variant, Wanted};
use crate::settings::Gist;
use crate::training::estimate::Unscheduled;
use crate::training::policies::{Known, keep_all};
use crate::training::{Recipe, Rule, Sparse, Walk};

/// What a step is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The variant of the model.
    pub(super) variant: usize,
    /// Samples of a micro-batch of a device.
    pub(super) batch: u64,
    pub(super) recipe: Recipe,
}

/// A plan whose step is made.
pub(super) struct Made {
    pub(super) plan: Plan,
    pub(super) own: Unscheduled,
    pub(super) known: Known,
    /// The schedule that keeps everything.
    pub(super) kept: Walk,
    /// What values may take at once, as far as sums of bytes say; `None` where the rest is too large.
    pub(super) room: Option<u64>,
}

impl Plan {
    /// How it is divided.
    pub(super) const fn division(self) -> Division {
        Division {
            sharding: self.recipe.sharding,
            batch: self.batch,
        }
    }

    /// The same divided so.
    pub(super) fn divided(self, of: Division) -> Self {
        let recipe = Recipe {
            sharding: of.sharding,
            ..self.recipe
        };
        Self {
            recipe,
            batch: of.batch,
            ..self
        }
    }

    pub(super) fn made(self, variants: &[Variant<'_>], room: Room) -> Option<Made> {
        let graph = variants.get(self.variant)?.graph;
        let own = Unscheduled::of(graph, self.batch, self.recipe).ok()?;
        let kept = keep_all(&own.step.problem);
        Some(Made {
            plan: self,
            room: room.for_values(&own.scheduled(kept.clone()), self.recipe),
            own,
            known: Known::default(),
            kept,
        })
    }
}

/// The plan that changes nothing: every device is a replica.
pub(super) fn usual(wanted: &Wanted) -> Plan {
    let mut recipe = wanted.recipe;
    recipe.sharding.data = wanted.devices;
    Plan {
        variant: 0,
        batch: wanted.batch / u64::from(wanted.devices.max(1)),
        recipe,
    }
}

/// Switches that take no time, each alone and together: none first, all last.
pub(super) fn switched(variants: usize, wanted: &Wanted) -> Vec<Plan> {
    let usual = usual(wanted);
    let rule = wanted.recipe.rule;
    let others = match wanted.kinds.has(Kind::Passes) {
        true => variants,
        false => 1,
    };
    let both = |kind, works: bool, on: bool| {
        let may = wanted.kinds.has(kind) && works && !on;
        [false, true].into_iter().filter(move |it| !it || may)
    };
    let own = wanted.recipe;
    let mut plans = Vec::new();
    for variant in 0..others {
        for none in both(Kind::SetToNone, rule != Rule::Checkmate, own.set_to_none) {
            for in_place in both(Kind::InPlace, rule == Rule::Autograd, own.in_place) {
                let recipe = Recipe {
                    set_to_none: own.set_to_none || none,
                    in_place: own.in_place || in_place,
                    ..own
                };
                plans.push(Plan {
                    variant,
                    recipe,
                    ..usual
                });
            }
        }
    }
    plans
}

/// `plan` with its values packed, or traced by torch.compile, in every way that is allowed.
pub(super) fn rewritten(plan: Plan, kinds: Kinds) -> Vec<Plan> {
    let own = plan.recipe;
    let mut recipes = Vec::new();
    if own.rule != Rule::Compile {
        let gist = own.gist;
        let signs = Gist {
            signs: true,
            ..gist
        };
        let sparse = Gist {
            sparse: gist.sparse.or(Some(Sparse::Narrow)),
            ..signs
        };
        let mut packed = vec![gist];
        if kinds.has(Kind::Pack) {
            packed.extend([signs, sparse]);
        }
        for gist in packed.clone() {
            let bits = Gist::BITS.iter().filter(|_| kinds.has(Kind::Bits));
            packed.extend(bits.map(|it| Gist {
                bits: Some(*it),
                ..gist
            }));
        }
        recipes.extend(packed.into_iter().map(|gist| Recipe { gist, ..own }));
    }
    if own.rule == Rule::Autograd && kinds.has(Kind::Compile) {
        recipes.push(Recipe {
            rule: Rule::Compile,
            in_place: false,
            gist: Gist::default(),
            ..own
        });
    }
    let others = recipes.into_iter().filter(|it| *it != own);
    others.map(|recipe| Plan { recipe, ..plan }).collect()
}
