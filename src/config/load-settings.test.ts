import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempSettings } from "../../test/temp-settings.ts";
import { sha256 } from "../base/hash.ts";
import { settingKeys } from "./keys.ts";
import type { Settings } from "./settings.ts";

let { root, home, load, refusal } = {} as ReturnType<typeof tempSettings>;
beforeEach(() => {
  ({ root, home, load, refusal } = tempSettings());
});

const day = 86_400_000;
const known = { model: null, tiers: null, permission: null, extraArgs: [], program: null };
const defaults: Settings = {
  agent: ["claude"],
  agents: {
    ...{ claude: known, codex: known, gemini: known, opencode: known, pi: known },
    acp: { model: null, tiers: null, permission: null, argv: null },
    command: { model: null, tiers: null, argv: null, format: "text" },
  },
  model: null,
  review: { agent: null, model: null },
  verify: null,
  allow: [],
  strategy: "adaptive",
  taskValueUsd: null,
  prices: {},
  completion: "signal",
  onFailure: "keep",
  verifyGuard: "report",
  scope: null,
  workers: { count: 1, remote: null },
  protect: [],
  verifySetup: [],
  sync: "auto",
  verifyBaseline: "auto",
  sandbox: { level: "auto", network: "on", read: [], write: [], verification: true, prefix: null },
  store: ".ralph/progress.db",
  commit: { template: null, enabled: true },
  limits: {
    ...{ maxIterations: 0, maxAttempts: 6, stuckAfter: 3, escalateAfter: 2, budgetUsd: null },
    ...{ maxDurationMs: null, taskTimeoutMs: 1_800_000, idleTimeoutMs: 600_000 },
  },
  memory: {
    ...{
      enabled: true,
      budgetChars: 5000,
      maxLearnings: 5,
      holdout: null,
      summarizeAbove: 200,
      sections: {},
    },
    select: "words",
    prune: { reportsMs: 7 * day, metricsMs: 30 * day, learningsMs: 90 * day, unusedMs: 30 * day },
  },
  journal: { dir: null, change: null },
  mcp: { enabled: true },
  events: { dir: null, hooks: [] },
  learnings: { dir: ".ralph/learnings", extract: "off", extractModel: null, extractBudgetUsd: 0.5 },
  skills: {
    enabled: true,
    dirs: [".agents/skills", ".claude/skills"],
    layout: "skills",
    fileRules: {
      "**/*Views*{,/**}": ["swiftui", "liquid-glass"],
      "**/*Service*{,/**}": ["async", "foundation-models"],
    },
    ...{ aggregateEvery: 5, autoAccept: false, writer: "template" },
  },
  hivemind: { store: "auto" },
};

describe("UX-5: layers", () => {
  test("UX-5: without any file the defaults of the specification hold", async () => {
    const { settings, origins, projectFile } = await load({});
    expect(settings).toEqual(defaults);
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
    expect(settings.sandbox.level).toBe("off");
    expect(settings.limits.stuckAfter).toBe(3);
    expect(origins).toMatchObject({
      "limits.maxAttempts": "flag --max-attempts",
      strategy: "RALPH_STRATEGY",
      onFailure: join(root, ".ralph", "config.yaml"),
      sandbox: join(home, ".config", "ralph", "config.yaml"),
      completion: "default",
    });
  });

  test("FLEET-2 UX-5: the number of workers is short for their settings, and replaces no other of them", async () => {
    const workers = async (from: Parameters<typeof load>[0]) => (await load(from)).settings.workers;
    expect(await workers({ project: "workers: 3\n" })).toEqual({ count: 3, remote: null });
    const project = "workers: { count: 2, remote: origin }\n";
    const flags = { "workers.count": "8" };
    expect(await workers({ project, flags })).toEqual({ count: 8, remote: "origin" });
    expect(await workers({ project, env: { RALPH_WORKERS: "4" } })).toEqual({ count: 4, remote: "origin" });
    expect((await refusal({ project: "workers: { remote: --upload-pack=x }\n" })).message).toContain(
      "git remote",
    );
    expect((await refusal({ flags: { "workers.count": "many" } })).message).toContain("--workers");
  });

  test("UX-5: --config replaces the project's file, --no-config all files", async () => {
    const other = join(root, "other.yaml");
    writeFileSync(other, "strategy: escalate\n");
    const project = "strategy: fixed\n";
    expect((await load({ project, file: other })).settings.strategy).toBe("escalate");
    expect((await load({ project, user: "strategy: fixed", file: null })).settings.strategy).toBe("adaptive");
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
strategy: adaptive
completion: signal
onFailure: keep
limits: { maxIterations: 0, maxAttempts: 6, stuckAfter: 3, escalateAfter: 2, budgetUsd: null, maxDuration: null, taskTimeout: 30m, idleTimeout: 10m }
verifyGuard: report
sync: auto
commit: { template: null, enabled: true }
taskValueUsd: null
sandbox: auto
memory: { budgetChars: 5000, sections: {}, maxLearnings: 5, holdout: null, enabled: true, summarizeAbove: 200,
          prune: { reports: 7d, metrics: 30d, learnings: 90d, unused: 30d } }
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
    });
    expect(warnings).toEqual([]);
    expect(settings.agents.command.argv).toEqual(["node", "agent.mjs"]);
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
    const project = `agents: { command: { argv: [agent, ""] }, claude: { extraArgs: ["--tools", ""] } }
events: { hooks: [{ on: run.finished, run: [tell, "", end] }] }`;
    const { agents, events } = (await load({ project })).settings;
    expect(agents).toMatchObject({
      command: { argv: ["agent", ""] },
      claude: { extraArgs: ["--tools", ""] },
    });
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
    expect([key, type.read(asText(otherwise) as string | null)]).toEqual([key, otherwise]);
  }
});
