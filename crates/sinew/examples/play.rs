//! Plays a package for ten seconds: it walks, turns, acts and is hit by a ball: `cargo run --release -p sinew --example play FOLDER`.

use sinew::playing::{Input, Package, Player, PlayerOptions, Steer, Throw};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder of a package; `sinew bring` makes one")?;
    let package = Package::read(folder.as_ref())?;
    let part = package.part()?;
    let mut player = Player::new(&[part], &PlayerOptions::default())?;
    let first_action = package.actions.first().and_then(|action| player.part(0).action(&action.name));
    for frame in 0..300 {
        // Ahead, then to the left; what a gamepad would say.
        let stick = if frame < 150 { [1.0, 0.0] } else { [0.0, 1.0] };
        let mut input = Input { steer: Steer::Stick(stick), ..Input::default() };
        match frame {
            90 => input.action = first_action,
            240 => input.throws.push(Throw::At { mass_kg: Some(5.0), speed: 6.0, from_deg: 0.0 }),
            _ => {}
        }
        for event in player.step(&[input])? {
            println!("{:5.2} s: {:?}", f64::from(frame) / 30.0, event.what);
        }
    }
    let [x, y] = [player.position(0)[0], player.position(0)[1]];
    println!(
        "{} is at ({x:.2}, {y:.2}) m; {} falls; hash {:016x}",
        package.name,
        player.figures(0).falls,
        player.hash()
    );
    Ok(())
}
