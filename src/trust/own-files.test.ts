import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256 } from "../base/hash.ts";
import { type OwnPlace, watchOwnFiles } from "./own-files.ts";

let root: string;
let place: OwnPlace;
const code = "module.exports = 'own';\n";
const { extensions } = createRequire(import.meta.url);
const usual = extensions[".cjs"];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ralph-own-"));
  const dist = join(root, "dist");
  mkdirSync(dist);
  for (const name of ["a.cjs", "b.cjs"]) writeFileSync(join(dist, name), code);
  writeFileSync(join(root, "x.node"), "native");
  symlinkSync("dist/a.cjs", join(root, "ralph"));
  const hashes = { "a.cjs": sha256(code), "b.cjs": sha256(code), "native/x.node": sha256("native") };
  writeFileSync(join(dist, "files.json"), JSON.stringify(hashes));
  const others = ["x.node", "ralph", "package.json", "missing"].map((name) => join(root, name));
  place = { dist, native: root, others };
});
afterEach(() => {
  if (usual) extensions[".cjs"] = usual;
  else delete extensions[".cjs"];
  rmSync(root, { recursive: true, force: true });
});

/** Writes a file again, as an installation does. */
function replace(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

const changed = expect.objectContaining({ code: "RALPH_RUN_OWN_FILES" });

test("TRUST-12: ralph's own files may be installed again, and are not looked at from its sources", () => {
  const { check } = watchOwnFiles(place);
  check();
  for (const name of ["dist/a.cjs", "dist/files.json", "x.node"])
    replace(join(root, name), readFileSync(join(root, name), "utf8"));
  rmSync(join(root, "ralph"));
  symlinkSync("dist/a.cjs", join(root, "ralph"));
  check();
  check();
  rmSync(join(place.dist, "files.json"));
  watchOwnFiles(place).check();
});

test.each(["dist/a.cjs", "dist/files.json", "x.node", "ralph", "package.json", "missing"])(
  "TRUST-12: a change to ralph's own %s is an error",
  (name) => {
    const { check } = watchOwnFiles(place);
    rmSync(join(root, name), { force: true });
    writeFileSync(join(root, name), code.replace("own", "new"));
    expect(check).toThrow(changed);
    expect(check).toThrow(changed);
  },
);

test("TRUST-12: ralph runs none of its own code that changed, and no other code is concerned", () => {
  const load = createRequire(join(place.dist, "start.cjs"));
  watchOwnFiles(place);
  writeFileSync(join(place.dist, "a.cjs"), "globalThis.planted = true;\n");
  replace(join(place.dist, "b.cjs"), code);
  writeFileSync(join(root, "c.cjs"), "module.exports = 'other';\n");
  expect(() => load("./a.cjs")).toThrow(changed);
  expect(globalThis).not.toHaveProperty("planted");
  expect(load("./b.cjs")).toBe("own");
  expect(load("../c.cjs")).toBe("other");
});
