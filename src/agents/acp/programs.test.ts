import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { newRequestIn } from "../../../test/fakes/agent-request.ts";
import { newKnown } from "../../../test/fakes/new-agent.ts";
import { parseJson } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const journal = { path: "/state/journals/a.md", folder: "/state/journals", change: "a" };
const request = { ...newRequestIn(folder), tmpDir: "/scratch", journal };

function opencode(permission: Permission, given: object = {}, readOnly = false): unknown {
  const env = { PATH: "/bin", OPENCODE_CONFIG_CONTENT: JSON.stringify(given) };
  const { env: added } = newKnown("opencode", { permission, env, readOnly }).command(request);
  return parseJson(added["OPENCODE_CONFIG_CONTENT"] ?? "");
}

test("AGENT-4 JOURNAL-2: OpenCode gets rules that need no question, and may use the journal's folder", () => {
  const theirs = { model: "a/b", permission: { bash: "allow", skill: "deny" } };
  const external = { "*": "deny", "/scratch/**": "allow", "/state/journals/**": "allow" };
  expect(opencode("edit", theirs)).toMatchObject({
    model: "a/b",
    permission: { skill: "deny", edit: "allow", webfetch: "deny", external_directory: external },
  });
  for (const level of ["plan", "edit", "shell", "bypass"] as const)
    expect(JSON.stringify(opencode(level, theirs))).not.toContain('"ask"');
  expect(opencode("ask", theirs)).toEqual(theirs);
  expect(opencode("edit", { permission: "allow" })).toMatchObject({
    permission: { bash: { "*": "deny", "git diff *": "allow" } },
  });
  expect(opencode("bypass", theirs)).toMatchObject({ permission: { bash: "allow", skill: "deny" } });
});

test("AGENT-4: an agent that only answers gets no tools from OpenCode, and everything is denied", () => {
  expect(opencode("bypass", {}, true)).toEqual({
    permission: {
      ...{ edit: "deny", bash: "deny", webfetch: "deny", external_directory: { "*": "deny" } },
      ...{ read: "allow", doom_loop: "deny" },
    },
    tools: { "*": false },
  });
});

test("JOURNAL-2 LOOP-10: Gemini CLI may use the journal's folder, and has no launcher that outlives a signal", () => {
  const { argv, env } = newKnown("gemini").command(request);
  expect(argv).toEqual(["gemini", "--acp", "--skip-trust", "--include-directories", "/state/journals"]);
  expect(env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_DEBUG_LOG_FILE: "/scratch/gemini.log" });
});
