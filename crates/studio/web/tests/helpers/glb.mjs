// A GLB with its JSON changed: other names of clips and nodes, as other exporters write them.

/** Gives the file with what `change` makes of its JSON. */
export function changedGlb(bytes, change) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  change(json);
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const rest = bytes.subarray(20 + length);
  const head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  return Buffer.concat([head, text, rest]);
}
