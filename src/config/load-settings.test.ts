import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { settingKeys } from "./keys.ts";
import { loadSettings } from "./load-settings.ts";
import type { LoadedSettings } from "./settings.ts";

let root: string;
let home: string;
beforeEach(() => {
  const top = mkdtempSync(join(tmpdir(), "ralph-config-"));
  root = join(top, "project");
  home = join(top, "home");
  mkdirSync(join(root, ".ralph"), { recursive: true });
  mkdirSync(join(home, ".config", "ralph"), { recursive: true });
});
afterEach(() => rmSync(join(root, ".."), { recursive: true, force: true }));

interface Given {
  readonly project?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  readonly file?: string | null;
}

async function load({ project, user, env = {}, flags = {}, file }: Given): Promise<LoadedSettings> {
  if (project !== undefined) writeFileSync(join(root, ".ralph", "config.yaml"), project);
  if (user !== undefined) writeFileSync(join(home, ".config", "ralph", "config.yaml"), user);
  return await loadSettings({ cwd: root, flags, env: { HOME: home, ...env }, file });
}

async function refusal(given: Given): Promise<RalphError> {
  const error = await load(given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RalphError);
  return error as RalphError;
}

describe("UX-5: layers", () => {
  test("UX-5: without any file the defaults of the specification hold", async () => {
    const { settings, origins, projectFile } = await load({});
    expect(settings).toMatchObject({
      agent: ["claude"],
      verify: null,
      strategy: "cost-optimized",
      completion: "signal",
      onFailure: "keep",
      verifyGuard: "report",
      sandbox: "auto",
      store: ".ralph/progress.db",
      commit: { template: null, enabled: true },
      memory: { enabled: true, budgetChars: 5000, sections: {} },
      limits: {
        maxIterations: 0,
        maxAttempts: 5,
        stuckAfter: 3,
        budgetUsd: null,
        maxDurationMs: null,
        taskTimeoutMs: 1_800_000,
        idleTimeoutMs: 600_000,
      },
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
    expect(projectFile).toBeNull();
  });

  test("UX-5: a flag beats the environment, that the project, that the user, that the default", async () => {
    const flags = { "limits.maxAttempts": "1" };
    const env = { RALPH_MAX_ATTEMPTS: "2", RALPH_STRATEGY: "fixed" };
    const project = "limits: { maxAttempts: 3, stuckAfter: 3 }\nstrategy: escalate\nonFailure: rollback\n";
    const user = "limits: { maxAttempts: 4, stuckAfter: 9 }\nonFailure: keep\nsandbox: off\n";
    const { settings, origins } = await load({ flags, env, project, user });
    expect(settings.limits.maxAttempts).toBe(1);
    expect(settings.strategy).toBe("fixed");
    expect(settings.onFailure).toBe("rollback");
    expect(settings.sandbox).toBe("off");
    expect(settings.limits.stuckAfter).toBe(3);
    expect(origins).toMatchObject({
      "limits.maxAttempts": "flag --max-attempts",
      strategy: "RALPH_STRATEGY",
      onFailure: join(root, ".ralph", "config.yaml"),
      sandbox: join(home, ".config", "ralph", "config.yaml"),
      completion: "default",
    });
  });

  test("UX-5: --config replaces the project's file, --no-config all files", async () => {
    const other = join(root, "other.yaml");
    writeFileSync(other, "strategy: escalate\n");
    const project = "strategy: fixed\n";
    expect((await load({ project, file: other })).settings.strategy).toBe("escalate");
    expect((await load({ project, user: "strategy: fixed", file: null })).settings.strategy).toBe(
      "cost-optimized",
    );
    expect((await refusal({ file: join(root, "missing.yaml") })).code).toBe("RALPH_CONFIG_MISSING");
  });

  test("UX-5: within an iteration RALPH_MODEL is the agent's and sets nothing", async () => {
    expect((await load({ env: { RALPH_MODEL: "opus" } })).settings.model).toBe("opus");
    expect((await load({ env: { RALPH_MODEL: "opus", RALPH_RUN_ID: "run-1" } })).settings.model).toBeNull();
  });
});

describe("UX-5: values", () => {
  test("UX-5: the whole example of the specification is understood", async () => {
    const project = `
agent: [claude, codex]
agents:
  claude: { model: sonnet, tiers: [haiku, sonnet, opus], permission: edit, extraArgs: [] }
  command: { argv: [node, agent.mjs], format: text, tiers: [small, large] }
verify: ["npm test", { run: "npm run lint", timeout: 5m }]
strategy: cost-optimized
completion: signal
onFailure: keep
limits: { maxIterations: 0, maxAttempts: 5, stuckAfter: 3, budgetUsd: null, maxDuration: null, taskTimeout: 30m, idleTimeout: 10m }
verifyGuard: report
commit: { template: null, enabled: true }
taskValueUsd: null
sandbox: auto
memory: { budgetChars: 5000, sections: {}, maxLearnings: 5, holdout: 0, enabled: true, summarizeAbove: 200,
          prune: { reports: 7d, metrics: 30d, learnings: 90d, unused: 30d }, embeddings: null }
skills: { dirs: [.agents/skills, .claude/skills], layout: skills, autoAccept: false, aggregateEvery: 5,
          fileRules: { "**/*Views*{,/**}": [swiftui, liquid-glass], "**/*Service*{,/**}": [async, foundation-models] } }
journal: { dir: null, change: null }
hivemind: { store: auto }
store: .ralph/progress.db
events: { dir: null, hooks: [] }
learnings: { dir: .ralph/learnings, extract: off, extractModel: null }
`;
    const { settings, projectFile, origins, warnings } = await load({ project });
    expect(settings.agent).toEqual(["claude", "codex"]);
    expect(settings.verify).toEqual([
      { run: "npm test", timeoutMs: null },
      { run: "npm run lint", timeoutMs: 300_000 },
    ]);
    expect(settings.agents["claude"]).toEqual({
      model: "sonnet",
      tiers: ["haiku", "sonnet", "opus"],
      permission: "edit",
      extraArgs: [],
      program: null,
      argv: null,
      format: "text",
    });
    expect(warnings).toEqual([
      expect.stringMatching(/config\.yaml: .*: taskValueUsd, skills\.dirs, .*hivemind\.store/),
    ]);
    expect(settings.agents["command"]?.argv).toEqual(["node", "agent.mjs"]);
    expect(projectFile).toEqual({ path: join(root, ".ralph", "config.yaml"), sha256: sha256(project) });
    expect(origins["memory.prune.reports"]).toBe(projectFile?.path);
  });

  test("UX-5: an empty list of commands is kept apart from none configured", async () => {
    expect((await load({ project: "verify: []" })).settings.verify).toEqual([]);
    expect((await load({ project: "" })).settings.verify).toBeNull();
    expect((await load({ project: "verify: make test" })).settings.verify).toEqual([
      { run: "make test", timeoutMs: null },
    ]);
  });

  test("UX-5: a typed list is separated by commas, a typed command is not", async () => {
    const { settings } = await load({
      flags: { agent: "claude, command" },
      env: { RALPH_VERIFY: "test a,b" },
    });
    expect(settings.agent).toEqual(["claude", "command"]);
    expect(settings.verify).toEqual([{ run: "test a,b", timeoutMs: null }]);
  });

  test("UX-5: an argument may be empty, a program may not", async () => {
    const project = `agents: { command: { argv: [agent, ""], extraArgs: ["--tools", ""] } }
events: { hooks: [{ on: run.finished, run: [tell, "", end] }] }`;
    const { agents, events } = (await load({ project })).settings;
    expect(agents["command"]).toMatchObject({ argv: ["agent", ""], extraArgs: ["--tools", ""] });
    expect(events.hooks[0]?.run).toEqual(["tell", "", "end"]);
    for (const argv of ['""', '["", x]', "[]"]) {
      const { message } = await refusal({ project: `agents: { command: { argv: ${argv} } }` });
      expect(message).toMatch(/agents\.command\.argv(\[0\])? must be /);
    }
  });

  test("UX-5: ceilings of sections are taken by name", async () => {
    const { settings } = await load({ project: "memory: { sections: { attempts: 900 } }" });
    expect(settings.memory.sections).toEqual({ attempts: 900 });
  });
});

describe("UX-5: refusals", () => {
  test.each([
    ["limts: {}", "config.yaml:1:1:", "limits"],
    ["agent: claude\nlimits:\n  maxAttemts: 3", "config.yaml:3:", "maxAttempts"],
    ["agents: { claud: { model: x } }", "config.yaml:1:", "claude"],
    ["agents: { claude: { modle: x } }", "config.yaml:1:", "model"],
    ["memory: { sections: { atempts: 1 } }", "config.yaml:1:", "attempts"],
    ["maxAttempts: 3", "config.yaml:1:1:", "limits.maxAttempts"],
  ])(
    "UX-5: an unknown key in %j is refused with its line and a suggestion",
    async (project, where, meant) => {
      const error = await refusal({ project });
      expect(error.code).toBe("RALPH_CONFIG_UNKNOWN_KEY");
      expect(error.message).toContain(where);
      expect(error.hint).toBe(`did you mean ${meant}?`);
    },
  );

  test.each([
    [
      "limits: { maxAttempts: many }",
      ":1:11:",
      'limits.maxAttempts must be a non-negative integer, got "many"',
    ],
    ["limits: { maxAttempts: -1 }", ":1:", "a non-negative integer"],
    ["limits: { taskTimeout: soon }", ":1:", "a duration such as"],
    ["limits: { taskTimeout: null }", ":1:", "got null"],
    ["limits: 3", ":1:", "limits must be a mapping"],
    ["- a", ":1:", "the configuration must be a mapping"],
    ["strategy: adaptve", ":1:", "one of fixed, cost-optimized"],
    ["agent: []", ":1:", "agent must be an agent's name"],
    ["commit: { enabled: maybe }", ":1:", "true or false, got"],
    ["verify:\n  - npm test\n  - { run: x, timeot: 3 }", ":3:", "verify[1].timeot must be"],
    ["agents: { claude: { extraArgs: --x } }", ":1:", "agents.claude.extraArgs must be a list of strings"],
    ["memory: { holdout: 2 }", ":1:", "a number from 0 to 1"],
  ])("UX-5: a wrong type in %j is refused with what was expected and found", async (project, where, said) => {
    const error = await refusal({ project });
    expect(error.code).toBe("RALPH_CONFIG_WRONG_TYPE");
    expect(error.message).toContain(`config.yaml${where}`);
    expect(error.message).toContain(said);
  });

  test.each([
    ["limits: { maxDuration: 30 }", {}, {}, "limits.maxDuration", "30"],
    ["limits: { taskTimeout: 1.5 }", {}, {}, "limits.taskTimeout", "1.5"],
    ["limits: { idleTimeout: 600 }", {}, {}, "limits.idleTimeout", "600"],
    ["verify: [{ run: x, timeout: 30 }]", {}, {}, "verify[0].timeout", "30"],
    ["memory: { prune: { reports: 7 } }", {}, {}, "memory.prune.reports", "7"],
    ["memory: { embeddings: { url: 'http://x', model: m, timeout: 1 } }", {}, {}, "embeddings.timeout", "1"],
    ["events: { hooks: [{ on: '*', run: x, timeout: 5 }] }", {}, {}, "events.hooks[0].timeout", "5"],
    ["", {}, { "limits.taskTimeout": "30" }, "--task-timeout: limits.taskTimeout", "30"],
    ["", {}, { "limits.idleTimeout": "30" }, "--idle-timeout: limits.idleTimeout", "30"],
    ["", {}, { "limits.maxDuration": "8" }, "--max-duration: limits.maxDuration", "8"],
    ["", { RALPH_TASK_TIMEOUT: "30" }, {}, "RALPH_TASK_TIMEOUT: limits.taskTimeout", "30"],
    ["", { RALPH_LIMITS_MAX_DURATION: "8" }, {}, "RALPH_LIMITS_MAX_DURATION: limits.maxDuration", "8"],
    ["", { RALPH_MEMORY_PRUNE_METRICS: "9" }, {}, "memory.prune.metrics", "9"],
  ])("UX-5: a duration without a unit is refused: %j %j %j", async (project, env, flags, where, number) => {
    const error = await refusal({
      project,
      env: env as Record<string, string>,
      flags: flags as Record<string, string>,
    });
    expect(error.code).toBe("RALPH_CONFIG_WRONG_TYPE");
    expect(error.message).toContain(`${where} must be a duration such as 90s, 30m or 1h30m`);
    expect(error.hint).toBe(`add a unit: ${number}s or ${number}m`);
  });

  test("UX-5: every setting that is a duration refuses a bare number", () => {
    const durations = settingKeys.filter(({ type }) => type.expected.includes("a duration"));
    expect(durations.length).toBeGreaterThan(6);
    for (const { type } of durations) expect(type.read("30")).toHaveProperty("problem");
  });

  test.each([
    "postgres://user:hunter2@db.example/ralph",
    "postgresql://user:hunter2@db.example:5432/ralph?sslmode=require",
    "POSTGRES://user:hunter2@db.example/ralph",
    "mysql://user:hunter2@localhost/x",
    "postgres:user:hunter2@db.example/ralph",
    "file:///tmp/hunter2.db",
    "sqlite:hunter2@db",
  ])("TRUST-1: the store %s is refused wherever it was set, and its password is not shown", async (store) => {
    for (const given of [
      { project: `store: "${store}"` },
      { user: `store: "${store}"` },
      { env: { RALPH_STORE: store } },
      { flags: { store } },
      { project: `store: ["${"x".repeat(20)}", "${store}"]` },
    ]) {
      const { code, message, hint, stack } = await refusal(given);
      expect(code).toBe("RALPH_CONFIG_WRONG_TYPE");
      expect(message).toContain("store must be a file path, got ");
      expect(hint).toMatch(/\S/);
      expect(`${message}${hint}${stack}`).not.toContain("hunter2");
    }
    for (const path of [".ralph/x.db", "C:\\ralph\\x.db", "/tmp/a b.db", "./postgres:x"])
      expect((await load({ project: "", user: "", env: { RALPH_STORE: path } })).settings.store).toBe(path);
  });

  test("UX-5: flags and variables are named as they were typed", async () => {
    expect((await refusal({ flags: { "limits.budgetUsd": "lots" } })).message).toMatch(/^--budget-usd: /);
    expect((await refusal({ env: { RALPH_IDLE_TIMEOUT: "x" } })).message).toMatch(/^RALPH_IDLE_TIMEOUT: /);
  });

  test("UX-5: broken YAML is refused with its place", async () => {
    expect((await refusal({ project: "agent: [" })).code).toBe("RALPH_YAML_INVALID");
  });
});

test("UX-5: no key is twice in the table, and every default is of its own type", () => {
  const keys = settingKeys.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const asText = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(asText)
      : typeof value === "object" || typeof value === "string"
        ? value
        : String(value);
  for (const { key, type, defaultValue: otherwise } of settingKeys) {
    expect([key, type.read(asText(otherwise) as string | null)]).toEqual([key, { value: otherwise }]);
  }
});
