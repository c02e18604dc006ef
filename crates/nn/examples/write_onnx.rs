//! Writes networks as ONNX with inputs and our outputs, for `scripts/check_onnx.py FOLDER` to compare.
//!
//! `cargo run -p sinew-nn --example write_onnx -- FOLDER`

use sinew_nn::onnx::{lstm_to_onnx, mlp_to_onnx};
use sinew_nn::safetensors::TensorFile;
use sinew_nn::{Activation, LstmShape, LstmStack, Mlp, MlpShape, Normaliser, RunningStatistics};
use std::error::Error;
use std::path::PathBuf;

const ROWS: usize = 5;
const STEPS: usize = 9;
const INPUTS: usize = 13;

/// Numbers between −3 and 3.
fn numbers(count: usize, seed: f64) -> Vec<f32> {
    (0..count).map(|i| ((i as f64 * 0.618_033_988_749 + seed).fract() * 6.0 - 3.0) as f32).collect()
}

fn normaliser() -> Normaliser<f32> {
    let mut statistics = RunningStatistics::new(INPUTS);
    statistics.add(&numbers(40 * INPUTS, 0.2));
    // Some inputs reach the bound.
    Normaliser::new(&statistics, 1.2)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder to write to")?);
    std::fs::create_dir_all(&folder)?;
    for activation in Activation::ALL {
        let name = format!("mlp_{activation:?}").to_lowercase();
        let mut mlp = Mlp::<f32>::new("policy", &MlpShape::new(INPUTS, &[64, 48], 7, activation), 1);
        mlp.set_normaliser(normaliser());
        let input = numbers(ROWS * INPUTS, 0.7);
        let output = mlp.forward(&input).to_vec();
        let mut file = TensorFile::default();
        file.insert("in.input", &[ROWS, INPUTS], &input);
        file.insert("out.output", &[ROWS, 7], &output);
        std::fs::write(folder.join(format!("{name}.onnx")), mlp_to_onnx(&mlp))?;
        file.write(&folder.join(format!("{name}.safetensors")))?;
    }
    let mut stack = LstmStack::<f32>::new("generator", &LstmShape { inputs: INPUTS, hidden: vec![32, 24] }, 1);
    stack.set_normaliser(normaliser());
    let input = numbers(STEPS * ROWS * INPUTS, 0.4);
    let mut state = stack.zero_state(ROWS);
    let mut file = TensorFile::default();
    for (index, hidden) in [32, 24].into_iter().enumerate() {
        let halved = |seed| numbers(ROWS * hidden, seed).iter().map(|x| x / 3.0).collect::<Vec<f32>>();
        state.outputs[index] = halved(0.1);
        state.cells[index] = halved(0.5);
        file.insert(format!("in.h{index}"), &[ROWS, hidden], &state.outputs[index]);
        file.insert(format!("in.c{index}"), &[ROWS, hidden], &state.cells[index]);
    }
    let output = stack.forward(&input, &mut state).to_vec();
    file.insert("in.input", &[STEPS, ROWS, INPUTS], &input);
    file.insert("out.output", &[STEPS, ROWS, 24], &output);
    for (index, hidden) in [32, 24].into_iter().enumerate() {
        file.insert(format!("out.h{index}_next"), &[ROWS, hidden], &state.outputs[index]);
        file.insert(format!("out.c{index}_next"), &[ROWS, hidden], &state.cells[index]);
    }
    std::fs::write(folder.join("lstm.onnx"), lstm_to_onnx(&stack))?;
    file.write(&folder.join("lstm.safetensors"))?;
    Ok(())
}
