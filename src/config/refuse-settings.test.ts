import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { makePipe } from "../../test/temp-repository.ts";
import { tempSettings } from "../../test/temp-settings.ts";
import { settingKeys } from "./keys.ts";
import { WrongValue } from "./value-type.ts";

let places = {} as ReturnType<typeof tempSettings>;
let { load, refusal } = places;
beforeEach(() => {
  places = tempSettings();
  ({ load, refusal } = places);
});

describe("UX-5: refusals", () => {
  test("UX-5 TRUST-12: a pipe, and a file of gigabytes, in place of a configuration are refused, not read", async () => {
    const { home, root } = places;
    const user = join(home, ".config/ralph/config.yaml");
    makePipe(user);
    const refused = await refusal({});
    expect(refused).toMatchObject({
      code: "RALPH_CONFIG_UNREADABLE",
      hint: expect.stringContaining("move it away"),
    });
    expect(refused.message).toBe(`cannot read ${user}: it is not a file`);
    rmSync(user);
    const project = join(root, ".ralph/config.yaml");
    writeFileSync(project, "");
    truncateSync(project, 3 * 1024 ** 3);
    expect((await refusal({})).message).toBe(`cannot read ${project}: it is too large`);
  });

  test.each([
    ["limts: {}", "config.yaml:1:1:", "limits"],
    ["agent: claude\nlimits:\n  maxAttemts: 3", "config.yaml:3:", "maxAttempts"],
    ["agents: { claud: { model: x } }", "config.yaml:1:", "claude"],
    ["agents: { claude: { modle: x } }", "config.yaml:1:", "model"],
    ["memory: { sections: { atempts: 1 } }", "config.yaml:1:", "attempts"],
    ["maxAttempts: 3", "config.yaml:1:1:", "limits.maxAttempts"],
    ["sandbox: { levl: strict }", 'config.yaml:1:12: unknown setting "levl" in sandbox', "level"],
    [
      "verify:\n  - npm test\n  - { run: x, timeot: 3 }",
      ':3:15: unknown setting "timeot" in verify[1]',
      "timeout",
    ],
  ])(
    "UX-5: an unknown key in %j is refused with its line and a suggestion",
    async (project, where, meant) => {
      const error = await refusal({ project });
      expect(error.code).toBe("RALPH_CONFIG_UNKNOWN_KEY");
      expect(error.message).toContain(where);
      expect(error.hint).toBe(`did you mean ${meant}?`);
    },
  );

  test("UX-5: where no name is near, those of the section are listed", async () => {
    const { hint } = await refusal({ project: "agents: { command: { shell: x } }" });
    expect(hint).toMatch(/^its settings are \w+, .*\bargv\b/);
    const inSandbox = await refusal({ project: "sandbox: { xyzzy: 1 }" });
    expect(inSandbox.hint).toMatch(/^its settings are level, network, read, /);
    expect((await refusal({ project: "xyzzy: 1" })).hint).toBe(
      "run `ralph config show` to list every setting",
    );
  });

  test.each([
    ["run.finish", "did you mean run.finished?"],
    ["task_done", "did you mean task.done?"],
    ["xyzzy.*", expect.stringContaining("run.finished")],
    ["hook.failed", expect.stringContaining("ralph events")],
  ])("UX-5 CTX-4: a hook for %s, which no event has as its type, is refused", async (type, hint) => {
    const error = await refusal({
      project: `events:\n  hooks:\n    - on: [task.*, "*", ${type}]\n      run: [touch, x]`,
    });
    expect(error.code).toBe("RALPH_CONFIG_WRONG_TYPE");
    expect(error.message).toContain(
      `config.yaml:3:25: events.hooks[0].on[2] must be the type of an event, or a pattern that some type matches, got "${type}"`,
    );
    expect(error.hint).toEqual(hint);
  });

  test.each([
    [
      "limits: { maxAttempts: many }",
      ":1:11:",
      'limits.maxAttempts must be a non-negative integer, got "many"',
    ],
    ["limits: { maxAttempts: -1 }", ":1:", "a non-negative integer"],
    ["limits: { taskTimeout: soon }", ":1:", "a duration such as"],
    ["limits: { taskTimeout: null }", ":1:", "got null"],
    [
      'commit: { template: "" }',
      ":1:",
      'commit.template must be a string that is not empty, or null, got ""',
    ],
    [
      'events: { hooks: [{ on: ["*", ""], run: x }] }',
      ":1:",
      "on[1] must be a string that is not empty, got",
    ],
    ["limits: 3", ":1:", "limits must be a mapping"],
    ["- a", ":1:", "the configuration must be a mapping"],
    ["strategy: adaptve", ":1:", "one of fixed, cost-optimized"],
    ["agent: []", ":1:", "agent must be an agent's name"],
    ["commit: { enabled: maybe }", ":1:", "true or false, got"],
    ['verify: [npm test, "  "]', ":1:", "verify[1] must be a command line"],
    ["agents: { claude: { extraArgs: --x } }", ":1:", "agents.claude.extraArgs must be a list of strings"],
    ["memory: { holdout: 2 }", ":1:", "a number from 0 to 1"],
    ["sandbox: stict", ":1:", "sandbox must be one of auto, off, required, strict"],
    ["sandbox: { level: strict, network: maybe }", ":1:", "sandbox.network must be one of on, agent, off"],
    [
      "sandbox: { level: strict, prefix: [docker] }",
      ":1:",
      "sandbox.prefix must be absent with `level: strict`",
    ],
    ["sandbox: { network: off }", ":1:", "sandbox.network must be absent without `level: strict`"],
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

  test.each(["0", "0s", "0.0m", "0h 0m"])(
    "UX-5: a time limit of %s is refused, with a way out",
    async (typed) => {
      const error = await refusal({ flags: { "limits.taskTimeout": typed } });
      expect(error.message).toContain(`must be a duration such as 90s, 30m or 1h30m, got "${typed}"`);
      expect(error.hint).toBe("use a time longer than 0");
    },
  );

  test("UX-5: every setting that is a duration refuses a bare number", () => {
    const durations = settingKeys.filter(({ type }) => type.expected.includes("a duration"));
    expect(durations.length).toBeGreaterThan(6);
    for (const { type } of durations) expect(() => type.read("30")).toThrow(WrongValue);
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
