import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OwnPlace } from "../../trust/own-files.ts";

/** Where this ralph runs from, and what stays read-only in a sandbox. */
export interface OwnProgram extends OwnPlace {
  readonly locked: readonly string[];
}

const sqlite = "@photostructure/sqlite";
const loader = "node-gyp-build";

/** Returns the place of the running ralph. In the product, this file is in `dist/`. */
export function ownProgram(): OwnProgram {
  const dist = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
  const root = dirname(dist);
  const native = packageFolder(sqlite, dist);
  const starting = packageFolder(loader, native);
  const built = join(native, "prebuilds", `${process.platform}-${process.arch}`);
  const others = [
    ...["bin/ralph.js", "bin/package.json", "package.json"].map((name) => join(root, name)),
    ...["package.json", "dist/index.cjs"].map((name) => join(native, name)),
    ...["package.json", "index.js", "node-gyp-build.js"].map((name) => join(starting, name)),
    ...namesIn(built).map((name) => join(built, name)),
    // Missing: Node would load them in place of the others.
    ...[join(dist, "node_modules"), join(root, "node_modules", sqlite, "package.json")],
    ...[join(native, "build"), join(native, "node_modules", loader, "package.json")],
    // The command as it was typed, such as a link in `node_modules/.bin`.
    ...process.argv.slice(1, 2),
    // A system updates its own programs beside a run.
    ...(process.execPath.startsWith("/usr/") ? [] : [process.execPath]),
  ];
  const packages = [native, starting].filter((folder) => folder.includes("/node_modules/"));
  return {
    dist,
    native: join(native, "prebuilds"),
    others: [...new Set(others)],
    locked: [
      ...(root.includes("/node_modules/") ? [root] : []),
      ...["dist", "bin", "package.json"].map((name) => join(root, name)),
      ...[...packages, process.execPath],
    ],
  };
}

/** Returns the folder of a package as the files in `from` load it; `from` itself where it is not installed. */
function packageFolder(name: string, from: string): string {
  try {
    const main = createRequire(join(from, "package.json")).resolve(name);
    const end = `/node_modules/${name}/`;
    return main.slice(0, main.lastIndexOf(end) + end.length - 1);
  } catch {
    return from;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
