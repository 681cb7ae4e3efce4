import { expect, test } from "vitest";
import { onlyDescribesPackage } from "./package-keys.ts";

test.each([
  { name: "@m/b", version: "1.0.0", type: "module", exports: "./index.js" },
  { name: "@m/b", scripts: { test: "node --test", build: "tsc" }, dependencies: { "@m/a": "1.0.0" } },
])("LOOP-18: the manifest of a new package that describes it is no definition: %o", (manifest) => {
  expect(onlyDescribesPackage(JSON.stringify(manifest))).toBe(true);
});

test.each([
  { scripts: { prepare: "node x.js" } },
  { scripts: { pretest: "node x.js" } },
  { scripts: "node x.js" },
  { jest: { testMatch: [] } },
  { eslintConfig: { root: true } },
  { bin: { vitest: "./x.js" } },
  { workspaces: ["x"] },
  { imports: { "#a": "./x.js" } },
  [],
])("LOOP-18: one that configures or installs a program is: %o", (manifest) => {
  expect(onlyDescribesPackage(JSON.stringify(manifest))).toBe(false);
  expect(onlyDescribesPackage("{")).toBe(false);
});
