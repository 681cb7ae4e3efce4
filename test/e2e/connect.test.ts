import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;

beforeEach(() => {
  project = practice();
});
afterEach(() => project.remove());

/** Every file, folder and link of the home folder except ralph's own state. */
function snapshot(folder: string = project.home, name = ""): Readonly<Record<string, string>> {
  const path = join(folder, name);
  const entries = readdirSync(path).flatMap((entry) => {
    const inside = join(name, entry);
    const found = lstatSync(join(folder, inside));
    if (inside === "state") return [];
    if (found.isDirectory()) return [[inside, "folder"], ...Object.entries(snapshot(folder, inside))];
    if (found.isSymbolicLink()) return [[inside, readlinkSync(join(folder, inside))]];
    return [[inside, `${found.mode & 0o777} ${readFileSync(join(folder, inside), "latin1")}`]];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

function writeHome(name: string, content: string): string {
  const path = join(project.home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const plugin = ".claude/skills/ralph";
const files: Readonly<Record<string, readonly [name: string, content: string]>> = {
  codex: [".codex/config.toml", '# mine\nmodel = "gpt-5.5" # fast\n\n[mcp_servers.other]\ncommand = "o"\n'],
  gemini: [".gemini/settings.json", '{\n  // mine\n  "mcpServers": {\n    "other": {}, // keep\n  }\n}\n'],
  pi: [".pi/agent/mcp.json", '{\n  "mcpServers": { "mine": { "command": "o" } }\n}\n'],
  opencode: ["config/opencode/opencode.jsonc", '{"autoupdate": false /* mine */}'],
};
const agents = Object.keys(files);

describe("AGENT-8: ralph connect", () => {
  test("claude: shows and writes a plugin, and ralph disconnect leaves no trace", async () => {
    writeHome(".claude/settings.json", "{}");
    const before = snapshot();
    const { code, stdout, stderr } = await project.answer("connect", "claude", "--yes");
    expect([code, stderr]).toEqual([0, expect.stringContaining("Claude Code is connected")]);
    for (const file of [
      ".claude-plugin/plugin.json",
      ".mcp.json",
      "hooks/hooks.json",
      "skills/memory/SKILL.md",
    ])
      expect(stdout).toContain(`create ~/${plugin}/${file}`);
    for (const word of ["SessionStart", "UserPromptSubmit", "--connected"]) expect(stdout).toContain(word);
    for (const file of ["state/ralph/connections.json", `${plugin}/.mcp.json`])
      expect(statSync(join(project.home, file)).mode & 0o777).toBe(0o600);
    const hooks = readFileSync(join(project.home, plugin, "hooks/hooks.json"), "utf8");
    expect(Object.keys(JSON.parse(hooks).hooks)).toEqual(["SessionStart", "UserPromptSubmit"]);
    expect((await project.answer("connect", "claude")).stderr).toContain("already connected");
    const more = await project.answer("connect", "claude", "--verify", "--yes");
    expect(more.stdout).toMatch(/^change .*hooks\.json\n[\s\S]*\+ +"Stop": \[/);
    const gone = await project.answer("disconnect", "claude", "--yes");
    expect(gone.stdout).toContain(`delete ~/${plugin}/hooks/hooks.json`);
    expect(snapshot()).toEqual(before);
    expect((await project.answer("disconnect", "claude", "--yes")).stderr).toContain("is not connected");
    expect((await project.answer("disconnect", "foo")).stderr).toContain(
      'error: invalid agent "foo": expected claude',
    );
  });

  test.each(agents)(
    "%s: adds one entry to a new or old configuration, and disconnecting restores every byte",
    async (agent) => {
      const empty = snapshot();
      expect((await project.answer("connect", agent, "--yes")).stdout).toMatch(/^create /);
      expect((await project.answer("disconnect", agent, "--yes")).stdout).toMatch(/^delete /);
      expect(snapshot()).toEqual(empty);
      const [name, content] = files[agent] ?? ["", ""];
      const path = writeHome(name, content);
      chmodSync(path, 0o640);
      const before = snapshot();
      const { code, stdout } = await project.answer("connect", agent, "--yes");
      expect(code).toBe(0);
      expect(stdout).toMatch(/^change ~\/[\s\S]*^ {2}\+ .*--connected/m);
      expect(readFileSync(path, "utf8")).toContain('"--connected"');
      expect((await project.answer("connect", agent)).stderr).toContain("already connected");
      expect((await project.answer("disconnect", agent, "--yes")).code).toBe(0);
      expect(snapshot()).toEqual(before);
    },
  );

  test.each(agents)(
    "%s: what others wrote after connecting stays, also when ralph's record is lost",
    async (agent) => {
      const [name, content] = files[agent] ?? ["", ""];
      const path = writeHome(name, content);
      await project.answer("connect", agent, "--yes");
      const more = agent === "codex" ? "\n[theirs]\nx = 1 # new\n" : "\n// new\n";
      writeFileSync(path, readFileSync(path, "utf8") + more);
      const connected = readFileSync(path, "utf8");
      await project.answer("disconnect", agent, "--yes");
      expect(readFileSync(path, "utf8")).toBe(content + more);
      writeFileSync(path, connected);
      expect((await project.answer("disconnect", agent, "--yes")).code).toBe(0);
      expect(readFileSync(path, "utf8")).not.toContain("--connected");
      for (const kept of [more.trim(), "mine"]) expect(readFileSync(path, "utf8")).toContain(kept);
    },
  );

  test("codex: gets hooks in a file of their own; a person's hooks stay as they are", async () => {
    const path = join(project.home, ".codex/hooks.json");
    const { stderr, stdout } = await project.answer("connect", "codex", "--yes");
    expect([stderr, stdout]).toEqual([
      expect.stringContaining("asks once whether you trust the hooks"),
      expect.stringContaining("create ~/.codex/hooks.json"),
    ]);
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")).hooks)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
    ]);
    await project.answer("disconnect", "codex", "--yes");
    expect(existsSync(path)).toBe(false);
    writeHome(".codex/hooks.json", '{ "hooks": {} }');
    const before = snapshot();
    expect((await project.answer("connect", "codex", "--yes")).stderr).toContain("hooks of yours");
    await project.answer("disconnect", "codex", "--yes");
    expect(snapshot()).toEqual(before);
  });

  test("a linked configuration stays a link, and its target is changed", async () => {
    const target = writeHome("dotfiles/codex.toml", "# linked\n");
    mkdirSync(join(project.home, ".codex"));
    symlinkSync("../dotfiles/codex.toml", join(project.home, ".codex/config.toml"));
    const before = snapshot();
    await project.answer("connect", "codex", "--yes");
    expect(lstatSync(join(project.home, ".codex/config.toml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("--connected");
    await project.answer("disconnect", "codex", "--yes");
    expect(snapshot()).toEqual(before);
  });

  test("writes nothing without a confirmation", async () => {
    const before = snapshot();
    const { code, stdout, stderr } = await project.answer("connect", "gemini");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/not confirmed\nhint: use --yes/)]);
    expect(stdout).toContain('+   "mcpServers": {');
    expect(snapshot()).toEqual(before);
    expect(existsSync(join(project.home, "state/ralph/connections.json"))).toBe(false);
  });

  test.each([
    [
      "codex",
      ".codex/config.toml",
      '[mcp_servers.ralph]\ncommand = "theirs"\n',
      /already has a server named ralph/,
    ],
    [
      "codex",
      ".codex/config.toml",
      "mcp_servers = {}\n",
      /cannot change .*\nhint: [\s\S]*\[mcp_servers\.ralph\]/,
    ],
    ["gemini", ".gemini/settings.json", "{ not JSON", /cannot change .*not valid JSON/],
    ["claude", `${plugin}/hooks/hooks.json`, "{}", /exists, and ralph did not write it/],
  ])("%s: refuses to change %s with %j", async (agent, name, content, why) => {
    writeHome(name, content);
    const before = snapshot();
    const { code, stderr } = await project.answer("connect", agent, "--yes");
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
    expect(snapshot()).toEqual(before);
    await project.answer("disconnect", agent, "--yes");
    expect(snapshot()).toEqual(before);
  });

  test("a file of the plugin that a person changed is neither replaced nor deleted", async () => {
    await project.answer("connect", "claude", "--yes");
    const path = join(project.home, plugin, "skills/memory/SKILL.md");
    writeFileSync(path, "mine");
    const before = snapshot();
    for (const words of [
      ["disconnect", "claude"],
      ["connect", "claude", "--verify"],
    ]) {
      const { code, stderr } = await project.answer(...words, "--yes");
      expect([code, stderr]).toEqual([2, expect.stringContaining("was changed since ralph wrote it")]);
    }
    expect(snapshot()).toEqual(before);
  });
});
