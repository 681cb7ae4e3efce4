import type { ProcessInput } from "../../process/run-process.ts";
import type { AgentError, AgentRequest } from "../port/agent.ts";
import type { SessionHost } from "../port/session-stream.ts";
import { skillsIn } from "./loaded-skills.ts";
import type { RawLog } from "./raw-log.ts";
import { toDisplay } from "./session-result.ts";

const maxLoadedSkills = 20;

const deaf: AgentError = {
  kind: "bad_output",
  message: "the agent does not read its input: more than 16 MB wait for it",
  resetAt: null,
  hint: null,
};

/** The session's side of a conversation: what its stream may do, and what came of it. */
export interface OpenHost extends SessionHost {
  /** Aborted by the terminal event. */
  readonly finished: AbortSignal;
  /** Aborted when the stream ended the session with an error. */
  readonly hopeless: AbortSignal;
  /** Opens the agent's input for `write`. */
  connect(input: ProcessInput): void;
  isConnected(): boolean;
  /** Ends timers and refuses further input: the agent ended. */
  close(): void;
  outcome(): { readonly failure: AgentError | null; readonly loadedSkills: readonly string[] };
}

export function openHost(request: Pick<AgentRequest, "onActivity">, log: RawLog): OpenHost {
  const finished = new AbortController();
  const hopeless = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const skills = new Set<string>();
  let failure: AgentError | null = null;
  let input: ProcessInput | null = null;
  const fail = (error: AgentError): void => {
    failure ??= error;
    hopeless.abort();
  };
  return {
    finished: finished.signal,
    hopeless: hopeless.signal,
    onActivity(activity) {
      for (const name of skillsIn(activity)) if (skills.size < maxLoadedSkills) skills.add(name);
      request.onActivity(toDisplay(activity));
    },
    onFinished() {
      finished.abort();
      input?.end();
    },
    fail,
    write(text) {
      if (!input) return;
      // An agent that asks on and on without reading the answers would fill the memory.
      if (input.write(text)) log.line(`stdin: ${text.replace(/\n$/, "")}`);
      else fail(deaf);
    },
    endInput: () => input?.end(),
    after(ms, callback) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        callback();
      }, ms);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer);
      };
    },
    now: () => new Date(),
    connect(opened) {
      input = opened;
    },
    isConnected: () => input !== null,
    close() {
      input = null;
      for (const timer of timers) clearTimeout(timer);
    },
    outcome: () => ({ failure, loadedSkills: [...skills] }),
  };
}
