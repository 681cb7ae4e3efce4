import type { JsonValue } from "../../base/json.ts";
import type { AgentSettings } from "../../base/shared-settings.ts";
import { toEventHook } from "../event-hook.ts";
import type { SettingKey } from "../groups/setting-key.ts";
import { settingKeys } from "../keys.ts";
import type { Settings } from "../settings.ts";
import { toSandbox } from "./sandbox-type.ts";
import { toMs } from "./value-type.ts";
import { toVerifyCommand } from "./verify-type.ts";

type Values = Readonly<Record<string, JsonValue>>;

/** Builds the typed settings from checked values by dotted key. */
export function buildSettings(values: Values): Settings {
  // The table's types were checked when the values were read.
  const get = <T>(key: SettingKey["key"]): T => values[key] as T;
  const verify = get<readonly JsonValue[] | null>("verify");
  return {
    agent: get("agent"),
    agents: agentSettings(values),
    model: get("model"),
    verify: verify?.map(toVerifyCommand) ?? null,
    strategy: get("strategy"),
    completion: get("completion"),
    onFailure: get("onFailure"),
    limits: {
      maxIterations: get("limits.maxIterations"),
      maxAttempts: get("limits.maxAttempts"),
      stuckAfter: get("limits.stuckAfter"),
      budgetUsd: get("limits.budgetUsd"),
      maxDurationMs: toMs(get("limits.maxDuration")),
      taskTimeoutMs: toMs(get("limits.taskTimeout")) ?? 0,
      idleTimeoutMs: toMs(get("limits.idleTimeout")) ?? 0,
    },
    verifyGuard: get("verifyGuard"),
    protect: get("protect"),
    verifySetup: (get<readonly JsonValue[] | null>("verifySetup") ?? []).map(toVerifyCommand),
    sync: get("sync"),
    verifyBaseline: get("verifyBaseline"),
    commit: { template: get("commit.template"), enabled: get("commit.enabled") },
    sandbox: toSandbox(get("sandbox")),
    memory: {
      enabled: get("memory.enabled"),
      budgetChars: get("memory.budgetChars"),
      maxLearnings: get("memory.maxLearnings"),
      holdout: get("memory.holdout"),
      summarizeAbove: get("memory.summarizeAbove"),
      prune: {
        reportsMs: toMs(get("memory.prune.reports")) ?? 0,
        metricsMs: toMs(get("memory.prune.metrics")) ?? 0,
        learningsMs: toMs(get("memory.prune.learnings")) ?? 0,
        unusedMs: toMs(get("memory.prune.unused")) ?? 0,
      },
      sections: sections(values),
    },
    events: {
      dir: get("events.dir"),
      hooks: get<readonly JsonValue[]>("events.hooks").map(toEventHook),
    },
    learnings: {
      dir: get("learnings.dir"),
      extract: get("learnings.extract"),
      extractModel: get("learnings.extractModel"),
      extractBudgetUsd: get("learnings.extractBudgetUsd"),
    },
    skills: {
      enabled: get("skills.enabled"),
      dirs: get("skills.dirs"),
      layout: get("skills.layout"),
      fileRules: get("skills.fileRules"),
      aggregateEvery: get("skills.aggregateEvery"),
      autoAccept: get("skills.autoAccept"),
      writer: get("skills.writer"),
      writerBudgetUsd: get("skills.writerBudgetUsd"),
    },
    journal: { dir: get("journal.dir"), change: get("journal.change") },
    hivemind: { store: get("hivemind.store") },
    mcp: { enabled: get("mcp.enabled") },
    store: get("store"),
  };
}

function agentSettings(values: Values): AgentSettings {
  const agents: Record<string, Record<string, JsonValue>> = {};
  for (const { key } of settingKeys) {
    const [group, name = "", field = ""] = key.split(".");
    if (group === "agents") agents[name] = { ...agents[name], [field]: values[key] ?? null };
  }
  return agents as unknown as AgentSettings;
}

function sections(values: Values): Readonly<Record<string, number>> {
  const prefix = "memory.sections.";
  const entries = Object.entries(values).filter(
    ([key, value]) => key.startsWith(prefix) && typeof value === "number",
  );
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value as number]));
}
