//! Results under their controllers, and fronts under a dial.

use crate::support::{Running, frame, short_walk};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use sinew_sim::{Character, Model, Scene, Snapshot, World};
use sinew_studio::fronts::{Front, FrontSource};
use sinew_studio::protocol::{ControllerKind, FrontAxis, FrontDetail, FrontEntry, FrontPoint, Steer};
use sinew_studio::sessions::controller::{Controller, Next};
use sinew_transfer::{Gains, Pilot, Policy, Reference};
use std::path::Path;
use std::sync::Arc;

fn transferred(server: &Running) {
    let mut tab = server.socket();
    server.ok(server.upload("short.bvh", &short_walk()));
    server.ok(server
        .post("/api/job", &json!({"kind": "transfer", "rig": "rigs/short.bvh", "preset": "quick", "name": "walk"})));
    tab.until(|m| m["state"]["jobs"].as_array().is_some_and(|j| j.iter().any(|j| j["status"] == "done")));
}

#[test]
fn a_result_plays_as_it_was_found_and_under_its_policy() {
    let server = Running::start();
    transferred(&server);
    let folder = server.path("results/walk");
    let again = sinew::transfer::replay(&folder, None).expect("performed again");
    let mut tab = server.socket();
    let play = |controller: &str| json!({"type": "start", "session": {"what": "play", "result": "results/walk", "controller": controller}});
    let started = tab.ask(play("open_loop"));
    assert_eq!(
        (&started["type"], &started["session"]["controller"]),
        (&json!("done"), &json!("open_loop")),
        "{started}"
    );
    let id = started["session"]["id"].clone();

    // With the balls far away the character moves as it did alone.
    tab.ask(json!({"type": "act", "session": id, "action": "pause", "paused": true}));
    tab.ask(json!({"type": "act", "session": id, "action": "reset"}));
    for _ in 0..12 {
        tab.ask(json!({"type": "act", "session": id, "action": "step"}));
    }
    let frames: Vec<Vec<u8>> = (0..12).map(|_| tab.frame()).collect();
    assert!(frames.iter().any(|f| frame::f64_at(f, 32) > 0.1), "it goes on step by step");
    let model = again.target.model();
    let root = model.scene().characters[0].character.joints.iter().find(|j| j.parent.is_none()).expect("a root");
    let bodies = &model.scene().characters[0].character.bodies;
    let root = bodies.iter().position(|b| b.name == root.child).expect("its body");
    let compared = frames.iter().map(|f| {
        let step = (frame::f64_at(f, 32) / model.dt()).round() as usize;
        let moment = &again.run.moments[step.min(again.run.moments.len() - 1)];
        (0..3)
            .map(|k| (f64::from(frame::f32_at(f, 48 + 28 * root + 4 * k)) - moment.position[k]).abs())
            .fold(0.0, f64::max)
    });
    let worst = compared.fold(0.0, f64::max);
    assert!(worst < 1e-3, "it is {worst} m from the motion that was found");

    // There is no policy yet; with one, it plays.
    let missing = tab.ask(play("feedback"));
    assert!(missing["error"].as_str().is_some_and(|e| e.contains("train one")), "{missing}");
    let reference = Reference::new(model, &again.run, 0.25).expect("a cycle");
    let counts = Pilot::new(model, &reference).expect("a pilot").counts();
    let policy = Policy { gains: Gains::zero(counts.0, counts.1), reference };
    std::fs::write(folder.join("policy.json"), policy.to_json()).expect("written");
    let started = tab.ask(play("feedback"));
    assert_eq!(started["session"]["controller"], "feedback", "{started}");
    let id = started["session"]["id"].as_u64().expect("an id") as u32;
    let moves = (0..200).map(|_| tab.frame()).filter(|f| frame::u32_at(f, 4) == id).take(10).count();
    assert_eq!(moves, 10);
    let held = tab.ask(json!({"type": "act", "session": id, "action": "controller", "controller": "held_pose"}));
    assert_eq!(held["session"]["controller"], "held_pose");
    std::fs::write(folder.join("policy.json"), "{").expect("written");
    let damaged = tab.ask(json!({"type": "act", "session": id, "action": "controller", "controller": "feedback"}));
    assert!(damaged["type"] == "error", "{damaged}");
}

/// A front whose dial says how far the character leans.
struct Leaning;

struct LeaningFront;

struct Leans {
    dial: f64,
    start: Snapshot,
    pose: Vec<f64>,
}

impl FrontSource for Leaning {
    fn list(&self, _: &Path, _: &[String]) -> Vec<FrontEntry> {
        vec![FrontEntry { id: "fronts/lean".into(), title: "Leaning".into(), points: 2 }]
    }
    fn open(&self, _: &Path, id: &str) -> Result<Box<dyn Front>> {
        ensure!(id == "fronts/lean", "there is no front {id}");
        Ok(Box::new(LeaningFront))
    }
}

impl Front for LeaningFront {
    fn detail(&self) -> FrontDetail {
        let axis =
            |name: &str| FrontAxis { name: name.into(), unit: "m".into(), less_is_better: true, is_logarithmic: false };
        let point = |dial: f64| FrontPoint { values: vec![dial, 1.0 - dial], dial, label: None };
        FrontDetail {
            id: "fronts/lean".into(),
            title: "Leaning".into(),
            axes: vec![axis("lean"), axis("straightness")],
            points: vec![point(0.0), point(1.0)],
            dial: ["lean", "straight", "leaning"].map(str::to_owned),
            is_stepped: false,
        }
    }
    fn character(&self) -> Character {
        sinew_sim::embedded::dinosaur()
    }
    fn dt(&self) -> f64 {
        1.0 / 480.0
    }
    fn controller(&self, dial: f64) -> Result<Box<dyn Controller>> {
        let model = Model::new(&Scene::on_ground(self.character()), self.dt())?;
        let pose = model.rest_position().to_vec();
        let start = Snapshot::new(&pose, &vec![0.0; model.velocity_count()]);
        Ok(Box::new(Leans { dial, start, pose }))
    }
}

impl Controller for Leans {
    fn kind(&self) -> ControllerKind {
        ControllerKind::Front
    }
    fn start(&self) -> Snapshot {
        self.start.clone()
    }
    fn target(&mut self, _: usize, _: &World<'_>, _: &Steer, out: &mut [f64]) -> Next {
        out.copy_from_slice(&self.pose);
        out[7..].iter_mut().for_each(|angle| *angle += 0.3 * self.dial);
        Next::Continue
    }
    fn set_dial(&mut self, dial: f64) -> Result<()> {
        self.dial = dial;
        Ok(())
    }
}

#[test]
fn a_dial_along_a_front_is_simulated_as_it_turns() {
    let server = Running::start_with_fronts(Arc::new(Leaning));
    let fronts = server.ok(server.get("/api/fronts"));
    assert_eq!(fronts[0]["id"], "fronts/lean");
    let detail = server.ok(server.get("/api/front?id=fronts%2Flean"));
    assert_eq!(detail["points"].as_array().map(Vec::len), Some(2));
    let mut tab = server.socket();
    let started = tab.ask(json!({"type": "start", "session": {"what": "front", "front": "fronts/lean", "dial": 0.0}}));
    assert_eq!(
        (&started["session"]["controller"], &started["session"]["dial"]),
        (&json!("front"), &json!(0.0)),
        "{started}"
    );
    let id = started["session"]["id"].clone();
    let pose = |f: &[u8]| (0..60).map(|k| frame::f32_at(f, 48 + 4 * k)).collect::<Vec<f32>>();
    let before = pose(&(0..20).map(|_| tab.frame()).last().expect("frames"));
    let turned = tab.ask(json!({"type": "act", "session": id, "action": "dial", "dial": 0.5}));
    assert_eq!(turned["session"]["dial"], 0.5);
    let after = pose(&(0..30).map(|_| tab.frame()).last().expect("frames"));
    let moved = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(moved > 0.02, "the motion follows the dial: {moved}");
    for dial in [json!(1.5), json!(-0.1)] {
        let refused: Value = tab.ask(json!({"type": "act", "session": id, "action": "dial", "dial": dial}));
        assert!(refused["error"].as_str().is_some_and(|e| e.contains("0 to 1")), "{refused}");
    }
    let none = tab.ask(json!({"type": "start", "session": {"what": "front", "front": "fronts/none", "dial": 0.0}}));
    assert!(none["error"].as_str().is_some_and(|e| e.contains("fronts/none")), "{none}");
}
