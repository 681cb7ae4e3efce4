import type { JsonObject } from "../../base/json.ts";

/** Follows a session of Claude Code to its end, which is not its first `result`. */
interface ClaudeTurn {
  /** Takes a `system` event. */
  system(event: JsonObject): void;
  /** Takes a `result` event. */
  result(): void;
  /** Takes a message of the main agent: it works again after a `result`. */
  message(): void;
  isOver(): boolean;
  /** True between a `result` and the next turn: Claude Code waits for background work and prints nothing. */
  isWaiting(): boolean;
}

/**
 * A session may print several `result` events: after each but the last, Claude Code waits for background commands,
 * sub-agents and wake-ups, then calls the model again. The session is over when its state is `idle` after a result.
 * If it reports no states (`CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS` is off), a result ends it unless background tasks
 * are running.
 */
export function claudeTurn(): ClaudeTurn {
  let state: unknown = null;
  let tasks = 0;
  let hasResult = false;
  let over = false;
  return {
    system(event) {
      if (event["subtype"] === "session_state_changed") {
        state = event["state"];
        over = state === "idle" && hasResult;
      } else if (event["subtype"] === "background_tasks_changed") {
        tasks = Array.isArray(event["tasks"]) ? event["tasks"].length : 0;
      } else if (event["subtype"] === "init") {
        hasResult = false;
        over = false;
      }
    },
    result() {
      hasResult = true;
      over = state === null ? tasks === 0 : state === "idle";
    },
    message() {
      hasResult = false;
    },
    isOver: () => over,
    isWaiting: () => hasResult && !over,
  };
}

/** Makes Claude Code report its state, which distinguishes the end of a session from a pause. A value set by the user wins. */
export function stateEventsEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const name = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";
  return { [name]: env[name] ?? "1" };
}
