import { entryNamed, type JsonObject, shownValue } from "../../base/json.ts";
import type { AgentError, AgentErrorKind, AgentTokens } from "../port/agent.ts";
import {
  emptyReading,
  type Reading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
} from "../port/session-stream.ts";
import { apiFailure, commonHints, protocolReader } from "./api-failure.ts";
import { amountOf, array, number, object, readEvent, text } from "./json-events.ts";
import { retryWatch } from "./retry-watch.ts";
import { repeatedCall, sdkLogEnv } from "./sdk-log.ts";
import { startFailure, startWords } from "./start-failure.ts";

const hints: StreamReader["hints"] = {
  ...commonHints,
  auth: "Log in with `/login` in pi, or check the provider's API key.",
};

/** pi with `--mode json`. It exits with 0 after every error of the API. */
export const piFormat: StreamReader = {
  ...protocolReader(piStream, { hints, listsSkills: ".agents/skills" }),
  env: sdkLogEnv,
};

/** Why the last message ended, where that is not the end of the work. */
const byStop: Readonly<Record<string, AgentErrorKind>> = { length: "bad_output", aborted: "killed" };

/** Reads `pi --mode json -p`. `agent_end` ends the session unless a retry follows it. */
export function piStream(host: SessionHost): SessionStream {
  const { onActivity, onFinished, now } = host;
  let reading: Reading = emptyReading;
  let last: JsonObject = {};
  let begun = false;
  const stderr = startWords();
  const watch = retryWatch(host);
  const update = (changes: Partial<Reading>): void => {
    reading = { ...reading, ...changes };
  };
  const failure = (message: string): AgentError => apiFailure(message, { hints, now: now() });
  const on: Readonly<Record<string, (event: JsonObject) => void>> = {
    session: (event) => update({ sessionId: text(event["id"]), compactions: 0 }),
    agent_start() {
      begun = true;
      update({ terminal: null, failure: null });
    },
    tool_execution_start(event) {
      const input = object(event["args"]);
      const action = text(input["command"]) ?? text(input["path"]) ?? text(input["filePath"]);
      const tool = text(event["toolName"]) ?? "a tool";
      onActivity({ kind: "tool", text: action === null ? tool : `${tool} ${action}` });
    },
    message_update: () => watch.progress(),
    message_end(event) {
      const message = object(event["message"]);
      if (message["role"] !== "assistant") return;
      watch.progress();
      last = message;
      update(messageOf(reading, message));
      if (reading.finalMessage !== "") onActivity({ kind: "text", text: reading.finalMessage });
    },
    auto_retry_start(event) {
      const words = text(event["errorMessage"]) ?? "a call failed";
      update({ terminal: null, failure: null, retrying: failure(words) });
      onActivity({
        kind: "retry",
        text: `attempt ${shownValue(event["attempt"])} of ${shownValue(event["maxAttempts"])}: ${words}`,
      });
    },
    auto_retry_end(event) {
      if (event["success"] === true) return update({ retrying: null });
      const words = text(event["finalError"]);
      update({ retrying: null, terminal: "failed", failure: words ? failure(words) : reading.failure });
    },
    compaction_start: () => update({ compactions: (reading.compactions ?? 0) + 1 }),
    auto_compaction_start: () => update({ compactions: (reading.compactions ?? 0) + 1 }),
    agent_end() {
      const stop = text(last["stopReason"]);
      const kind = entryNamed(byStop, stop);
      const words =
        text(last["errorMessage"]) ?? (stop === "length" ? "the answer reached its maximum length" : null);
      if (stop === "error" || kind) {
        const found = apiFailure(words ?? `pi ended with ${stop}`, { kind, hints, now: now() });
        update({ terminal: "failed", failure: found });
      } else {
        update({ terminal: "ok", failure: null, retrying: null });
        onFinished();
      }
    },
  };
  return {
    line: (line) => readEvent(line, on),
    errorLine(line) {
      const call = repeatedCall(line);
      if (call) watch.retry({ ...call, resetAt: null, hint: hints[call.kind] ?? null });
      else stderr.take(line);
    },
    ended({ exitCode }) {
      if (begun || exitCode === 0 || exitCode === null) return;
      const found = startFailure(stderr.lines(), { hints, now: now() });
      if (found) update({ terminal: "failed", failure: found });
    },
    reading: () => ({ ...reading, retrying: reading.retrying ?? watch.current() }),
  };
}

/** Adds a message of the assistant: tokens and cost add up, the text of the last one counts. */
function messageOf(reading: Reading, message: JsonObject): Partial<Reading> {
  const usage = object(message["usage"]);
  const of = (key: string): number => amountOf(usage[key]);
  const call = {
    input: of("input"),
    output: of("output"),
    cacheRead: of("cacheRead"),
    cacheWrite: of("cacheWrite"),
  };
  const words = array(message["content"])
    .map(object)
    .filter((part) => part["type"] === "text")
    .map((part) => text(part["text"]) ?? "");
  const stop = text(message["stopReason"]);
  const context = call.input + call.cacheRead + call.cacheWrite;
  return {
    model: text(message["model"]) ?? reading.model,
    stopReason: stop,
    finalMessage: stop === "error" ? reading.finalMessage : words.join("\n"),
    retrying: stop === "error" ? reading.retrying : null,
    tokens: addTokens(reading.tokens, call),
    contextUsed: context > 0 ? context : reading.contextUsed,
    ...addCost(reading, number(object(usage["cost"])["total"])),
  };
}

/** Adds the tokens of one call of the model. */
function addTokens(sum: AgentTokens | null, call: AgentTokens): AgentTokens {
  return {
    input: (sum?.input ?? 0) + call.input,
    output: (sum?.output ?? 0) + call.output,
    cacheRead: (sum?.cacheRead ?? 0) + call.cacheRead,
    cacheWrite: (sum?.cacheWrite ?? 0) + call.cacheWrite,
  };
}

/** Adds the cost of one call. Agents state 0 for a model without a known price, which does not count as a cost; nor does less. */
function addCost(
  { costUsd }: Pick<Reading, "costUsd">,
  cost: number | null,
): Partial<Pick<Reading, "costUsd" | "costSource">> {
  return cost === null || cost <= 0 ? {} : { costUsd: (costUsd ?? 0) + cost, costSource: "measured" };
}
