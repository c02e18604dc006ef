// Checks GLB files with the Khronos validator: node scripts/validate_glb.mjs FILE... (needs the npm package gltf-validator)
// Prints a line for each file and fails where one has errors.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_MODULES ?? process.cwd()}/`);
const validator = require("gltf-validator");

let failed = false;
for (const file of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
  const { numErrors, numWarnings } = report.issues;
  console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
  for (const issue of report.issues.messages.filter((m) => m.severity === 0).slice(0, 5)) {
    console.log(`  ${issue.code} at ${issue.pointer}: ${issue.message}`);
  }
  failed ||= numErrors > 0;
}
process.exit(failed ? 1 : 0);
