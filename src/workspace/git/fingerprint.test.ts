import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, tempFolder } from "../../../test/temp-repository.ts";
import { changedSince, fingerprints } from "./fingerprint.ts";

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
