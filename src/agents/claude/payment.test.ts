import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claudePayment } from "./payment.ts";

const key = { ANTHROPIC_API_KEY: "dummy" };
const login = { ".claude/.credentials.json": "{}" };
const account = { ".claude.json": '{"oauthAccount": {}}' };

test.each([
  ["nobody", {}, {}, null],
  ["a key", key, {}, { by: "ANTHROPIC_API_KEY", warning: null }],
  ["a login", {}, login, { by: "subscription", warning: null }],
  ["a login in the keychain", {}, account, { by: "subscription", warning: null }],
  ["a token", { CLAUDE_CODE_OAUTH_TOKEN: "dummy" }, {}, { by: "subscription", warning: null }],
  ["no login", {}, { ".claude.json": "{}" }, null],
  ["an empty key", { ANTHROPIC_API_KEY: "" }, login, { by: "subscription", warning: null }],
  [
    "a stray key beside a login",
    key,
    account,
    { by: "ANTHROPIC_API_KEY", warning: expect.stringMatching(/not your login .*unset ANTHROPIC_API_KEY/) },
  ],
  ["another provider", { ...key, CLAUDE_CODE_USE_BEDROCK: "1" }, login, null],
])("AGENT-2: who pays for Claude Code's sessions: %s", (_, env, files, expected) => {
  const home = mkdtempSync(join(tmpdir(), "ralph-payment-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, ".claude"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  expect(claudePayment({ HOME: home, ...env })).toEqual(expected);
});
