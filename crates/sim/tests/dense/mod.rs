//! The equations of motion once more, dense and in f64, straight from the description of a scene.
//!
//! Every body is on its own here (welds are joints without motion), Jacobians are written down column by column, and their
//! rates come from automatic differentiation along the motion, so that nothing is shared with the simulator's recursion:
//!
//! ```text
//! M    = Σ m·Jvᵀ·Jv + Jwᵀ·I·Jw + armature
//! bias = Σ m·Jvᵀ·(J̇v·q̇ − g) + Jwᵀ·(I·J̇w·q̇ + ω×I·ω)          M·q̈ + bias = τ
//! ```

pub use crate::golden_cases::random_scene;

use sinew_sim::{Joint, JointKind, Object, Scene, mass_properties};
use std::ops::{Add, Mul, Neg, Sub};

/// A number and its rate along the motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual {
    pub value: f64,
    pub rate: f64,
}

pub fn constant(value: f64) -> Dual {
    Dual { value, rate: 0.0 }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, b: Dual) -> Dual {
        Dual { value: self.value + b.value, rate: self.rate + b.rate }
    }
}
impl Sub for Dual {
    type Output = Dual;
    fn sub(self, b: Dual) -> Dual {
        Dual { value: self.value - b.value, rate: self.rate - b.rate }
    }
}
impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        Dual { value: -self.value, rate: -self.rate }
    }
}
impl Mul for Dual {
    type Output = Dual;
    fn mul(self, b: Dual) -> Dual {
        Dual { value: self.value * b.value, rate: self.rate * b.value + self.value * b.rate }
    }
}
impl Dual {
    fn sin(self) -> Dual {
        Dual { value: self.value.sin(), rate: self.value.cos() * self.rate }
    }
    fn cos(self) -> Dual {
        Dual { value: self.value.cos(), rate: -self.value.sin() * self.rate }
    }
}

type Vector = [Dual; 3];
/// Rows.
type Matrix = [Vector; 3];

fn vector(v: [f64; 3]) -> Vector {
    v.map(constant)
}
fn values(v: Vector) -> [f64; 3] {
    v.map(|x| x.value)
}
fn rates(v: Vector) -> [f64; 3] {
    v.map(|x| x.rate)
}
fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}
fn cross_dual(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn turn(m: &Matrix, v: Vector) -> Vector {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|k| a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k]))
}
fn from_quaternion([w, x, y, z]: [Dual; 4]) -> Matrix {
    let two = constant(2.0);
    let one = constant(1.0);
    [
        [one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)],
        [two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)],
        [two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)],
    ]
}
fn about(axis: [f64; 3], angle: Dual) -> Matrix {
    let half = angle * constant(0.5);
    let [x, y, z] = vector(axis).map(|a| a * half.sin());
    from_quaternion([half.cos(), x, y, z])
}
/// A quaternion that turns at `omega` in its own axes: q̇ = ½·q·(0, ω).
fn turning(q: &[f64], omega: &[f64]) -> [Dual; 4] {
    let rate = quaternion_product([q[0], q[1], q[2], q[3]], [0.0, omega[0], omega[1], omega[2]]);
    std::array::from_fn(|i| Dual { value: q[i], rate: 0.5 * rate[i] })
}
pub fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}
/// The shortest rotation vector of a unit quaternion.
pub fn rotation_vector(q: [f64; 4]) -> [f64; 3] {
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    let sine = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    let angle = 2.0 * sine.atan2(sign * q[0]);
    let factor = if sine > 1e-12 { sign * angle / sine } else { 2.0 };
    [factor * q[1], factor * q[2], factor * q[3]]
}
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A body and the joint that carries it.
#[derive(Clone, Debug)]
pub struct DenseBody {
    /// Name in the compiled model.
    pub name: String,
    pub parent: Option<usize>,
    pub joint: Joint,
    pub q: usize,
    pub v: usize,
    mass: f64,
    center: [f64; 3],
    inertia: [[f64; 3]; 3],
}

/// A scene's moving parts, bodies in the order of `qpos`.
#[derive(Clone, Debug)]
pub struct Dense {
    pub bodies: Vec<DenseBody>,
    pub position_count: usize,
    pub velocity_count: usize,
    pub gravity: [f64; 3],
}

/// Where a body is, and how it moves with each coordinate.
pub struct Pose {
    /// Rows of the orientation.
    rotation: Matrix,
    origin: Vector,
    center: Vector,
    /// Columns `[velocity_count]`: angular velocity, and velocity of the centre of mass.
    angular: Vec<Vector>,
    linear: Vec<Vector>,
}

impl Pose {
    /// A vector of the body in world axes.
    pub fn to_world(&self, v: [f64; 3]) -> [f64; 3] {
        values(turn(&self.rotation, vector(v)))
    }
    pub fn origin(&self) -> [f64; 3] {
        values(self.origin)
    }
}

impl Dense {
    pub fn new(scene: &Scene) -> Dense {
        let mut dense = Dense { bodies: Vec::new(), position_count: 0, velocity_count: 0, gravity: scene.gravity };
        for placed in &scene.characters {
            let character = &placed.character;
            let (sin, cos) = (placed.heading / 2.0).sin_cos();
            let heading = [cos, 0.0, 0.0, sin];
            let mut root = character.joints.iter().find(|j| j.parent.is_none()).expect("a root").clone();
            let position = values(turn(&from_quaternion(heading.map(constant)), vector(root.position)));
            root.position = std::array::from_fn(|i| position[i] + placed.offset[i]);
            root.orientation = quaternion_product(heading, root.orientation);
            dense.add(character, root, None);
        }
        for object in &scene.objects {
            dense.add_object(object);
        }
        dense
    }

    fn add(&mut self, character: &sinew_sim::Character, joint: Joint, parent: Option<usize>) {
        let body = character.bodies.iter().find(|b| b.name == joint.child).expect("the child");
        let mass = mass_properties::of_body(body);
        let child = joint.child.clone();
        let index = self.push(format!("{}/{child}", character.name), joint, parent, mass);
        for next in character.joints.iter().filter(|j| j.parent.as_ref() == Some(&child)) {
            self.add(character, next.clone(), Some(index));
        }
    }

    fn add_object(&mut self, object: &Object) {
        let joint = Joint {
            position: object.position,
            orientation: object.orientation,
            ..Joint::new(&object.name, JointKind::Free, None, &object.name)
        };
        self.push(object.name.clone(), joint, None, mass_properties::of_object(object));
    }

    fn push(
        &mut self,
        name: String,
        mut joint: Joint,
        parent: Option<usize>,
        mass: mass_properties::MassProperties,
    ) -> usize {
        let length = joint.orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
        joint.orientation = joint.orientation.map(|x| x / length);
        joint.axis = joint.axis.map(|a| a.map(|x| x / dot(a, a).sqrt()));
        let (q, v) = (self.position_count, self.velocity_count);
        self.position_count += joint.kind.position_count();
        self.velocity_count += joint.kind.velocity_count();
        let [xx, yy, zz, xy, xz, yz] = mass.inertia;
        let inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        self.bodies.push(DenseBody {
            name,
            parent,
            joint,
            q,
            v,
            mass: mass.mass,
            center: mass.center_of_mass,
            inertia,
        });
        self.bodies.len() - 1
    }

    /// Poses and Jacobians of all bodies, with their rates.
    pub fn poses(&self, q: &[f64], v: &[f64]) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::new();
        // (velocity index, axis, point on the axis) of turning and (velocity index, direction) of sliding coordinates.
        let mut chains: Vec<Vec<(usize, Vector, Option<Vector>)>> = Vec::new();
        for body in &self.bodies {
            let joint = &body.joint;
            let rest = from_quaternion(joint.orientation.map(constant));
            let (frame, place) = match body.parent {
                Some(parent) => {
                    let parent: &Pose = &poses[parent];
                    let place = plus(parent.origin, turn(&parent.rotation, vector(joint.position)));
                    (product(&parent.rotation, &rest), place)
                }
                None => (rest, vector(joint.position)),
            };
            let mut chain = body.parent.map_or(Vec::new(), |p| chains[p].clone());
            let moving = |i: usize, k: usize| Dual { value: q[body.q + i], rate: v[body.v + k] };
            let unit = |i: usize| vector(std::array::from_fn(|k| (i == k) as u8 as f64));
            let (rotation, origin) = match joint.kind {
                JointKind::Free => {
                    let turn = from_quaternion(turning(&q[body.q + 3..body.q + 7], &v[body.v + 3..body.v + 6]));
                    (turn, [moving(0, 0), moving(1, 1), moving(2, 2)])
                }
                JointKind::Planar => {
                    let origin = [moving(0, 0), constant(joint.position[1]), moving(1, 1)];
                    (product(&about([0.0, 1.0, 0.0], moving(2, 2)), &frame), origin)
                }
                JointKind::Fixed | JointKind::Weld => (frame, place),
                JointKind::Hinge => (product(&frame, &about(joint.axis.expect("an axis"), moving(0, 0))), place),
                JointKind::Ball => {
                    let turn = from_quaternion(turning(&q[body.q..body.q + 4], &v[body.v..body.v + 3]));
                    (product(&frame, &turn), place)
                }
            };
            match joint.kind {
                JointKind::Free => {
                    chain.extend((0..3).map(|i| (body.v + i, unit(i), None)));
                    chain.extend((0..3).map(|i| (body.v + 3 + i, turn(&rotation, unit(i)), Some(origin))));
                }
                JointKind::Planar => {
                    chain.push((body.v, unit(0), None));
                    chain.push((body.v + 1, unit(2), None));
                    chain.push((body.v + 2, unit(1), Some(origin)));
                }
                JointKind::Fixed | JointKind::Weld => {}
                JointKind::Hinge => {
                    chain.push((body.v, turn(&rotation, vector(joint.axis.expect("an axis"))), Some(origin)));
                }
                JointKind::Ball => {
                    chain.extend((0..3).map(|i| (body.v + i, turn(&rotation, unit(i)), Some(origin))));
                }
            }
            let center = plus(origin, turn(&rotation, vector(body.center)));
            let mut angular = vec![Vector::default(); self.velocity_count];
            let mut linear = vec![Vector::default(); self.velocity_count];
            for &(index, axis, point) in &chain {
                match point {
                    Some(point) => {
                        let arm = std::array::from_fn(|i| center[i] - point[i]);
                        angular[index] = axis;
                        linear[index] = cross_dual(axis, arm);
                    }
                    None => linear[index] = axis,
                }
            }
            chains.push(chain);
            poses.push(Pose { rotation, origin, center, angular, linear });
        }
        poses
    }

    /// M with armature, and the bias force.
    pub fn mass_and_bias(&self, q: &[f64], v: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let n = self.velocity_count;
        let mut mass = vec![vec![0.0; n]; n];
        let mut bias = vec![0.0; n];
        for (body, pose) in self.bodies.iter().zip(self.poses(q, v)) {
            let rotation = pose.rotation.map(values);
            // I in the world: R·I·Rᵀ.
            let inertia: [[f64; 3]; 3] = std::array::from_fn(|i| {
                std::array::from_fn(|k| {
                    (0..9).map(|e| rotation[i][e / 3] * body.inertia[e / 3][e % 3] * rotation[k][e % 3]).sum()
                })
            });
            let times = |x: [f64; 3]| inertia.map(|row| dot(row, x));
            let along = |columns: &[Vector], part: fn(Vector) -> [f64; 3]| -> [f64; 3] {
                std::array::from_fn(|i| columns.iter().zip(v).map(|(c, v)| part(*c)[i] * v).sum())
            };
            let omega = along(&pose.angular, values);
            let angular_rate = along(&pose.angular, rates);
            let linear_rate = along(&pose.linear, rates);
            let force: [f64; 3] = std::array::from_fn(|i| body.mass * (linear_rate[i] - self.gravity[i]));
            let spin = cross(omega, times(omega));
            let needed = times(angular_rate);
            let torque: [f64; 3] = std::array::from_fn(|i| needed[i] + spin[i]);
            let used: Vec<usize> =
                (0..n).filter(|&i| values(pose.angular[i]) != [0.0; 3] || values(pose.linear[i]) != [0.0; 3]).collect();
            for &i in &used {
                let (w, l) = (values(pose.angular[i]), values(pose.linear[i]));
                let spun = times(w);
                for &k in &used {
                    mass[i][k] += body.mass * dot(l, values(pose.linear[k])) + dot(spun, values(pose.angular[k]));
                }
                bias[i] += dot(l, force) + dot(w, torque);
            }
            for (i, row) in mass.iter_mut().enumerate().skip(body.v).take(body.joint.kind.velocity_count()) {
                row[i] += body.joint.armature;
            }
        }
        (mass, bias)
    }

    /// Generalised force of a force at a world point and a torque on a body: `Jᵀ·(f, τ)`.
    pub fn generalised(&self, pose: &Pose, force: [f64; 3], torque: [f64; 3], point: [f64; 3]) -> Vec<f64> {
        let center = values(pose.center);
        let arm = std::array::from_fn(|i| point[i] - center[i]);
        let turning = cross(arm, force);
        let torque = std::array::from_fn(|i| torque[i] + turning[i]);
        let pairs = pose.linear.iter().zip(&pose.angular);
        pairs.map(|(l, w)| dot(values(*l), force) + dot(values(*w), torque)).collect()
    }

    /// Difference of PD target and position by degree of freedom: angles of hinges, rotation vectors of balls, nothing at roots.
    pub fn errors(&self, q: &[f64], target: &[f64]) -> Vec<f64> {
        let mut error = vec![0.0; self.velocity_count];
        for body in &self.bodies {
            match body.joint.kind {
                JointKind::Hinge => error[body.v] = target[body.q] - q[body.q],
                JointKind::Ball => {
                    let [w, x, y, z]: [f64; 4] = q[body.q..body.q + 4].try_into().expect("four numbers");
                    let target: [f64; 4] = target[body.q..body.q + 4].try_into().expect("four numbers");
                    let away = rotation_vector(quaternion_product([w, -x, -y, -z], target));
                    error[body.v..body.v + 3].copy_from_slice(&away);
                }
                _ => {}
            }
        }
        error
    }

    /// The body and joint behind each degree of freedom.
    pub fn owners(&self) -> Vec<&DenseBody> {
        let repeat = |b| std::iter::repeat_n(b, DenseBody::count(b));
        self.bodies.iter().flat_map(repeat).collect()
    }
}

impl DenseBody {
    fn count(&self) -> usize {
        self.joint.kind.velocity_count()
    }
}

/// `A·x`.
pub fn multiply(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// `A⁻¹·b` for a symmetric positive definite A, by Cholesky, with one round of refinement.
pub fn solve(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for k in 0..=i {
            let sum: f64 = a[i][k] - (0..k).map(|j| l[i][j] * l[k][j]).sum::<f64>();
            l[i][k] = if i == k { sum.sqrt() } else { sum / l[k][k] };
        }
    }
    let once = |b: &[f64]| {
        let mut x = b.to_vec();
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| l[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        x
    };
    let x = once(b);
    let rest: Vec<f64> = b.iter().zip(multiply(a, &x)).map(|(b, ax)| b - ax).collect();
    x.iter().zip(once(&rest)).map(|(x, d)| x + d).collect()
}

/// Largest difference over the largest number of `b`.
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    let scale = b.iter().fold(1e-9, |m: f64, x| m.max(x.abs()));
    let worst =
        a.iter().zip(b).fold(0.0, |m: f64, (a, b)| if (a - b).is_nan() { f64::NAN } else { m.max((a - b).abs()) });
    worst / scale
}
