//! Checks of the embedded files, decoded: what they promise (`files`) and how their clips move (`clips`).

mod clips;
mod files;
mod read_glb;
