//! Positions as points of a curved space: the way between two of them, and a step along such a way.

use crate::character::JointKind;
use crate::model::Model;
use crate::rotation::{quaternion_product, turn_between};

impl Model {
    /// The way from position `a` to `b` in `qvel` order, as MuJoCo's `mj_differentiatePos` for one second: turns as rotation vectors in the
    /// axes of `a`.
    ///
    /// # Panics
    /// When a length is not the model's, as in [`Model::displace`].
    pub fn difference(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        assert!(a.len() == self.position_count() && b.len() == a.len() && out.len() == self.velocity_count());
        for joint in &self.joints {
            let (q, v) = (joint.position_index, joint.velocity_index);
            let turn_at = match joint.kind {
                JointKind::Free => {
                    (0..3).for_each(|k| out[v + k] = b[q + k] - a[q + k]);
                    Some((q + 3, v + 3))
                }
                JointKind::Ball => Some((q, v)),
                kind => {
                    (0..kind.velocity_count()).for_each(|k| out[v + k] = b[q + k] - a[q + k]);
                    None
                }
            };
            if let Some((q, v)) = turn_at {
                out[v..v + 3].copy_from_slice(&turn_between(four(&a[q..]), four(&b[q..])));
            }
        }
    }

    /// Position `a` moved by `way` times `share`, as MuJoCo's `mj_integratePos`.
    pub fn displace(&self, a: &[f64], way: &[f64], share: f64, out: &mut [f64]) {
        assert!(a.len() == self.position_count() && out.len() == a.len() && way.len() == self.velocity_count());
        for joint in &self.joints {
            let (q, v) = (joint.position_index, joint.velocity_index);
            let turn_at = match joint.kind {
                JointKind::Free => {
                    (0..3).for_each(|k| out[q + k] = a[q + k] + share * way[v + k]);
                    Some((q + 3, v + 3))
                }
                JointKind::Ball => Some((q, v)),
                kind => {
                    (0..kind.velocity_count()).for_each(|k| out[q + k] = a[q + k] + share * way[v + k]);
                    None
                }
            };
            if let Some((q, v)) = turn_at {
                let turn = quaternion_of([0, 1, 2].map(|k| share * way[v + k]));
                out[q..q + 4].copy_from_slice(&quaternion_product(four(&a[q..]), turn));
            }
        }
    }
}

fn four(a: &[f64]) -> [f64; 4] {
    [a[0], a[1], a[2], a[3]]
}

/// Quaternion of a rotation vector.
fn quaternion_of([x, y, z]: [f64; 3]) -> [f64; 4] {
    let angle = (x * x + y * y + z * z).sqrt();
    let half = 0.5 * angle;
    let ratio = if angle < 1e-9 { 0.5 } else { libm::sin(half) / angle };
    [libm::cos(half), ratio * x, ratio * y, ratio * z]
}

#[cfg(test)]
mod tests {
    use crate::{Model, Scene, embedded};

    #[test]
    fn a_step_along_the_way_arrives() {
        let model = Model::new(&Scene::on_ground(embedded::humanoid()), 0.002).unwrap();
        let a = model.rest_position().to_vec();
        let way: Vec<f64> = (0..model.velocity_count()).map(|i| 0.7 * libm::sin(i as f64)).collect();
        let (mut b, mut back) = (a.clone(), way.clone());
        model.displace(&a, &way, 0.5, &mut b);
        model.difference(&a, &b, &mut back);
        let worst = way.iter().zip(&back).map(|(w, b)| (0.5 * w - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst}");
    }
}
