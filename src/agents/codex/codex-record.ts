import { isObject, type JsonObject, type JsonValue, shownValue } from "../../base/json.ts";
import { amountOf } from "../formats/json-events.ts";
import { keptCommand, keptName, keptPaths } from "../formats/kept-fields.ts";
import type { AgentError, AgentTokens } from "../port/agent.ts";
import { emptyReading, type Reading, type SessionHost } from "../port/session-stream.ts";
import { codexFailure, reopensAt, turnFailure } from "./codex-failure.ts";
import { changedPaths, innerCommand } from "./codex-policy.ts";

const maxDenials = 20;
/** Approval requests name items that just began. */
const maxItems = 100;

/** The reading of one thread, from its notifications. */
interface CodexRecord {
  notify(method: string, params: JsonObject): void;
  /** Returns an item that began; empty: unknown. */
  item(id: JsonValue | undefined): JsonObject;
  deny(action: string): void;
  change(changes: Partial<Reading>): void;
  fail(error: AgentError): void;
  reading(): Reading;
}

export function codexRecord(
  { onActivity, now }: Pick<SessionHost, "onActivity" | "now">,
  onTurnEnd: () => void,
): CodexRecord {
  let reading: Reading = { ...emptyReading, compactions: 0 };
  let resetsAt: number | null = null;
  let failed: AgentError | null = null;
  const denials = new Set<string>();
  const items = new Map<string, JsonObject>();
  const change = (changes: Partial<Reading>): void => {
    reading = { ...reading, ...changes };
  };
  const on: Readonly<Record<string, (params: JsonObject) => void>> = {
    "item/started"({ item }) {
      if (!isObject(item)) return;
      items.set(keptName(shownValue(item["id"])) ?? "", keptItem(item));
      for (const oldest of [...items.keys()].slice(0, Math.max(0, items.size - maxItems)))
        items.delete(oldest);
      const text = activityOf(item);
      if (text !== "") onActivity({ kind: "tool", text });
    },
    "item/completed"({ item }) {
      if (!isObject(item)) return;
      change({ retrying: null });
      if (item["type"] === "contextCompaction") change({ compactions: (reading.compactions ?? 0) + 1 });
      if (item["type"] !== "agentMessage" || typeof item["text"] !== "string") return;
      change({ finalMessage: item["text"] });
      onActivity({ kind: "text", text: item["text"] });
    },
    "thread/tokenUsage/updated": ({ tokenUsage }) => change(usageOf(tokenUsage)),
    "account/rateLimits/updated"({ rateLimits }) {
      resetsAt = reopensAt(rateLimits) ?? resetsAt;
    },
    error({ error, willRetry }) {
      if (!isObject(error)) return;
      failed = turnFailure(error, now(), resetsAt);
      if (willRetry !== true) return;
      change({ retrying: failed });
      onActivity({ kind: "retry", text: failed.message });
    },
    "turn/completed"({ turn }) {
      const { status, error } = isObject(turn) ? turn : {};
      const stopReason = shownValue(status);
      change({ stopReason, retrying: null });
      if (status === "completed") change({ terminal: "ok", failure: null });
      else {
        const interrupted = codexFailure("killed", "the turn was interrupted", now());
        const stated = isObject(error) ? turnFailure(error, now(), resetsAt) : null;
        change({
          terminal: "failed",
          failure: stated ?? (status === "interrupted" ? interrupted : null) ?? failed,
        });
      }
      onTurnEnd();
    },
  };
  return {
    notify(method, params) {
      if (Object.hasOwn(on, method)) on[method]?.(params);
    },
    item: (id) => items.get(keptName(shownValue(id)) ?? "") ?? {},
    deny: (action) => void (denials.size < maxDenials && denials.add(keptCommand(action) ?? "")),
    change,
    fail: (error) => change({ terminal: "failed", failure: error }),
    reading: () => ({ ...reading, permissionDenials: [...denials] }),
  };
}

/** Returns the fields of an item that decide about permission; it may have any others, of any size. */
function keptItem({ command, changes }: JsonObject): JsonObject {
  return { command: keptCommand(command), changes: keptPaths(changes) };
}

function activityOf(item: JsonObject): string {
  switch (item["type"]) {
    case "commandExecution":
      return innerCommand(shownValue(item["command"]));
    case "fileChange":
      return `Edit ${changedPaths(item).join(", ")}`;
    case "mcpToolCall":
      return `${shownValue(item["server"])}.${shownValue(item["tool"])}`;
    case "webSearch":
      return `search ${shownValue(item["query"])}`;
    default:
      return "";
  }
}

/** `total` counts the whole thread, which is one session here; `last` is the last request. Input includes cached tokens. */
function usageOf(usage: JsonValue | undefined): Partial<Reading> {
  if (!isObject(usage)) return {};
  const { total, last, modelContextWindow: size } = usage;
  const used = isObject(last) ? last["totalTokens"] : undefined;
  const tokens = isObject(total) ? tokensOf(total) : null;
  return {
    ...(tokens && { tokens }),
    ...(typeof used === "number" && used > 0 && { contextUsed: used }),
    ...(typeof size === "number" && { contextSize: size }),
  };
}

function tokensOf(total: JsonObject): AgentTokens | null {
  const { inputTokens: input, outputTokens: output } = total;
  if (typeof input !== "number" || typeof output !== "number") return null;
  const cacheRead = amountOf(total["cachedInputTokens"]);
  const cacheWrite = amountOf(total["cacheWriteInputTokens"]);
  return { input: Math.max(0, input - cacheRead - cacheWrite), output, cacheRead, cacheWrite };
}
