import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { sourceHash } from "../../scripts/source-hash.mjs";
import { template } from "../template.ts";

const root = resolve(import.meta.dirname, "../..");

/** The path of `test/fakes/<name>.ts` with all that it imports as one program, which starts without a compiler. */
export function bundledFake(name: string): string {
  const folder = template(["fake", name, sourceHash(root)], (made) => {
    symlinkSync(join(root, "node_modules"), join(made, "node_modules"));
    const source = join(import.meta.dirname, `${name}.ts`);
    const output = `--file ${join(made, `${name}.mjs`)} --format esm --platform node --no-codeSplitting`;
    // Native code stays a package.
    const options = `${output} --external @photostructure/sqlite --logLevel silent`.split(" ");
    execFileSync(process.execPath, [join(root, "node_modules/rolldown/bin/cli.mjs"), source, ...options]);
  });
  return join(folder, `${name}.mjs`);
}
