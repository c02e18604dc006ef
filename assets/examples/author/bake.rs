//! Samples a clip's curves at 30 Hz into rotations of the joints.

use crate::character::{Character, rotation};
use crate::flesh::volume;
use crate::leg_ik;
use crate::pose_table::Table;
use crate::spline::Curve;
use anyhow::{Result, ensure};
use glam::{DQuat, DVec3};

/// Samples a second.
pub const RATE: f64 = 30.0;
/// Acceleration of free fall, m/s².
const GRAVITY: f64 = 9.81;

/// A sampled clip.
pub struct Clip {
    /// Its name.
    pub name: String,
    /// Translation of the hips at each sample, m.
    pub hips: Vec<DVec3>,
    /// Local rotation of each joint at each sample: `rotations[joint][sample]`.
    pub rotations: Vec<Vec<DQuat>>,
    /// Name of each toe joint and the spans of time at which its sole is planted, s.
    pub plants: Vec<(String, Vec<[f64; 2]>)>,
}

/// World places and rotations (relative to the bind pose) of all joints.
struct Pose {
    at: Vec<DVec3>,
    turned: Vec<DQuat>,
    /// A line for each planted leg that is too short for what the table asks.
    strained: Vec<String>,
}

/// Samples a clip; fails where a planted leg is too short for what its table asks.
pub fn bake(character: &Character, table: &Table) -> Result<Clip> {
    let count = libm::round(table.duration * RATE) as usize;
    let lifts = flight(character, table, count);
    let mut strained = Vec::new();
    let mut clip = Clip {
        name: table.name.clone(),
        hips: Vec::new(),
        rotations: vec![Vec::new(); character.joints.len()],
        plants: character
            .legs
            .iter()
            .zip(&table.soles)
            .map(|(l, s)| (character.joints[l.toe].name.clone(), s.plants.clone()))
            .collect(),
    };
    for (sample, &lift) in lifts.iter().enumerate() {
        let pose = pose(character, table, sample as f64 / RATE, lift);
        strained.extend_from_slice(&pose.strained);
        clip.hips.push(pose.at[0]);
        for (j, joint) in character.joints.iter().enumerate() {
            let mut local =
                joint.parent.map_or(pose.turned[j], |p| pose.turned[p].inverse() * pose.turned[j]).normalize();
            // Of the two quaternions of a rotation, the one nearer to the last sample's.
            if clip.rotations[j].last().is_some_and(|&last: &DQuat| last.dot(local) < 0.0) {
                local = -local;
            }
            clip.rotations[j].push(local);
        }
    }
    ensure!(
        strained.is_empty(),
        "planted legs do not reach; lower the hips or roll the feet:\n{}",
        strained.join("\n")
    );
    Ok(clip)
}

fn pose(character: &Character, table: &Table, time: f64, lift: DVec3) -> Pose {
    let joints = &character.joints;
    let offset = |curves: &[Curve; 3]| DVec3::from_array([0, 1, 2].map(|i| curves[i].at(time)));
    let travelled = DVec3::Z * table.travel * time / table.duration;
    let mut pose =
        Pose { at: vec![DVec3::ZERO; joints.len()], turned: vec![DQuat::IDENTITY; joints.len()], strained: Vec::new() };
    // Angles are counted from the zero pose: world rotation = (product of the angles down the chain) · zero.
    let mut chain = vec![DQuat::IDENTITY; joints.len()];
    for (j, joint) in joints.iter().enumerate() {
        let own = rotation([0, 1, 2].map(|i| table.angles[j][i].at(time)));
        chain[j] = joint.parent.map_or(own, |p| chain[p] * own);
        pose.turned[j] = chain[j] * joint.zero;
        pose.at[j] = match joint.parent {
            Some(p) => pose.at[p] + pose.turned[p] * (joint.at - joints[p].at),
            None => joint.at + offset(&table.hips) + offset(&table.path) + travelled + lift,
        };
    }
    for (leg, sole) in character.legs.iter().zip(&table.soles) {
        let pelvis = joints[leg.upper].parent.map_or(DQuat::IDENTITY, |p| pose.turned[p]);
        let solved = leg_ik::solve(character, leg, sole, time, pose.at[leg.upper], pelvis, lift);
        let planted = sole.plants.iter().any(|p| (p[0]..=p[1]).contains(&time));
        if planted && solved.stretch > 0.99 {
            pose.strained.push(format!("{time:.3} s: {} at {:.3} of its length", leg.name, solved.stretch));
        }
        for (j, turned) in [leg.upper, leg.lower, leg.foot, leg.toe].into_iter().zip(solved.rotations) {
            pose.turned[j] = turned;
            if j != leg.upper {
                let p = joints[j].parent.unwrap_or(leg.upper);
                pose.at[j] = pose.at[p] + pose.turned[p] * (joints[j].at - joints[p].at);
            }
        }
    }
    pose
}

/// How far to lift the character at each sample so that its centre of mass flies as a thrown stone:
/// c(t) = c₀ + (c₁ − c₀) (t − t₀)/(t₁ − t₀) + ½ g (t − t₀)(t₁ − t) ŷ between take-off t₀ and landing t₁.
fn flight(character: &Character, table: &Table, count: usize) -> Vec<DVec3> {
    let mut lifts = vec![DVec3::ZERO; count + 1];
    let Some([start, end]) = table.ballistic else { return lifts };
    let center = |time: f64| center_of_mass(character, &pose(character, table, time, DVec3::ZERO));
    let (from, to) = (center(start), center(end));
    for (sample, lift) in lifts.iter_mut().enumerate() {
        let time = sample as f64 / RATE;
        if (start..end).contains(&time) {
            let rise = 0.5 * GRAVITY * (time - start) * (end - time);
            let wanted = from.lerp(to, (time - start) / (end - start)) + DVec3::Y * rise;
            *lift = wanted - center(time);
        }
    }
    lifts
}

/// The centre of mass of the flesh at uniform density.
fn center_of_mass(character: &Character, pose: &Pose) -> DVec3 {
    let (mut moment, mut mass) = (DVec3::ZERO, 0.0);
    for flesh in character.parts.iter().flat_map(|p| &p.flesh) {
        let Ok(j) = character.joint(&flesh.bone) else { continue };
        let (m, center) = volume(flesh);
        moment += m * (pose.at[j] + pose.turned[j] * (center - character.joints[j].at));
        mass += m;
    }
    moment / mass
}
