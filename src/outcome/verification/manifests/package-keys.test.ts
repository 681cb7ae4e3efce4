import { expect, test } from "vitest";
import { leavesVerification, onlyDescribesPackage } from "./package-keys.ts";

const dependingOn = (devDependencies: Readonly<Record<string, string>>) => [
  JSON.stringify({ name: "shop", devDependencies }),
];
const file = {
  becameLink: false,
  isOpaque: false,
  created: false,
  deleted: false,
  lostExecution: false,
  added: [],
  removed: [],
};

test.each([
  ["file:./own", false],
  ["link:../own", false],
  ["./own", false],
  ["npm:other@1.0.0", false],
  ["git+https://example.org/vitest.git", false],
  ["someone/vitest", false],
  ["4.1.3", true],
  ["^5.0.0 || next", true],
  ["workspace:*", true],
])("LOOP-18: a known dependency that becomes %s leaves verification as it is: %s", (version, isSame) => {
  const before = dependingOn({ vitest: "4.1.2" });
  expect(leavesVerification({ ...file, before, after: dependingOn({ vitest: version }) })).toBe(isSame);
  // One that was so before, and a new one, which nothing uses yet.
  const own = dependingOn({ vitest: version });
  expect(leavesVerification({ ...file, before: own, after: dependingOn({ vitest: version, x: "1" }) })).toBe(
    true,
  );
  const after = dependingOn({ vitest: "4.1.2", own: version });
  expect(leavesVerification({ ...file, before, after })).toBe(true);
});

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
