// Bundles src/ into dist/: the whole program, the demo's scripted agent, the small start that comes before it, and
// `ralph run` once more as one file.
import { rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { hashFile, sourceHash } from "./source-hash.mjs";

/** @type {import("esbuild").BuildOptions} */
const common = {
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20.19",
  // Names stay and lines are short, so that traces can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: "none",
  loader: { ".md": "text" },
  // Native code stays a package; everything else is in the bundle, so that starting reads few files.
  external: ["@photostructure/sqlite"],
  // Its UMD build calls `require` through a parameter, which esbuild cannot follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  logLevel: "warning",
};

// Behind a dynamic import of the bundle, a CommonJS package has a default export only: it would work from source and
// fail in the product. A file of ours that imports the package statically can be loaded when needed instead.
/** @type {import("esbuild").Plugin} */
const refuseDynamicPackages = {
  name: "refuse-dynamic-packages",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ kind, path, importer }) => {
      const isOurs = kind === "dynamic-import" && !importer.includes("node_modules");
      if (!isOurs || path.startsWith("node:")) return undefined;
      return { errors: [{ text: `dynamic import of the package "${path}": import it statically` }] };
    }),
};

// The start loads these kinds of memory only to count them; whatever it would load beyond that, the full program has. The
// start falls back to the full program when something fails, so a module that throws is a safe substitute.
/** @type {import("esbuild").Plugin} */
const leaveOutMemory = {
  name: "leave-out-memory",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import" && resolveDir.endsWith("/src/memory")
        ? { path, namespace: "left-out" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of the quick start`)});`,
    }));
  },
};

// All that `ralph run` never calls.
/** @type {import("esbuild").Plugin} */
const leaveOutCommands = {
  name: "leave-out-commands",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/commands\// }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import" && /\/src\/cli\/shell\b/.test(resolveDir) && !path.endsWith("/commands/run.ts")
        ? { path, namespace: "left-out" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of ralph run`)});`,
    }));
  },
};

// The start loads the full program as it is, and `ralph run` by `require`: an import() of 1 MB of CommonJS takes 170 ms longer.
/** @type {import("esbuild").Plugin} */
const leaveOutPrograms = {
  name: "leave-out-programs",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/main\.ts$/ }, () => ({ path: "./main.js", external: true }));
    onResolve({ filter: /\/start-run\.ts$/ }, () => ({ path: "./start-run.cjs", namespace: "required" }));
    onResolve({ filter: /.*/, namespace: "required" }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * One file, and no ES module: Node takes 4 ms less to begin with such a one, and 1 ms less for each file that is not.
 *
 * @type {import("esbuild").BuildOptions}
 */
const oneFile = {
  ...common,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  define: { "import.meta.url": "__fileUrl", "import.meta.dirname": "__dirname" },
  banner: { js: 'const __fileUrl = require("node:url").pathToFileURL(__filename).href;' },
};

// Before the sources are read: a file that changes during the build makes the build stale.
const hash = sourceHash(process.cwd());
await rm("dist", { recursive: true, force: true });
await Promise.all([
  build({
    ...common,
    entryPoints: { main: "src/cli/shell/main.ts", "demo-agent": "src/cli/demo/demo-agent.ts" },
    splitting: true,
    format: "esm",
    plugins: [refuseDynamicPackages],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  }),
  build({
    ...oneFile,
    entryPoints: { start: "src/cli/start.ts" },
    plugins: [refuseDynamicPackages, leaveOutMemory, leaveOutPrograms],
  }),
  build({
    ...oneFile,
    entryPoints: { "start-run": "src/cli/run/program/start-run.ts" },
    plugins: [refuseDynamicPackages, leaveOutCommands],
  }),
]);
await writeFile(hashFile, hash);
