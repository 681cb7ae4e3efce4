import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makePipe } from "../temp-repository.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("TRUST-12: a pipe in place of the user's approvals ends in a sentence", async () => {
  project = practice();
  mkdirSync(join(project.dir, ".ralph"));
  writeFileSync(join(project.dir, ".ralph/config.yaml"), 'sandbox: "off"\nverify: ["true"]\n');
  const approvals = join(project.home, "state/ralph/approvals.json");
  mkdirSync(dirname(approvals), { recursive: true });
  makePipe(approvals);
  const { code, stderr } = await project.start("trust", "show");
  expect(stderr).toContain(`${approvals}`);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(5);
});
