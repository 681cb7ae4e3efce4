import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { probePi } from "./listed-models.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-pi-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const models =
  "provider   model              context  max-out  thinking  images\nanthropic  claude-sonnet-4-5  200K     64K      yes       yes";

test.each([
  ["with models", `echo "${models}"`, { found: true, version: "0.74.2", isLoggedIn: true }],
  ["without a login", 'echo "No models available. Use /login" >&2', { found: true, isLoggedIn: false }],
  [
    "that is another program",
    "echo 3.14159",
    { found: false, hint: expect.stringMatching(/not the agent pi.+npm i -g/) },
  ],
  ["that is another program and fails", "exit 1", { found: false }],
])("UX-1: the agent pi %s", async (_, answer, expected) => {
  const program = join(folder, "pi");
  const script = `#!/bin/sh\ncase "$*" in --version) echo 0.74.2;; *) ${answer};; esac\n`;
  writeFileSync(program, script, { mode: 0o755 });
  expect(await probePi(program, { PATH: "/usr/bin:/bin" })).toMatchObject(expected);
});
