//! Clips that are changed in the studio: beside the file's own, for characters too, and back again.

use crate::support::{Running, encoded};
use serde_json::{Value, json};

fn clip<'a>(rig: &'a Value, name: &str) -> Option<&'a Value> {
    rig["clips"].as_array().expect("clips").iter().find(|clip| clip["name"] == name)
}

#[test]
fn a_clip_is_changed_beside_the_files_own_and_back() {
    let server = Running::start();
    let edit = |clip: &str, change: Value| {
        server.post("/api/clip/edit", &json!({"rig": "human", "clip": clip, "change": change}))
    };
    let secs = |clip: &Value| clip["duration_secs"].as_f64().expect("s");
    let first = server.ok(edit("walk", json!({"edit": "trim", "from_secs": 0.2, "to_secs": 0.8})));
    assert_eq!(first["clip"], "walk edited");
    let (own, part) = (clip(&first["rig"], "walk").expect("stays"), clip(&first["rig"], "walk edited").expect("there"));
    assert!((secs(part) - 0.6).abs() < 0.05 && secs(own) > 1.0, "{part}");
    assert_eq!((own.get("edited"), &part["edited"]["of"]), (None, &json!("walk")));

    // A character of that rig has it: as a motion, in the pre-flight, for a transfer.
    let made = server.ok(server.post("/api/character", &json!({"rig": "human"})));
    let motion = |clip: &str| {
        let (id, clip) = (encoded("characters/human.toml"), encoded(clip));
        let answer = server.get(&format!("/api/character/motion?id={id}&clip={clip}"));
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        answer.body
    };
    let short = motion("walk edited");
    assert!(short.len() < motion("walk").len());

    let turn = json!({"edit": "turn", "joint": "head", "turn": [0.9238795, 0.0, 0.3826834, 0.0], "at_secs": 0.3, "within_secs": 0.2});
    let second = server.ok(edit("walk edited", turn));
    assert_eq!(second["clip"], "walk edited");
    let turned = motion("walk edited");
    assert!(turned.len() == short.len() && turned != short, "the head turns");
    let slow = server.ok(edit("walk edited", json!({"edit": "speed", "factor": 0.5})));
    assert!((secs(clip(&slow["rig"], "walk edited").expect("there")) - 1.2).abs() < 0.1);

    // Back and forth, to the bit.
    let of = json!({"rig": "human", "clip": "walk edited"});
    server.ok(server.post("/api/clip/undo", &of));
    assert_eq!(motion("walk edited"), turned);
    let undone = server.ok(server.post("/api/clip/undo", &of));
    assert_eq!(motion("walk edited"), short);
    assert_eq!(clip(&undone, "walk edited").expect("there")["edited"]["can_redo"], true);
    server.ok(server.post("/api/clip/redo", &of));
    assert_eq!(motion("walk edited"), turned);

    // What does not fit is refused and changes nothing; the file's own clips stay.
    for (name, change, says) in [
        ("walk edited", json!({"edit": "trim", "from_secs": 5.0, "to_secs": 4.0}), "no part of clip"),
        (
            "walk edited",
            json!({"edit": "turn", "joint": "fin", "turn": [1.0, 0.0, 0.0, 0.0], "at_secs": 0.0}),
            "no joint",
        ),
        ("swim", json!({"edit": "speed", "factor": 2.0}), "no clip"),
    ] {
        let refused = edit(name, change);
        assert!(refused.status >= 400 && refused.error().contains(says), "{}", refused.error());
    }
    assert_eq!(motion("walk edited"), turned);
    assert_eq!(server.delete("/api/clip?rig=human&clip=walk").status, 400);
    let gone = server.ok(server.delete("/api/clip?rig=human&clip=walk%20edited"));
    assert!(clip(&gone, "walk edited").is_none() && clip(&gone, "walk").is_some());
    assert_eq!(made["rig"], "human");
}
