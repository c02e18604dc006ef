//! From a file that is dropped in to an edited character, saved at every step.

use crate::support::{Running, encoded, short_walk};
use serde_json::json;
use sinew_modeler::CharacterProject;

#[test]
fn clips_that_are_dropped_onto_a_rig_move_to_it() {
    let server = Running::start();
    // A walk of a skeleton whose joints have other names.
    let mut walk = String::from_utf8(short_walk()).expect("text");
    for (ours, theirs) in [
        ("hips", "Pelvis"),
        ("spine", "Back"),
        ("thigh_", "UpLeg_"),
        ("shin_", "LoLeg_"),
        ("foot_", "Ankle_"),
        ("toe_", "Ball_"),
        ("clavicle_", "Collar_"),
        ("upper_arm_", "Humerus_"),
        ("forearm_", "Radius_"),
        ("hand_", "Wrist_"),
    ] {
        walk = walk.replace(ours, theirs);
    }
    let onto =
        |rig: &str| server.request("POST", &format!("/api/upload?name=step.bvh&onto={rig}"), "", walk.as_bytes());
    let moved = server.ok(onto("dinosaur"));
    assert_eq!(moved["rig"]["id"], "rigs/dinosaur-step.glb");
    let clips = moved["rig"]["clips"].as_array().expect("clips");
    assert!(clips.iter().any(|clip| clip["name"] == "step") && clips.len() > 1, "{clips:?}");
    let told = moved["rig"]["repairs"].to_string();
    assert!(told.contains("Clips moved from the skeleton of step.bvh"), "{told}");
    // A character made of the rig takes them.
    let made = server.ok(server.post("/api/character", &json!({"rig": "dinosaur"})));
    let motion = server.get(&format!("/api/rig/motion?id={}&clip=step", encoded("rigs/dinosaur-step.glb")));
    assert_eq!((motion.status, made["rig"].as_str()), (200, Some("dinosaur")));

    let refused = onto("quadruped");
    assert_eq!(refused.status, 400);
    let sentence = String::from_utf8_lossy(&refused.body).into_owned();
    assert!(sentence.contains("its skeleton stands on two legs, the character stands on four legs"), "{sentence}");
    assert!(!server.path("rigs/quadruped-step.glb").exists());
}

#[test]
fn a_dropped_file_is_modelled_edited_undone_and_always_saved() {
    let server = Running::start();
    let mut tab = server.socket();
    let hello = tab.until(|m| m["type"] == "hello");
    let names: Vec<&str> =
        hello["state"]["rigs"].as_array().expect("rigs").iter().filter_map(|r| r["id"].as_str()).collect();
    assert_eq!((&names[..], hello["protocol"].as_u64()), (&["dinosaur", "human", "quadruped"][..], Some(1)));

    // A file comes in; its repairs are told; all tabs see it.
    let uploaded = server.ok(server.upload("hero.glb", sinew::assets::dinosaur()));
    assert_eq!((&uploaded["kind"], &uploaded["rig"]["id"]), (&json!("rig"), &json!("rigs/hero.glb")));
    assert!(
        uploaded["rig"]["repairs"].as_array().is_some_and(|r| !r.is_empty()) && uploaded["rig"]["has_skin"] == true
    );
    let told = tab.until(|m| m["type"] == "state" && m["state"]["rigs"].as_array().is_some_and(|r| r.len() == 4));
    assert!(told["state"]["version"].as_u64() > hello["state"]["version"].as_u64());
    // The same name again is another rig.
    assert_eq!(server.ok(server.upload("hero.glb", sinew::assets::human()))["rig"]["id"], "rigs/hero-2.glb");
    let stage = server.get("/api/rig/stage.glb?id=rigs%2Fhero.glb");
    assert_eq!((stage.status, &stage.body[..4]), (200, &b"glTF"[..]));

    let made = server.ok(server.post("/api/character", &json!({"rig": "rigs/hero.glb"})));
    assert_eq!((&made["id"], &made["rig"]), (&json!("characters/hero.toml"), &json!("rigs/hero.glb")));
    let bodies = made["character"]["body"].as_array().expect("bodies").clone();
    assert_eq!((made["rest"].as_array().map(Vec::len), made["can_undo"].as_bool()), (Some(bodies.len()), Some(false)));
    let path = server.path("characters/hero.toml");
    let first = std::fs::read(&path).expect("a file");

    // An axis on both sides, then a merge.
    let left = bodies.iter().zip(made["mirrored"].as_array().expect("sides")).find(|(_, other)| !other.is_null());
    let left = left.expect("a pair").0["name"].as_str().expect("a name").to_owned();
    let joint = made["character"]["joint"].as_array().expect("joints").iter().find(|j| j["child"] == left.as_str());
    let joint = joint.expect("a joint")["name"].clone();
    let change = json!({"edit": "set_type", "joint": joint, "type": "hinge", "axis": [0.0, 1.0, 0.0], "mirror": true});
    let edited = server
        .ok(server
            .post("/api/character/edit", &json!({"id": made["id"], "revision": made["revision"], "change": change})));
    assert!(
        edited["revision"].as_u64() > made["revision"].as_u64()
            && edited["edits"].as_array().is_some_and(|e| e.len() == 1)
    );
    let second = std::fs::read(&path).expect("a file");
    assert_ne!(first, second, "it is saved at once");
    assert_eq!(CharacterProject::load(&path).expect("a character").edits().len(), 1);
    let told = tab.until(|m| m["type"] == "character" && m["revision"] == edited["revision"]);
    assert_eq!(told["id"], made["id"]);

    // Somebody who has not seen that change is refused.
    let mass = |revision: &serde_json::Value| {
        let change = json!({"edit": "set_mass", "body": left, "mass": 3.0});
        server.post("/api/character/edit", &json!({"id": made["id"], "revision": revision, "change": change}))
    };
    let late = mass(&made["revision"]);
    assert_eq!((late.status, std::fs::read(&path).expect("a file")), (409, second.clone()), "{}", late.error());

    let tail = bodies.last().expect("a body")["name"].clone();
    let merged = server
        .ok(server
            .post("/api/character/edit", &json!({"id": made["id"], "change": {"edit": "merge_body", "body": tail}})));
    assert_eq!(merged["character"]["body"].as_array().map(Vec::len), Some(bodies.len() - 1));
    let undone = server.ok(server.post("/api/character/undo", &json!({"id": made["id"]})));
    assert_eq!((&undone["character"], undone["can_redo"].as_bool()), (&edited["character"], Some(true)));
    let redone = server.ok(server.post("/api/character/redo", &json!({"id": made["id"]})));
    assert_eq!((&redone["character"], redone["can_redo"].as_bool()), (&merged["character"], Some(false)));
    for _ in 0..2 {
        server.ok(server.post("/api/character/undo", &json!({"id": made["id"]})));
    }
    let nothing = server.post("/api/character/undo", &json!({"id": made["id"]}));
    assert_eq!((nothing.status, nothing.error().as_str()), (400, "there is no change to take back"));

    // A change that makes no sense is refused and leaves everything as it is.
    let before = std::fs::read(&path).expect("a file");
    let wrong = server.post(
        "/api/character/edit",
        &json!({"id": made["id"], "change": {"edit": "set_mass", "body": "nobody", "mass": 3.0}}),
    );
    assert!(wrong.status == 400 && wrong.error().contains("nobody"), "{}", wrong.error());
    assert_eq!(std::fs::read(&path).expect("a file"), before);
}

#[test]
fn preflight_names_culprits_and_changes_from_outside_are_seen() {
    let server = Running::start();
    let made = server.ok(server.post("/api/character", &json!({"rig": "dinosaur", "name": "dino"})));
    let id = made["id"].as_str().expect("an id").to_owned();
    let tried = server.ok(server.get(&format!("/api/character/preflight?id={}", encoded(&id))));
    assert_eq!((tried["ok"].as_bool(), tried["revision"].as_u64()), (Some(true), made["revision"].as_u64()));

    // One thigh far too heavy: a body of each side is named.
    let pairs =
        made["character"]["body"].as_array().expect("bodies").iter().zip(made["mirrored"].as_array().expect("sides"));
    let (left, right) = pairs.clone().find(|(_, other)| !other.is_null()).expect("a pair");
    let change = json!({"edit": "set_mass", "body": left["name"], "mass": 40.0});
    server.ok(server.post("/api/character/edit", &json!({"id": id, "change": change})));
    let tried = server.ok(server.get(&format!("/api/character/preflight?id={}", encoded(&id))));
    let problems = tried["problems"].as_array().expect("problems");
    let sides =
        problems.iter().find(|p| p["sentence"].as_str().is_some_and(|s| s.contains("same mass"))).expect("a problem");
    assert_eq!(sides["bodies"], json!([left["name"], right]));

    // The edit that is offered mends it.
    let change = &tried["mend"]["change"];
    assert_eq!((&change["edit"], &change["body"]), (&json!("set_mass"), &left["name"]), "{}", tried["mend"]);
    server.ok(server.post("/api/character/edit", &json!({"id": id, "change": change})));
    let mended = server.ok(server.get(&format!("/api/character/preflight?id={}", encoded(&id))));
    assert_eq!((mended["ok"].as_bool(), &mended["mend"]), (Some(true), &json!(null)));
    server.ok(server.post("/api/character/undo", &json!({"id": id})));

    // The command line changes the file; the studio reads it again.
    let path = server.path(&id);
    let mut outside = CharacterProject::load(&path).expect("a character");
    assert!(outside.undo());
    outside.save(&path).expect("saved");
    let seen = server.ok(server.get(&format!("/api/character?id={}", encoded(&id))));
    assert_eq!((&seen["character"], seen["can_redo"].as_bool()), (&made["character"], Some(true)));

    // The skin follows the bodies: every driven node is one of the file's.
    let skin = server.ok(server.get(&format!("/api/character/skin?id={}", encoded(&id))));
    let nodes = skin["nodes"].as_array().expect("nodes");
    assert!(nodes.len() > 10 && nodes[0]["position"].is_array() && nodes[1]["position"].is_null());
    let motion = server.get(&format!("/api/character/motion?id={}&clip=walk&cycles=2", encoded(&id)));
    assert_eq!((motion.status, &motion.body[..4]), (200, &b"SNWM"[..]));
    let length = u32::from_le_bytes(motion.body[4..8].try_into().expect("four")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&motion.body[8..8 + length]).expect("a header");
    assert_eq!((header["frames"].as_u64(), header["rate_hz"].as_f64()), (Some(121), Some(60.0)));
    let file = server.get(&format!("/api/character/file?id={}", encoded(&id)));
    assert!(
        file.head.contains("attachment; filename=\"dino.toml\"")
            && file.body.starts_with(b"#") | file.body.starts_with(b"name")
    );
    server.ok(server.delete(&format!("/api/character?id={}", encoded(&id))));
    assert!(!path.exists() && server.get(&format!("/api/character?id={}", encoded(&id))).status == 404);
}

#[test]
fn a_gltf_comes_in_parts() {
    let server = Running::start();
    // The embedded human as text with its buffer beside it.
    let glb = sinew::assets::human();
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four")) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).expect("JSON");
    let bin = &glb[20 + length + 8..];
    json["buffers"][0]["uri"] = "human data.bin".into();
    let text = json.to_string();
    let alone = server.request("POST", "/api/upload?name=human.gltf&folder=human", "", text.as_bytes());
    assert!(alone.status == 400 && alone.error().contains("human data.bin"), "{}", alone.error());
    assert!(!server.path("rigs/human/human.gltf").exists(), "what cannot be read is not kept");
    let part = server.ok(server.request("POST", "/api/upload?name=human%20data.bin&folder=human", "", bin));
    assert_eq!(part, json!({"kind": "part", "id": "rigs/human/human data.bin"}));
    let whole = server.ok(server.request("POST", "/api/upload?name=human.gltf&folder=human", "", text.as_bytes()));
    assert_eq!(whole["rig"]["id"], "rigs/human/human.gltf");
    let stage = server.get("/api/rig/stage.glb?id=rigs%2Fhuman%2Fhuman.gltf");
    assert!(stage.status == 200 && stage.body.starts_with(b"glTF") && stage.body.len() > bin.len());
    server.ok(server.delete("/api/rig?id=rigs%2Fhuman%2Fhuman.gltf"));
    assert!(!server.path("rigs/human").exists());
    assert_eq!(server.delete("/api/rig?id=human").status, 400, "embedded ones stay");
}

#[test]
fn a_character_gets_another_size_and_mass_and_keeps_its_edits() {
    let server = Running::start();
    let made = server.ok(server.post("/api/character", &json!({"rig": "human"})));
    let id = made["id"].clone();
    let size = &made["size"];
    let height = size["height_m"].as_f64().expect("a height");
    assert!((1.5..2.1).contains(&height) && size["size_source"] == "guess" && size["up"] == "y", "{size}");
    assert!(size["size_reason"].as_str().is_some_and(|reason| reason.len() > 10), "{size}");
    let change = json!({"edit": "set_mass", "body": "head", "mass": 4.0});
    let edited = server.ok(server.post("/api/character/edit", &json!({"id": id, "change": change})));

    let tall = server.ok(server.post("/api/character/remake", &json!({"id": id, "height_m": 2.5})));
    let close = |a: &serde_json::Value, b: f64| a.as_f64().is_some_and(|a| (a / b - 1.0).abs() < 1e-6);
    assert!(close(&tall["size"]["height_m"], 2.5) && tall["size"]["size_source"] == "user", "{}", tall["size"]);
    assert!(close(&tall["size"]["guessed_height_m"], height));
    // Volumes grow with the cube, and what it weighs with them.
    let ratio = tall["size"]["guessed_mass_kg"].as_f64().expect("kg") / size["guessed_mass_kg"].as_f64().expect("kg");
    assert!((ratio / (2.5 / height).powi(3) - 1.0).abs() < 0.05, "{ratio}");
    let head = |detail: &serde_json::Value| {
        let bodies = detail["character"]["body"].as_array().expect("bodies").clone();
        bodies.iter().find(|b| b["name"] == "head").expect("a head")["mass"].clone()
    };
    assert_eq!((head(&tall), tall["edits"].as_array().map(Vec::len)), (json!(4.0), Some(1)));
    let root = |detail: &serde_json::Value| detail["rest"][0]["position"][2].as_f64().expect("a height");
    assert!((root(&tall) / root(&made) - 2.5 / height).abs() < 0.02);
    // The motion and the skin are as large as it.
    let motion = server.get(&format!("/api/character/motion?id={}&clip=walk", encoded("characters/human.toml")));
    assert_eq!(motion.status, 200, "{}", String::from_utf8_lossy(&motion.body));
    let skin = server.ok(server.get(&format!("/api/character/skin?id={}", encoded("characters/human.toml"))));
    assert!(close(&skin["metres_per_unit"], tall["size"]["metres_per_unit"].as_f64().expect("a unit")));

    let mass = json!({"edit": "set_total_mass", "mass": 100.0});
    let heavy = server.ok(server.post("/api/character/edit", &json!({"id": id, "change": mass})));
    assert!(close(&heavy["mass_kg"], 100.0));
    assert!(heavy["notes"].to_string().contains("It weighs 100.0 kg, as it was edited"), "{}", heavy["notes"]);

    // One undo for each, back to the bit.
    server.ok(server.post("/api/character/undo", &json!({"id": id})));
    let back = server.ok(server.post("/api/character/undo", &json!({"id": id})));
    assert_eq!((&back["character"], &back["size"]), (&edited["character"], &edited["size"]));
    let forth = server.ok(server.post("/api/character/redo", &json!({"id": id})));
    assert_eq!(forth["character"], tall["character"]);
    // Guessed anew, it is as large as it was.
    let guessed = server.ok(server.post("/api/character/remake", &json!({"id": id, "guess": true})));
    assert_eq!((&guessed["size"]["size_source"], close(&guessed["size"]["height_m"], height)), (&json!("guess"), true));

    let lying = server.ok(server.post("/api/character/remake", &json!({"id": id, "up": "z"})));
    assert!(lying["size"]["up"] == "z" && lying["size"]["up_reason"].to_string().contains("as given"), "{lying}");
    for (wrong, says) in [
        (json!({"id": id, "height_m": -1.0}), "give one from"),
        (json!({"id": id, "metres_per_unit": 0.0}), "a positive number"),
    ] {
        let refused = server.post("/api/character/remake", &wrong);
        assert!(refused.status == 400 && refused.error().contains(says), "{}", refused.error());
    }
    let late = server.post("/api/character/remake", &json!({"id": id, "revision": 1, "height_m": 1.0}));
    assert_eq!(late.status, 409, "{}", late.error());
}

#[test]
fn a_changed_file_takes_the_place_of_the_old_one_and_its_characters_keep_their_edits() {
    let server = Running::start();
    let file = |bytes: &[u8]| server.request("POST", "/api/upload?name=hero.glb&replace=true", "", bytes);
    let first = server.ok(file(sinew::assets::dinosaur()));
    assert_eq!((&first["rig"]["id"], first.get("replaced")), (&json!("rigs/hero.glb"), None));
    let made = server.ok(server.post("/api/character", &json!({"rig": "rigs/hero.glb"})));
    let edit = |change: serde_json::Value| {
        server.ok(server.post("/api/character/edit", &json!({"id": made["id"], "change": change})))
    };
    edit(json!({"edit": "set_mass", "body": "head", "mass": 2.5}));
    let edited = edit(json!({"edit": "set_mass", "body": "tail4", "mass": 0.4}));

    // The same bytes change nothing.
    let same = server.ok(file(sinew::assets::dinosaur()));
    assert_eq!((&same["unchanged"], &same["replaced"]), (&json!(true), &json!([])));

    // The artist's new file is another figure: what is in it keeps its edits.
    let again = server.ok(file(sinew::assets::human()));
    assert_eq!(again["rig"]["id"], "rigs/hero.glb");
    let told = &again["replaced"][0];
    assert_eq!((told["id"].as_str(), told["problem"].as_str()), (Some("characters/hero.toml"), None));
    assert!(told["lost"].to_string().contains("set_mass tail4"), "{told}");
    assert!(!server.path("rigs/hero-2.glb").exists());
    assert_eq!(std::fs::read(server.path(".studio/replaced/hero.glb")).expect("kept"), sinew::assets::dinosaur());
    let now = server.ok(server.get(&format!("/api/character?id={}", encoded("characters/hero.toml"))));
    let mass = now["character"]["body"].as_array().expect("bodies").iter().find(|b| b["name"] == "head");
    assert_eq!(mass.expect("a head")["mass"], json!(2.5));
    let back = server.ok(server.post("/api/character/undo", &json!({"id": made["id"]})));
    assert_eq!(back["character"], edited["character"]);

    // What cannot be read leaves everything as it is.
    let refused = file(b"glTF but not really");
    assert_eq!(refused.status, 400);
    assert_eq!(std::fs::read(server.path("rigs/hero.glb")).expect("there"), sinew::assets::human());
}

#[test]
fn a_body_is_fitted_to_its_skin_or_gets_another_kind_of_shape() {
    let server = Running::start();
    let made = server.ok(server.post("/api/character", &json!({"rig": "dinosaur"})));
    let id = made["id"].clone();
    let shapes = |detail: &serde_json::Value, body: &str| {
        let bodies = detail["character"]["body"].as_array().expect("bodies");
        bodies.iter().find(|b| b["name"] == body).expect("the body")["shape"].as_array().expect("shapes").clone()
    };
    let refit = |more: serde_json::Value| {
        let mut request = json!({"id": id});
        request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        server.post("/api/character/refit", &request)
    };
    let boxed = server.ok(refit(json!({"body": "thigh_l", "kind": "box", "shape": 0, "mirror": true})));
    for side in ["thigh_l", "thigh_r"] {
        assert_eq!(shapes(&boxed, side)[0]["type"], "box", "{side}");
    }
    // Several shapes, of which the misfit is mended by the skin.
    let wrong = json!({"edit": "set_shapes", "body": "thigh_l", "shapes": [{"type": "sphere", "center": [0.4, 0.0, 0.0], "radius": 0.03}], "mirror": true});
    server.ok(server.post("/api/character/edit", &json!({"id": id, "change": wrong})));
    let cover = |body: &str| {
        let found =
            server.ok(server.get(&format!("/api/character/preflight?id={}", encoded("characters/dinosaur.toml"))));
        let bodies = found["cover"]["bodies"].as_array().expect("bodies").clone();
        bodies.iter().find(|b| b["body"] == body).expect("the body")["covered"].as_f64().expect("a share")
    };
    assert!(cover("thigh_l") < 0.1 && cover("thigh_r") < 0.1);
    server.ok(refit(json!({"body": "thigh_l", "mirror": true})));
    assert!(cover("thigh_l") > 0.6 && cover("thigh_r") > 0.5, "{} {}", cover("thigh_l"), cover("thigh_r"));
    for _ in 0..3 {
        server.ok(server.post("/api/character/undo", &json!({"id": id})));
    }
    let back = server.ok(server.get(&format!("/api/character?id={}", encoded("characters/dinosaur.toml"))));
    assert_eq!(back["character"], made["character"]);
    for (wrong, says) in [
        (json!({"body": "fin"}), "no body"),
        (json!({"body": "head", "shape": 9, "kind": "box"}), "no shape 9"),
        (json!({"body": "head", "shape": 0}), "which kind"),
    ] {
        let refused = refit(wrong);
        assert!(refused.status >= 400 && refused.error().contains(says), "{}", refused.error());
    }
}
