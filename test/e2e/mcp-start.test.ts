import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { practice, ralphBin } from "./practice.ts";

/** Records the files that a process has loaded by its end. */
const recorder = `process.once("exit", () =>
  require("node:fs").writeFileSync(process.env.LOADED, Object.keys(require.cache).join("\\n")));
`;

const hello = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

test("AGENT-6: until its first call `ralph mcp` loads nothing of the store, so that an agent need not wait for it", async () => {
  const made = practice();
  onTestFinished(() => made.remove());
  const record = join(made.home, "recorder.cjs");
  writeFileSync(record, recorder);
  const loadedFor = async (...messages: readonly object[]): Promise<readonly string[]> => {
    const file = join(made.home, "loaded");
    const child = spawn(process.execPath, ["--require", record, ralphBin, "mcp"], {
      cwd: made.dir,
      env: { ...made.env, LOADED: file },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.end(
      messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
    );
    expect(await text(child.stdout)).toContain('"serverInfo"');
    return readFileSync(file, "utf8")
      .split("\n")
      .map((path) => basename(path));
  };
  const begin = [
    { id: 1, method: "initialize", params: hello },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list", params: {} },
  ];
  const isStore = (file: string): boolean => file.startsWith("project-");
  expect((await loadedFor(...begin)).filter(isStore)).toEqual([]);
  const call = { id: 3, method: "tools/call", params: { name: "task_list", arguments: {} } };
  expect((await loadedFor(...begin, call)).filter(isStore)).toHaveLength(1);
});
