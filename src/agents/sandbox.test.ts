import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SandboxSettings } from "../base/shared-settings.ts";
import { agentState } from "./sandbox/agent-state.ts";
import { composeView } from "./sandbox/compose-view.ts";
import { lockedMounts, lockedProgram } from "./sandbox/locked-paths.ts";
import { filesOf, programFolders } from "./sandbox/program-folders.ts";
import { defaultSandbox, openSandbox } from "./sandbox.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "ralph-sandbox-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const folder = (...names: string[]): string => {
  const path = join(base, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

const file = (...names: string[]): string => {
  const path = join(base, ...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
};

const settings: SandboxSettings = {
  ...{ level: "strict", network: "on", read: [], write: [], verification: true, prefix: null },
};

describe("AGENT-4: the view of `sandbox: strict`", () => {
  const viewOf = (parts: Partial<Parameters<typeof composeView>[0]>): readonly string[] =>
    composeView({
      ...{
        system: [],
        home: join(base, "home"),
        sealed: [],
        written: [],
        read: [],
        programs: [],
        locked: [],
      },
      ...parts,
    }).map(({ kind, path }) => `${kind} ${path.slice(base.length + 1)}`);

  test("a home is empty but for what is named, and what does not exist is left out", () => {
    const [login, key] = [folder("home/.claude"), folder("home/.ssh")];
    expect(viewOf({ written: [login, join(base, "home/.none")] })).toEqual([
      "empty home",
      "write home/.claude",
    ]);
    expect(viewOf({ written: [login] }).join()).not.toContain(key);
  });

  test("settings inside a written folder are read-only", () => {
    const login = folder("home/.claude");
    const rules = file("home/.claude/settings.json");
    expect(viewOf({ written: [login], read: [rules] }).slice(1)).toEqual([
      "write home/.claude",
      "read home/.claude/settings.json",
    ]);
  });

  test("a link that a session planted in a written folder shows nothing", () => {
    const login = folder("home/.claude");
    symlinkSync(folder("home/.ssh"), join(login, "skills"));
    expect(viewOf({ written: [login], read: [join(login, "skills")] }).slice(1)).toEqual([
      "write home/.claude",
    ]);
  });

  test("programs in the home are read-only, those of the project stay as they are, and no program shows the home", () => {
    const project = folder("project");
    const programs = [
      ...[folder("home/.local/bin"), folder("project/node_modules/.bin")],
      ...[folder("home"), base, folder("home/.local/bin")],
    ];
    expect(viewOf({ written: [project], programs }).slice(1)).toEqual([
      "read home/.local/bin",
      "write project",
    ]);
  });
});

describe("AGENT-4: programs inside of the project", () => {
  const locking = (path: string): readonly string[] =>
    composeView({
      ...{ system: [], home: join(base, "home"), sealed: [], read: [], programs: [] },
      ...{ written: [folder("project")], locked: lockedProgram(path) },
    }).map(({ kind, path: at }) => `${kind} ${at.slice(base.length + 1)}`);

  test("a package is read-only, and no folder around it can be renamed", () => {
    expect(locking(file("project/node_modules/@a/ralph/dist/start.cjs")).slice(1)).toEqual([
      ...["write project", "write project/node_modules", "write project/node_modules/@a"],
      "read project/node_modules/@a/ralph",
    ]);
    expect(locking(file("project/tools/node")).at(-1)).toBe("read project/tools/node");
    expect(locking(file("elsewhere/node_modules/ralph/bin.js")).slice(1)).toEqual(["write project"]);
  });

  test("it is an error where they cannot be kept read-only", () => {
    const refused = expect.objectContaining({ code: "RALPH_ISOLATION_PROGRAMS" });
    const [project, real] = [folder("project"), folder("elsewhere")];
    expect(() => lockedMounts([project], [project])).toThrow(refused);
    symlinkSync(real, join(project, "ralph"));
    for (const name of ["ralph", "missing"])
      expect(() => lockedMounts([join(project, name)], [project])).toThrow(refused);
  });
});

describe("AGENT-4: what belongs to an agent", () => {
  test("an agent has its own state only, by its name or its program", () => {
    const home = "/home/me";
    const written = (name: string, program = name, env = {}): readonly string[] =>
      agentState({ name, program }, home, env).written;
    expect(written("claude")).toEqual(["/home/me/.claude", "/home/me/.claude.json"]);
    expect(written("claude", "claude", { CLAUDE_CONFIG_DIR: "/own" })).toEqual(["/own"]);
    expect(written("codex")).toEqual(["/home/me/.codex"]);
    expect(written("command", "/opt/bin/codex")).toEqual(["/home/me/.codex"]);
    expect(written("acp", "claude-agent-acp")).toEqual(written("claude"));
    expect(written("opencode", "opencode", { XDG_DATA_HOME: "/data" })[0]).toBe("/data/opencode");
    expect(written("command", "sh")).toEqual([]);
    expect(agentState({ name: "codex", program: "codex" }, home, {}).read).toContain(
      "/home/me/.codex/config.toml",
    );
  });

  test("a program is shown with the packages or libraries that it needs", () => {
    const real = file("npm/lib/node_modules/@a/cli/bin/run.js");
    const link = join(folder("npm/bin"), "run");
    symlinkSync(real, link);
    expect(programFolders(link)).toEqual([join(base, "npm/bin"), join(base, "npm/lib/node_modules")]);
    const tool = file("venv/bin/tool");
    expect(programFolders(tool)).toContain(join(base, "venv/lib"));
    expect(programFolders(tool)).not.toContain(join(base, "venv"));
    expect(filesOf(["node", "./bin/tool", "--flag", "none/here"], join(base, "venv"))).toEqual([tool]);
  });
});

describe("AGENT-4: the setting `sandbox`", () => {
  const places = async () => ({
    ...{ project: [join(base, "project")] as const, home: join(base, "home") },
    ...{ clean: join(base, "clean"), store: join(base, "project/.ralph"), hooks: [], besides: [] },
    ...{ hidden: [], read: [], ralph: [], locked: [] },
  });

  test("`strict` is refused where the project contains the home, which it could not hide", async ({
    skip,
  }) => {
    if (process.platform !== "linux") skip();
    const open = openSandbox(settings, async () => ({ ...(await places()), project: [base] }));
    await expect(open).rejects.toMatchObject({
      code: expect.stringMatching(/^RALPH_(SANDBOX_HOME|ISOLATION_MISSING)$/),
    });
  });

  test("a prefix gets its placeholders filled in and the agent's words behind it", async () => {
    const prefix = [
      "docker",
      "run",
      "--name={id}",
      "-v",
      "{cwd}:{cwd}",
      "{env}",
      "{other}",
      "image",
    ] as const;
    const { sandbox } = await openSandbox({ ...settings, level: "off", prefix }, places);
    const program = { argv: ["claude", "-p"] as const, cwd: "/p", env: { A: "1" } };
    const session = {
      agent: "claude",
      marker: "m-1",
      tmpDir: "/p/tmp",
      folders: [],
      added: ["RALPH_TASK_ID"],
    };
    expect(sandbox?.agent({ ...program, ...session }).argv).toEqual([
      ...["docker", "run", "--name=m-1", "-v", "/p:/p", "--env=RALPH_TASK_ID", "--env=RALPH_MARKER"],
      ...["{other}", "image", "claude", "-p"],
    ]);
    expect(sandbox?.verification(program)).toEqual({ ...program, sandbox: null });
  });

  test("`off` starts programs as they are", async () => {
    expect((await openSandbox({ ...settings, level: "off" }, places)).sandbox).toBeNull();
  });
});

test("AGENT-4 LOOP-10: the view of a normal user says that setuid programs fail in it", async () => {
  const { effect, isPartial } = await defaultSandbox();
  expect(/sudo, rootless podman/.test(effect)).toBe(!isPartial && process.geteuid?.() !== 0);
});
