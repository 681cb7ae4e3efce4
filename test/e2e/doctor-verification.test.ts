import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";
import { approveConfig } from "./practice-setup.ts";

let project: Practice;
afterEach(() => project?.remove());

interface Check {
  readonly check: string;
}

async function verificationWith(config: string, { approved = true } = {}): Promise<Check | undefined> {
  project.write(".ralph/config.yaml", `agent: command\nagents: { command: { argv: ["true"] } }\n${config}`);
  if (approved) await approveConfig(project.dir, project.home);
  return ((await project.json("doctor")) as Check[]).find(({ check }) => check === "verification");
}

test("UX-1 LOOP-5: no verification is a warning, with the commands that the project's files suggest and that can start", async () => {
  project = practice();
  expect(await verificationWith("")).toMatchObject({
    status: "warn",
    hint: expect.stringContaining("verify:"),
  });
  project.write("package.json", '{ "scripts": { "test": "touch ../tried", "lint": "no-such-linter" } }\n');
  expect(await verificationWith("verify: []\n")).toMatchObject({
    status: "warn",
    hint: 'run `ralph init`, or set verify in .ralph/config.yaml; found: `npm test` (package.json, script "test")',
  });
  expect(() => project.read("../tried")).toThrow();
});

test("UX-1 LOOP-21 TRUST-5: verification is tried once it is approved: it passes, fails or cannot be executed", async () => {
  project = practice({ "package.json": '{ "scripts": { "test": "true" } }\n' });
  const red = 'verify: ["true", "echo error: it is red; touch ../tried; exit 3"]\n';
  expect(await verificationWith(red, { approved: false })).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("not tried, because it is not approved"),
    hint: expect.stringContaining("ralph trust show"),
  });
  expect(() => project.read("../tried")).toThrow();
  expect(await verificationWith(red)).toMatchObject({
    status: "warn",
    detail: "`echo error: it is red; touch ../tried; exit 3` fails: exit code 3: error: it is red",
    hint: expect.stringContaining("ralph run"),
  });
  expect(await verificationWith('verify: ["true", "test -e package.json"]\n')).toMatchObject({
    status: "ok",
    detail: "true, then test -e package.json: all passed",
  });
  expect(await verificationWith('verify: ["true", "no-such-checker --all"]\n')).toMatchObject({
    status: "fail",
    detail: '`no-such-checker --all` cannot be executed: the program "no-such-checker" was not found',
    hint: expect.stringContaining("verify"),
  });
  expect(await verificationWith('verify: ["npm test && npm run lint"]\n')).toMatchObject({
    status: "fail",
    detail: '`npm test && npm run lint` cannot be executed: package.json has no script "lint"',
  });
});

test("TRUST-1: a secret in what an agent's program states as its version is not shown", async () => {
  project = practice();
  const program = join(project.dir, "claude.sh");
  project.write("claude.sh", '#!/bin/sh\necho "2.1.0-ghp_0123456789abcdefghijABCDEFGHIJ012345"\n');
  chmodSync(program, 0o755);
  project.write(".ralph/config.yaml", `agent: claude\nagents: { claude: { program: ${program} } }\n`);
  await approveConfig(project.dir, project.home);
  for (const { stdout } of [await project.ralph("doctor"), await project.ralph("doctor", "--json")]) {
    expect(stdout).toContain("2.1.0-[redacted:");
    expect(stdout).not.toContain("ghp_0123");
  }
});

test("UX-1 LOOP-18: installed packages without verifySetup are a warning where a separate tree is verified", async () => {
  project = practice({ "pnpm-lock.yaml": "", "uv.lock": "" });
  const clean = 'verify: ["test -f uv.lock"]\nverifyGuard: clean\n';
  expect(await verificationWith(clean)).toMatchObject({ status: "ok" });
  project.write("node_modules/x", "");
  project.write(".venv/x", "");
  expect(await verificationWith('verify: ["test -f uv.lock"]\n')).toMatchObject({ status: "ok" });
  expect(await verificationWith(clean)).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("has no installed dependencies"),
    hint: "set `verifySetup: [pnpm install --frozen-lockfile, uv sync --frozen]` in .ralph/config.yaml",
  });
  expect(await verificationWith(`${clean}verifySetup: ["true"]\n`)).toMatchObject({ status: "ok" });
});
