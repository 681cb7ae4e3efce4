import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, tempFolder } from "../../../test/temp-repository.ts";
import { noteFiles } from "../tree-fingerprint.ts";
import { changedSince, fingerprints, movedTo, statFingerprint } from "./fingerprint.ts";
import type { Workspace } from "./workspace.ts";

afterEach(removeTempRepositories);

test("LOOP-9: of 10,001 files the content of 10,000 is compared, of all the size and the time", async () => {
  const dir = tempFolder();
  mkdirSync(join(dir, "data"));
  const paths = Array.from({ length: 10_001 }, (_, at) => `data/${at}`);
  for (const path of paths) writeFileSync(join(dir, path), "x");
  const before = await fingerprints(dir, paths);
  expect(before.map(({ path }) => path)).toEqual(paths);
  expect(before.filter(({ hash }) => hash === null)).toMatchObject([{ path: "data/10000", size: 1 }]);

  const later = new Date(Date.now() + 5000);
  for (const path of ["data/7", "data/10000"]) utimesSync(join(dir, path), later, later);
  appendFileSync(join(dir, "data/9"), "y");
  expect(await changedSince(dir, before)).toEqual(["data/9", "data/10000"]);
});

/** The longest time in milliseconds for which a timer, and so a signal, waited while `work` was done. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work();
  clearInterval(timer);
  return Math.max(longest, performance.now() - last);
}

test("TRUST-12: signals have their turn while an agent's 40,000 files are looked at", async () => {
  const root = tempFolder();
  const paths = Array.from({ length: 40_000 }, (_, at) => `gone/${at}`);
  const before = await fingerprints(root, paths);
  const sought = [{ path: "x", size: 1, mtimeMs: 0, ctimeMs: 0, hash: "a" }];
  const noted = await noteFiles({ root } as Workspace, paths);
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    fingerprints: () => fingerprints(root, paths),
    changedSince: () => changedSince(root, before),
    movedTo: () => movedTo(root, sought, paths),
    statFingerprint: () => statFingerprint(root, paths),
    noteFiles: () => noted.changed(),
  };
  const turns: Record<string, boolean> = {};
  for (const [name, work] of Object.entries(works)) {
    const begin = performance.now();
    const wait = await longestWait(work);
    const took = performance.now() - begin;
    // In short pieces, whatever the machine's speed.
    turns[name] = took < 100 || wait < 0.8 * took;
  }
  expect(turns).toEqual(Object.fromEntries(Object.keys(works).map((name) => [name, true])));
});
