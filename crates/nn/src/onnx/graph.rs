//! A graph of operations as ONNX stores it (`onnx.proto3`, IR version 8, operator set 17).

use super::protobuf::Message;

const IR_VERSION: i64 = 8;
const OPERATORS: i64 = 17;
const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// A size of a tensor: known, or named and left to whoever runs the graph.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Known(usize),
    Named(&'static str),
}

/// An attribute of an operation.
pub(super) enum Attribute<'a> {
    Number(&'a str, i64),
}

/// A graph that is being written.
#[derive(Default)]
pub(super) struct Graph {
    message: Message,
    values: usize,
}

impl Graph {
    /// Returns a name for a value that no other value has.
    pub fn fresh(&mut self) -> String {
        self.values += 1;
        format!("v{}", self.values)
    }

    fn add(&mut self, field: u64, message: &Message) {
        self.message = std::mem::take(&mut self.message).message(field, message);
    }

    /// Adds an operation with one result, and returns the result's name.
    pub fn operation(&mut self, kind: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let result = self.fresh();
        self.operation_to(kind, inputs, attributes, &[&result]);
        result
    }

    /// Adds an operation with results of given names.
    pub fn operation_to(&mut self, kind: &str, inputs: &[&str], attributes: &[Attribute<'_>], outputs: &[&str]) {
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        for output in outputs {
            node = node.text(2, output);
        }
        node = node.text(4, kind);
        for Attribute::Number(name, x) in attributes {
            // Type 2 is a whole number.
            node = node.message(5, &Message::default().text(1, name).number(3, *x).number(20, 2));
        }
        self.add(1, &node);
    }

    /// Adds constant numbers under a name.
    pub fn constant(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant_of(name, FLOAT, shape, &bytes);
    }

    /// Adds constant whole numbers, and returns their name.
    pub fn whole_numbers(&mut self, values: &[i64]) -> String {
        let (name, bytes) = (self.fresh(), values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
        self.constant_of(&name, INT64, &[values.len()], &bytes);
        name
    }

    fn constant_of(&mut self, name: &str, kind: i64, shape: &[usize], bytes: &[u8]) {
        let mut tensor = Message::default();
        for size in shape {
            tensor = tensor.number(1, *size as i64);
        }
        self.add(5, &tensor.number(2, kind).text(8, name).bytes(9, bytes));
    }

    pub fn input(&mut self, name: &str, shape: &[Size]) {
        self.add(11, &value(name, shape));
    }

    pub fn output(&mut self, name: &str, shape: &[Size]) {
        self.add(12, &value(name, shape));
    }

    /// Returns the bytes of a model with this graph.
    pub fn into_model(self, name: &str) -> Vec<u8> {
        let graph = self.message.text(2, name);
        let operators = Message::default().text(1, "").number(2, OPERATORS);
        let model = Message::default().number(1, IR_VERSION).text(2, "sinew");
        model.message(7, &graph).message(8, &operators).into_bytes()
    }
}

/// The description of an input or output.
fn value(name: &str, shape: &[Size]) -> Message {
    let mut sizes = Message::default();
    for size in shape {
        let size = match size {
            Size::Known(size) => Message::default().number(1, *size as i64),
            Size::Named(name) => Message::default().text(2, name),
        };
        sizes = sizes.message(1, &size);
    }
    let tensor = Message::default().number(1, FLOAT).message(2, &sizes);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
