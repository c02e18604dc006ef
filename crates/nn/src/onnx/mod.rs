//! Networks as ONNX models, with the normalisation of their input inside, for other programs and engines to run.
//!
//! An [`Mlp`] maps `input` (rows × inputs) to `output`. An [`LstmStack`] maps a sequence `input` (steps × rows × inputs) and the state `h0`, `c0`, `h1`, `c1`, … of its
//! layers (rows × units) to `output` and the state after the sequence, `h0_next`, `c0_next`, … `scripts/check_onnx.py` runs both in ONNX Runtime.

mod graph;
mod protobuf;

use crate::activation::Activation;
use crate::lstm::Lstm;
use crate::lstm_stack::LstmStack;
use crate::mlp::Mlp;
use crate::normaliser::Normaliser;
use graph::{Attribute, Graph, Size};

/// Returns an ONNX model of an MLP.
pub fn mlp_to_onnx(mlp: &Mlp<f32>) -> Vec<u8> {
    let mut graph = Graph::default();
    graph.input("input", &[Size::Named("rows"), Size::Known(mlp.inputs())]);
    let mut now = normalised(&mut graph, mlp.normaliser());
    for layer in mlp.layers() {
        let [weight, bias] = [layer.weight(), layer.bias()].map(|parameter| {
            graph.constant(parameter.name(), parameter.shape(), parameter.values());
            parameter.name()
        });
        now = graph.operation("Gemm", &[&now, weight, bias], &[]);
        now = match layer.activation() {
            Activation::Identity => now,
            Activation::Tanh => graph.operation("Tanh", &[&now], &[]),
            Activation::Relu => graph.operation("Relu", &[&now], &[]),
            Activation::Elu => graph.operation("Elu", &[&now], &[]),
            Activation::Sigmoid => graph.operation("Sigmoid", &[&now], &[]),
            Activation::Silu => {
                let sigmoid = graph.operation("Sigmoid", &[&now], &[]);
                graph.operation("Mul", &[&now, &sigmoid], &[])
            }
        };
    }
    graph.operation_to("Identity", &[&now], &[], &["output"]);
    graph.output("output", &[Size::Named("rows"), Size::Known(mlp.outputs())]);
    graph.into_model(mlp.name())
}

/// Returns an ONNX model of an LSTM.
pub fn lstm_to_onnx(stack: &LstmStack<f32>) -> Vec<u8> {
    let mut graph = Graph::default();
    graph.input("input", &[Size::Named("steps"), Size::Named("rows"), Size::Known(stack.inputs())]);
    let mut now = normalised(&mut graph, stack.normaliser());
    // Direction, which ONNX puts before rows in states and after steps in outputs.
    let (first, second) = (graph.whole_numbers(&[0]), graph.whole_numbers(&[1]));
    for (index, layer) in stack.layers().iter().enumerate() {
        let constants = lstm_constants(&mut graph, layer);
        let shape = [Size::Named("rows"), Size::Known(layer.hidden())];
        let states = ["h", "c"].map(|kind| {
            let name = format!("{kind}{index}");
            graph.input(&name, &shape);
            graph.operation("Unsqueeze", &[&name, &first], &[])
        });
        let results = [graph.fresh(), graph.fresh(), graph.fresh()];
        let [weight, recurrent, bias] = &constants;
        graph.operation_to(
            "LSTM",
            &[&now, weight, recurrent, bias, "", &states[0], &states[1]],
            &[Attribute::Number("hidden_size", layer.hidden() as i64)],
            &[&results[0], &results[1], &results[2]],
        );
        now = graph.operation("Squeeze", &[&results[0], &second], &[]);
        for (kind, result) in ["h", "c"].into_iter().zip(&results[1..]) {
            let name = format!("{kind}{index}_next");
            graph.operation_to("Squeeze", &[result, &first], &[], &[&name]);
            graph.output(&name, &shape);
        }
    }
    graph.operation_to("Identity", &[&now], &[], &["output"]);
    graph.output("output", &[Size::Named("steps"), Size::Named("rows"), Size::Known(stack.outputs())]);
    graph.into_model(stack.name())
}

/// Adds the normalisation of the input, and returns the name of its result.
fn normalised(graph: &mut Graph, normaliser: Option<&Normaliser<f32>>) -> String {
    let Some(normaliser) = normaliser else { return "input".into() };
    let columns = [normaliser.columns()];
    graph.constant("input_mean", &columns, &normaliser.mean);
    graph.constant("input_scale", &columns, &normaliser.scale);
    graph.constant("input_low", &[], &[-normaliser.bound]);
    graph.constant("input_high", &[], &[normaliser.bound]);
    let centred = graph.operation("Sub", &["input", "input_mean"], &[]);
    let scaled = graph.operation("Mul", &[&centred, "input_scale"], &[]);
    graph.operation("Clip", &[&scaled, "input_low", "input_high"], &[])
}

/// Adds a layer's parameters as ONNX wants them: transposed, in the order i, o, f, g, and a second bias of zeros.
fn lstm_constants(graph: &mut Graph, layer: &Lstm<f32>) -> [String; 3] {
    const GATES: [usize; 4] = [0, 3, 1, 2];
    let hidden = layer.hidden();
    let transposed = |values: &[f32], rows: usize| -> Vec<f32> {
        let columns = GATES.into_iter().flat_map(|gate| gate * hidden..(gate + 1) * hidden);
        columns.flat_map(|column| (0..rows).map(move |row| values[row * 4 * hidden + column])).collect()
    };
    let [weight, recurrent, bias] = [layer.input_weight(), layer.hidden_weight(), layer.bias()];
    let inputs = layer.inputs();
    graph.constant(weight.name(), &[1, 4 * hidden, inputs], &transposed(weight.values(), inputs));
    graph.constant(recurrent.name(), &[1, 4 * hidden, hidden], &transposed(recurrent.values(), hidden));
    let mut both = transposed(bias.values(), 1);
    both.resize(8 * hidden, 0.0);
    graph.constant(bias.name(), &[1, 8 * hidden], &both);
    [weight, recurrent, bias].map(|parameter| parameter.name().into())
}
