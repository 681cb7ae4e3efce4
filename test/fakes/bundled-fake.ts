import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { sourceHash } from "../../scripts/source-hash.mjs";
import { template } from "../template.ts";

const root = resolve(import.meta.dirname, "../..");

/** The path of `test/fakes/<name>.ts` with all that it imports as one program, which starts without a compiler. */
export function bundledFake(name: string): string {
  const folder = template(["fake", name, sourceHash(root)], (made) => {
    symlinkSync(join(root, "node_modules"), join(made, "node_modules"));
    buildSync({
      entryPoints: [join(import.meta.dirname, `${name}.ts`)],
      outfile: join(made, `${name}.mjs`),
      bundle: true,
      platform: "node",
      format: "esm",
      // Native code stays a package.
      external: ["@photostructure/sqlite"],
    });
  });
  return join(folder, `${name}.mjs`);
}
