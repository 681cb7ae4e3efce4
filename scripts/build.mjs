// Bundles src/ into dist/: the whole program, the demo's scripted agent, and the small
// start that comes before it.
import { readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { build } from "rolldown";
import { hashFile, sourceHash } from "./source-hash.mjs";

const sqlite = "node_modules/@photostructure/sqlite";

// Behind a dynamic import of the bundle, a CommonJS package has a default export only: it would work from source and
// fail in the product. A file of ours that imports the package statically can be loaded when needed instead.
/** @type {import("rolldown").Plugin} */
const refuseDynamicPackages = {
  name: "refuse-dynamic-packages",
  resolveId(path, importer, { kind }) {
    const isPackage = /^[^./\0]/.test(path) && !path.startsWith("node:");
    if (kind !== "dynamic-import" || !isPackage || importer?.includes("node_modules")) return null;
    throw new Error(`${importer}: dynamic import of the package "${path}": import it statically`);
  },
};

// The start loads these kinds of memory only to count them; whatever it would load beyond that, such as the driver of a server,
// the full program has. The start falls back to the full program when something fails, so a module that throws is a safe substitute.
const leftOut = "\0left-out";
/** @type {import("rolldown").Plugin} */
const leaveOut = {
  name: "leave-out",
  resolveId: (_path, importer, { kind }) =>
    kind === "dynamic-import" && /\/src\/(?:memory\/[^/]+|store\/open-store\.ts)$/.test(importer ?? "") ? leftOut : null,
  load: (id) => (id === leftOut ? 'throw new Error("not part of the quick start");' : null),
};

/** Files that the page serves, as text; vitest reads the same names. @type {import("rolldown").Plugin} */
const rawText = {
  name: "raw-text",
  resolveId: async function (path, importer) {
    if (!path.endsWith("?raw")) return null;
    const found = await this.resolve(path.slice(0, -"?raw".length), importer);
    return found && { ...found, id: `${found.id}?raw` };
  },
  load: async (id) =>
    id.endsWith("?raw")
      ? { code: `export default ${JSON.stringify(await readFile(id.slice(0, -"?raw".length), "utf8"))};`, moduleType: "js" }
      : null,
};

/**
 * Leaves a file of ours to another build.
 *
 * @param {string} name
 * @returns {import("rolldown").Plugin}
 */
const elsewhere = (name) => ({
  name: `${name}-is-elsewhere`,
  resolveId: (path) => (path.endsWith(`/${name}.ts`) ? { id: `./${name}.cjs`, external: true } : null),
});

/**
 * Files that hold the named modules and all that these import statically, a module in the first that takes it. Node
 * needs a third of a millisecond for each file that it loads: what every command loads is in few.
 *
 * @param {Record<string, RegExp>} files
 */
const together = (files) => ({
  groups: Object.entries(files).map(([name, test], index) => ({ name, test, priority: 100 - index })),
});

/**
 * @param {Record<string, string>} input
 * @param {import("rolldown").Plugin[]} plugins
 * @param {Record<string, RegExp>} files
 * @param {boolean} isDense without white space
 * @returns {import("rolldown").BuildOptions}
 */
const program = (input, plugins, files, isDense = false) => ({
  input,
  platform: "node",
  transform: { target: "node20.19" },
  moduleTypes: { ".md": "text" },
  // Native code stays a package; everything else is in the bundle, so that starting reads few files.
  external: ["@photostructure/sqlite"],
  resolve: {
    alias: {
      // Its UMD build calls `require` through a parameter, which no bundler can follow.
      "jsonc-parser": "jsonc-parser/lib/esm/main.js",
      // The same code as ES modules: unused parts are left out, and Node starts with it 8 ms sooner.
      yaml: resolve("node_modules/yaml/browser/dist/index.js"),
      "@modelcontextprotocol/server/_shims": resolve("scripts/mcp-shims.mjs"),
    },
  },
  // A file that some import statically and others when needed is no mistake.
  checks: { ineffectiveDynamicImport: false },
  // No file of ours does anything when it is imported: one of whose exports none is used is left out.
  treeshake: { moduleSideEffects: [{ test: /\/src\/.*\.ts$/, sideEffects: false }] },
  plugins: [refuseDynamicPackages, rawText, ...plugins],
  output: {
    dir: "dist",
    // Not ES modules: Node takes 25 to 60 ms less to load a command's files.
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    codeSplitting: together(files),
    comments: false,
    // Names and lines stay, so that traces can be read.
    minify: { compress: true, mangle: false, codegen: isDense },
  },
});

// Before the sources are read: a file that changes during the build makes the build stale.
const hash = sourceHash(process.cwd());
await rm("dist", { recursive: true, force: true });
await build([
  program({ main: "src/cli/main.ts", "demo-agent": "src/cli/commands/demo/demo-agent.ts" }, [elsewhere("list-price")], {
    shell: /\/cli\/main\.ts$/,
    // Not needed where there is no configuration.
    yaml: /\/base\/yaml\.ts$/,
    // All that `ralph mcp` needs of the rest before its first call.
    text: /\/(?:trust\/(?:safe-text|fence|safe-name)|ui\/paint|config\/(?:environment|find-project)|memory\/note-actions)\.ts$/,
    project:
      /\/(?:open-project|load-settings|listed-tasks|next-task|open-store|open-sqlite-store|learning-index|sqlite-index-store)\.ts$/,
    git: /\/(?:open-workspace|run-process|run-store)\.ts$/,
    // All that `ralph memory find` needs of it.
    searched: /\/src\/memory\/(?:(?:memory|hivemind)-actions|[a-z]+\/find-(?:reports|learnings|beside))\.ts$/,
    // What people do with learnings.
    learnings: /\/src\/memory\/learning-actions\.ts$/,
    // Whatever else uses memory asks every kind.
    memory: /\/src\/memory\/(?:memory|[a-z]+\/[a-z]+-memory)\.ts$/,
  }),
  program({ start: "src/cli/start.ts" }, [leaveOut, elsewhere("main"), elsewhere("step-text")], {
    // One file for all that a plain status needs.
    "quick-status": /\/cli\/start\.ts$/,
  }),
  // Not needed while no agent works: the rules of redaction.
  program({ "step-text": "src/ui/step-text.ts" }, [], {}),
  // A table of 600 KB.
  program({ "list-price": "src/agents/session/list-price.ts" }, [], {}, true),
]);
await writeFile(hashFile, hash);
