import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSettings } from "../../config/load-settings.ts";
import { type AgentScope, droppedItems, executedItems, firmItems } from "./executed-items.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ralph-items-"));
  mkdirSync(join(root, ".ralph"));
  mkdirSync(join(root, "home/.config/ralph"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function itemsOf(text: string, flags: Readonly<Record<string, string>> = {}, scope?: AgentScope) {
  writeFileSync(join(root, ".ralph/config.yaml"), text);
  return executedItems(await loadSettings({ cwd: root, flags, env: { HOME: join(root, "home") } }), scope);
}

const own = `agent: command
agents: { command: { argv: [agent, x] } }
verify: [check]
events: { dir: seen, hooks: [{ on: run.finished, run: [tell] }] }
sandbox: off
`;

test("TRUST-5: each part of the configuration that is executed is an item of its own", async () => {
  const items = await itemsOf(own);
  expect(items.map(({ kind, place, text }) => [kind, place, text])).toEqual([
    ["agent", "agents.command", "agent x"],
    ["command", "verify[0]", "check"],
    ["hook", "events.hooks[0]", "on run.finished: tell"],
    ["folder", "events.dir", "event files in seen"],
    ["sandbox", "sandbox", "agents without isolation"],
  ]);
});

test.each([
  ["[agent, x]", "[agent, y]", ["agents.command"]],
  ["agent: command", "agent: [command, claude]", ["agents.claude"]],
  ["command: {", "claude: { program: other }, command: {", ["agents.claude"]],
  ["command: {", "claude: { extraArgs: [--all] }, command: {", ["agents.claude"]],
  ["[check]", "[check, more]", ["verify[1]"]],
  ["verify: [check]", "verify: [check]\nallow: [npm run build]", ["allow[0]"]],
  ["run: [tell]", "run: [tell, all]", ["events.hooks[0]"]],
  ["on: run.finished", 'on: "*"', ["events.hooks[0]"]],
  ["run: [tell]", "run: [tell], timeout: 3s", []],
  ["dir: seen", "dir: /etc", ["events.dir"]],
  ["verify: [check]", "verify: [{ run: check, timeout: 3s }]", []],
  ["sandbox: off", "sandbox: auto # stricter", []],
  ["sandbox: off", "sandbox: strict", []],
  ["sandbox: off", "sandbox: { level: strict, network: off }", []],
  ["sandbox: off", "sandbox: { level: strict, read: ~/.rustup }", ["sandbox"]],
  ["sandbox: off", "sandbox: { level: strict, write: cache }", ["sandbox"]],
  ["sandbox: off", "sandbox: { level: strict, verification: off }", ["sandbox"]],
  ["sandbox: off", "sandbox: { prefix: [docker, run, image] }", ["sandbox"]],
  [
    "sandbox: off",
    "sandbox: off\nstrategy: fixed\nlimits: { maxAttempts: 1 }\ncommit: { enabled: false }",
    [],
  ],
])("TRUST-5: %j changed to %j needs an approval of %j", async (before, after, places) => {
  const known = new Set((await itemsOf(own)).map(({ sha256 }) => sha256));
  const changed = await itemsOf(own.replace(before, after));
  expect(changed.filter(({ sha256 }) => !known.has(sha256)).map(({ place }) => place)).toEqual(places);
});

const without = "without `check`, which you approved";

test.each([
  ["verify: [check]", "verify: []", ["no command verifies the work", without]],
  ["verify: [check]\n", "", [without]],
  ["[check, more]", "[more]", [without]],
  ["[check, more]", "[more, check]", []],
  ["[check]", "[other]", ["other"]],
  ["[check]", '[{ run: check, when: "docs/**" }]', ["check  (for docs/**)"]],
  ["[check]", "[check]\nverifyGuard: off", [/^verifyGuard off: /]],
  ["[check]\nverifyGuard: strict", "[check]", ["verifyGuard is no longer strict or clean"]],
  ["[check]\nverifyGuard: clean", "[check]\nverifyGuard: report", [/no longer strict or clean/]],
  ["[check]\nverifyGuard: report", "[check]\nverifyGuard: strict", []],
  ["[check]\nsandbox: strict", "[check]", ["agents are no longer in the strict sandbox"]],
])("TRUST-5: %j, approved and then changed to %j, needs an approval of %j", async (before, after, texts) => {
  const text = before.startsWith("verify") ? before : `verify: ${before}`;
  const loaded = async (content: string) => {
    writeFileSync(join(root, ".ralph/config.yaml"), content);
    return loadSettings({ cwd: root, flags: {}, env: { HOME: join(root, "home") } });
  };
  const first = await loaded(text);
  const approved = [...executedItems(first), ...firmItems(first)].map((item) => {
    return { ...item, what: `verify: ${item.text}`, approvedAt: "" };
  });
  const second = await loaded(text.replace(before, after));
  const items = executedItems(second);
  const known = new Set(approved.map(({ sha256 }) => sha256));
  const asked = [...items, ...droppedItems(second, items, approved)].filter(
    ({ sha256 }) => !known.has(sha256),
  );
  expect(asked.map((item) => item.text)).toEqual(
    texts.map((one) => (typeof one === "string" ? one : expect.stringMatching(one))),
  );
});

test("TRUST-5: what an agent may do is part of its item", async () => {
  const itemOf = async (permission: string) =>
    (await itemsOf(`agents: { claude: { permission: ${permission} } }`))[0];
  const edit = await itemOf("edit");
  const bypass = await itemOf("bypass");
  expect([edit?.text, bypass?.text]).toEqual(["claude (permission edit)", "claude (permission bypass)"]);
  expect(edit?.sha256).not.toBe(bypass?.sha256);
});

test("TRUST-5: a project that replaces the sandbox of its user's own file needs approval, unless with `strict`", async () => {
  writeFileSync(join(root, "home/.config/ralph/config.yaml"), "sandbox: strict\n");
  const texts = async (text: string) => (await itemsOf(text)).map((item) => item.text);
  expect(await texts("sandbox: auto\n")).toEqual(["instead of your own configuration"]);
  expect(await texts("sandbox: { level: required }\n")).toEqual(["instead of your own configuration"]);
  expect(await texts("sandbox: strict\n")).toEqual([]);
  expect(await texts("strategy: fixed\n")).toEqual([]);
});

test("TRUST-5: what a flag or the user's own file says needs no approval", async () => {
  expect(await itemsOf("strategy: fixed\nmodel: opus\n")).toEqual([]);
  writeFileSync(join(root, "home/.config/ralph/config.yaml"), 'verify: ["mine"]\nsandbox: off\n');
  expect(await itemsOf("strategy: fixed\n")).toEqual([]);
  const file = "verify: [check]\nagents: { claude: { program: evil } }\n";
  const places = async (scope: AgentScope) =>
    (await itemsOf(file, { agent: "command" }, scope)).map(({ place }) => place);
  expect(await places("selected")).toEqual(["verify[0]"]);
  // To approve, every agent is listed that a flag of the next run can select.
  expect(await places("all")).toEqual(["agents.claude", "verify[0]"]);
});
