import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codexPayment } from "./payment.ts";

test.each([
  [{ auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens: { access_token: "x" } }, "subscription"],
  [{ tokens: { access_token: "x" } }, "subscription"],
  [{ auth_mode: "apikey", OPENAI_API_KEY: "x", tokens: null }, "API key"],
  [{ OPENAI_API_KEY: "x" }, "API key"],
  [{}, undefined],
  [null, undefined],
])("UX-1: a login of Codex as %j is paid by %s", (login, by) => {
  const folder = mkdtempSync(join(tmpdir(), "ralph-codex-pay-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (login) writeFileSync(join(folder, "auth.json"), JSON.stringify(login));
  expect(codexPayment({ CODEX_HOME: folder })?.by).toBe(by);
});
