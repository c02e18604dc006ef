//! The compiled constants that the step function reads: one flat list of links in depth-first order.

use crate::lanes::Scalar;

/// Virtual mass that enforces a bounce, in masses of what hits: the tree, but not more than [`IMPACT_SHARE`] times what the link carries. A
/// larger one on a light foot drowns its own inertia in rounding errors.
pub(crate) const IMPACT_MASSES: f64 = 30.0;
pub(crate) const IMPACT_SHARE: f64 = 5.0;

pub(crate) const NO_LINK: usize = usize::MAX;

/// How a link moves relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Free,
    Planar,
    Fixed,
    /// Axis along the child's x, y or z.
    HingeX,
    HingeY,
    HingeZ,
    /// Any other axis.
    HingeGeneral,
    Ball,
}

/// How the rotational inertia of a link about its centre of mass is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inertia<S> {
    /// `transverse·1 + slope·c cᵀ` with `c` the centre of mass: a body of revolution around it, as most limbs are.
    AlongCenter { transverse: S, slope: S },
    /// `transverse·1 + slope·d dᵀ` with `d` a unit axis in the link's frame.
    Axis { axis: [S; 3], transverse: S, slope: S },
    /// `[xx, yy, zz, xy, xz, yz]` in the link's frame.
    General([S; 6]),
}

/// Constants of one moving link (a body together with what is welded to it).
#[derive(Clone, Debug)]
pub(crate) struct Link<S> {
    pub kind: LinkKind,
    pub parent: usize,
    pub tree: usize,
    /// Depth within the tree, and of the parent, counted on from tree to tree: where accelerations are kept on the way out.
    pub slot: usize,
    pub parent_slot: usize,
    /// Segments of the children: indices into [`Kernel::child_segments`].
    pub children: std::ops::Range<usize>,
    /// The parent, where this is its first child, which stands next after it and adds its rigid inertia to what it passes on.
    pub carrier: Option<usize>,
    /// The unbranched run of links that it is part of. They share one articulated inertia, which grows on the way in; a pass
    /// that repeats one of them repeats them all.
    pub segment: usize,
    /// Where the pose is kept: by depth, or one for each link when pairs need them all at once.
    pub motion_slot: usize,
    pub parent_motion_slot: usize,
    pub is_leaf: bool,
    /// First index in `qpos` and `qvel`.
    pub q: usize,
    pub v: usize,

    /// Joint origin in the parent's frame (root: in the world), m.
    pub offset: [S; 3],
    /// Rest orientation in the parent's frame by columns; absent when it is the identity.
    pub align: Option<[[S; 3]; 3]>,
    /// Hinge axis in the link's frame.
    pub axis: [S; 3],

    pub mass: S,
    /// 1/(3·mass) of the link with all that it carries, 1/kg.
    pub inverse_carried: S,
    /// Velocity gain of a bounce, N·s/m.
    pub impact_implicit: S,
    pub center_of_mass: [S; 3],
    pub inertia: Inertia<S>,
    pub armature: S,

    /// PD: `kp`, `kd`, `dt·kd + dt²·kp`, torque limit (infinite when absent).
    pub kp: S,
    pub kd: S,
    pub pd_implicit: S,
    pub torque_limit: S,

    /// Joint limits; stiffness and damping of the stop.
    pub has_limits: bool,
    pub limit_low: S,
    pub limit_high: S,
    pub limit_stiffness: S,
    pub limit_damping: S,

    /// Largest distance of any surface point from the centre of mass, m.
    pub bounding_radius: S,
    /// Points that may touch the ground: indices into [`Kernel::points`].
    pub points: std::ops::Range<usize>,
    /// Shapes for boxes and pairs: indices into [`Kernel::shapes`].
    pub shapes: std::ops::Range<usize>,
    /// 1/mass and the largest eigenvalue of the inverse inertia, for contact between bodies; 0 for fixed links.
    pub inverse_mass: S,
    pub inverse_inertia: S,
}

/// A point with a radius, in the link's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoint<S> {
    pub position: [S; 3],
    pub radius: S,
}

/// A collision shape in its link's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkShape<S> {
    /// A sphere is a segment of no length.
    Segment {
        from: [S; 3],
        to: [S; 3],
        radius: S,
        is_sphere: bool,
    },
    Box {
        center: [S; 3],
        columns: [[S; 3]; 3],
        half: [S; 3],
    },
}

/// Contact constants of one tree, in proportion to its mass: see `contact.rs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<S> {
    /// Spring, N/m; `dt·spring + damper`, N·s/m; velocity gain of sticking friction, N·s/m.
    pub stiffness: S,
    pub normal_implicit: S,
    pub stick_implicit: S,
    /// A normal force below minus this is a pull to be undone, N.
    pub pull_tolerance: S,
}

/// Friction, restitution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceConst<S> {
    pub friction: S,
    pub restitution: S,
}

/// A static box by centre and axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxConst<S> {
    pub center: [S; 3],
    pub columns: [[S; 3]; 3],
    pub half: [S; 3],
    pub surface: SurfaceConst<S>,
}

/// Two links that may touch; `count` contacts at most share each body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub a: usize,
    pub b: usize,
}

/// One stage of the recursion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Pose, velocity, inertia and outer forces of a link.
    Forward(u32),
    /// Contact between moving bodies, once all are placed.
    Pairs,
    /// Articulated inertia of a link, after those of its children.
    Backward(u32),
}

/// Everything that the step function reads.
#[derive(Clone, Debug)]
pub(crate) struct Kernel<S> {
    pub dt: S,
    pub position_count: usize,
    pub velocity_count: usize,
    pub links: Vec<Link<S>>,
    pub trees: Vec<Tree<S>>,
    pub schedule: Vec<Op>,
    pub slot_count: usize,
    pub motion_slot_count: usize,
    pub child_segments: Vec<usize>,
    /// For each segment the one that carries it; the root's carries itself.
    pub segment_parents: Vec<usize>,
    /// Whether bodies must be found after their own work: there are boxes or pairs.
    pub keeps_centers: bool,
    pub points: Vec<ContactPoint<S>>,
    pub shapes: Vec<LinkShape<S>>,
    pub ground: Option<(S, SurfaceConst<S>)>,
    pub boxes: Vec<BoxConst<S>>,
    pub pairs: Vec<Pair>,
    pub between_bodies: SurfaceConst<S>,
    /// Slowest impact that bounces, m/s.
    pub bounce_threshold: S,
    /// Largest speed of a world that has not diverged, m/s or rad/s.
    pub speed_limit: S,
    /// Speed beyond which joints meet friction, rad/s.
    pub tame_speed: S,
}

macro_rules! convert_array {
    ($name:ident, $n:literal) => {
        fn $name<S: Scalar>(a: &[f64; $n]) -> [S; $n] {
            a.map(S::from_f64)
        }
    };
}
convert_array!(array3, 3);
convert_array!(array6, 6);

fn columns<S: Scalar>(m: &[[f64; 3]; 3]) -> [[S; 3]; 3] {
    [array3(&m[0]), array3(&m[1]), array3(&m[2])]
}

impl Kernel<f64> {
    /// The same constants rounded to the precision of a back-end.
    pub fn convert<S: Scalar>(&self) -> Kernel<S> {
        let n = S::from_f64;
        let surface = |s: &SurfaceConst<f64>| SurfaceConst { friction: n(s.friction), restitution: n(s.restitution) };
        Kernel {
            dt: n(self.dt),
            position_count: self.position_count,
            velocity_count: self.velocity_count,
            links: self.links.iter().map(Link::convert).collect(),
            trees: self.trees.iter().map(Tree::convert).collect(),
            schedule: self.schedule.clone(),
            slot_count: self.slot_count,
            motion_slot_count: self.motion_slot_count,
            child_segments: self.child_segments.clone(),
            segment_parents: self.segment_parents.clone(),
            keeps_centers: self.keeps_centers,
            points: self
                .points
                .iter()
                .map(|p| ContactPoint { position: array3(&p.position), radius: n(p.radius) })
                .collect(),
            shapes: self.shapes.iter().map(LinkShape::convert).collect(),
            ground: self.ground.as_ref().map(|(height, s)| (n(*height), surface(s))),
            boxes: self
                .boxes
                .iter()
                .map(|b| BoxConst {
                    center: array3(&b.center),
                    columns: columns(&b.columns),
                    half: array3(&b.half),
                    surface: surface(&b.surface),
                })
                .collect(),
            pairs: self.pairs.clone(),
            between_bodies: surface(&self.between_bodies),
            bounce_threshold: n(self.bounce_threshold),
            speed_limit: n(self.speed_limit),
            tame_speed: n(self.tame_speed),
        }
    }
}

impl Tree<f64> {
    fn convert<S: Scalar>(&self) -> Tree<S> {
        let n = S::from_f64;
        Tree {
            stiffness: n(self.stiffness),
            normal_implicit: n(self.normal_implicit),
            stick_implicit: n(self.stick_implicit),
            pull_tolerance: n(self.pull_tolerance),
        }
    }
}

impl LinkShape<f64> {
    fn convert<S: Scalar>(&self) -> LinkShape<S> {
        match self {
            LinkShape::Segment { from, to, radius, is_sphere } => LinkShape::Segment {
                from: array3(from),
                to: array3(to),
                radius: S::from_f64(*radius),
                is_sphere: *is_sphere,
            },
            LinkShape::Box { center, columns: c, half } => {
                LinkShape::Box { center: array3(center), columns: columns(c), half: array3(half) }
            }
        }
    }
}

impl Link<f64> {
    fn convert<S: Scalar>(&self) -> Link<S> {
        let n = S::from_f64;
        Link {
            kind: self.kind,
            parent: self.parent,
            tree: self.tree,
            slot: self.slot,
            parent_slot: self.parent_slot,
            carrier: self.carrier,
            children: self.children.clone(),
            segment: self.segment,
            motion_slot: self.motion_slot,
            parent_motion_slot: self.parent_motion_slot,
            is_leaf: self.is_leaf,
            q: self.q,
            v: self.v,
            offset: array3(&self.offset),
            align: self.align.as_ref().map(columns),
            axis: array3(&self.axis),
            mass: n(self.mass),
            inverse_carried: n(self.inverse_carried),
            impact_implicit: n(self.impact_implicit),
            center_of_mass: array3(&self.center_of_mass),
            inertia: match &self.inertia {
                Inertia::AlongCenter { transverse, slope } => {
                    Inertia::AlongCenter { transverse: n(*transverse), slope: n(*slope) }
                }
                Inertia::Axis { axis, transverse, slope } => {
                    Inertia::Axis { axis: array3(axis), transverse: n(*transverse), slope: n(*slope) }
                }
                Inertia::General(a) => Inertia::General(array6(a)),
            },
            armature: n(self.armature),
            kp: n(self.kp),
            kd: n(self.kd),
            pd_implicit: n(self.pd_implicit),
            torque_limit: n(self.torque_limit),
            has_limits: self.has_limits,
            limit_low: n(self.limit_low),
            limit_high: n(self.limit_high),
            limit_stiffness: n(self.limit_stiffness),
            limit_damping: n(self.limit_damping),
            bounding_radius: n(self.bounding_radius),
            points: self.points.clone(),
            shapes: self.shapes.clone(),
            inverse_mass: n(self.inverse_mass),
            inverse_inertia: n(self.inverse_inertia),
        }
    }
}
