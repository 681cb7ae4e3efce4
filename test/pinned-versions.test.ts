import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, "..", name), "utf8"));

test("production packages are pinned to exact versions, those of the lock file", () => {
  const { dependencies } = read("package.json");
  const { packages } = read("package-lock.json");
  expect(packages[""].dependencies).toEqual(dependencies);
  const locked = Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`].version]);
  expect(Object.fromEntries(locked)).toEqual(dependencies);
});
