import { basename } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadedFiles } from "./loaded-files.ts";
import { practice } from "./practice.ts";

const hello = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

test("AGENT-6: until its first call `ralph mcp` loads nothing of the store, so that an agent need not wait for it", async () => {
  const made = practice();
  onTestFinished(() => made.remove());
  const loadedFor = async (...messages: readonly object[]): Promise<readonly string[]> => {
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const { stdout, files } = await loadedFiles(made, ["mcp"], lines.join(""));
    expect(stdout).toContain('"serverInfo"');
    return files.map((path) => basename(path));
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
