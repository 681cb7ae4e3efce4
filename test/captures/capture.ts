import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentErrorKind } from "../../src/agents/port/agent.ts";
import type { StreamFormat } from "../../src/base/shared-settings.ts";

/** A recorded session of an agent: `<name>.meta.json`, `<name>.jsonl` (stdout) and `<name>.stderr`. */
export interface Capture {
  readonly name: string;
  readonly format: StreamFormat;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly meta: CaptureMeta;
}

interface CaptureMeta {
  /** The exit code; negative: minus the number of the signal. */
  readonly rc: number;
  /** The signal that was sent to it; `TIMEOUT`: it was killed because it did not end. */
  readonly signal: "INT" | "TERM" | "KILL" | "TIMEOUT" | null;
  /** The requests that the model server got. */
  readonly requests: readonly string[];
  /** The files that it left, by name. */
  readonly files: Readonly<Record<string, string>>;
}

const formats: Readonly<Record<string, StreamFormat>> = {
  claude: "claude-stream-json",
  pi: "pi-json",
};

/** Reads the captures in `folder`, by name; those without stdout or of an unknown agent are left out. */
export function readCaptures(folder: string): readonly Capture[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".meta.json"))
    .map((file) => file.replace(/\.meta\.json$/, ""))
    .sort()
    .flatMap((name) => {
      const agent = name.split("-").find((word) => Object.hasOwn(formats, word)) ?? "";
      const format = formats[agent];
      const [stdout, stderr] = ["jsonl", "stderr"].map((end) => join(folder, `${name}.${end}`));
      if (!format || !stdout || !stderr || !existsSync(stdout)) return [];
      const meta = JSON.parse(readFileSync(join(folder, `${name}.meta.json`), "utf8")) as CaptureMeta;
      const words = existsSync(stderr) ? readFileSync(stderr) : Buffer.alloc(0);
      return [{ name, format, stdout: readFileSync(stdout), stderr: words, meta }];
    });
}

/** The meaning of the scenario in a name for a session that met it. */
const scenarios: readonly (readonly [RegExp, AgentErrorKind])[] = [
  [/401|noauth|missing-key/, "auth"],
  [/credit/, "credit"],
  [/context-full/, "context_full"],
  [/no-model/, "not_found"],
  [/429|usage-limit/, "rate_limit"],
  [/500/, "overloaded"],
  [/disconnect/, "network"],
  [/maxturns/, "max_turns"],
  [/budget/, "budget"],
  [/maxtokens/, "bad_output"],
  [/root-|IS_SANDBOX/, "permission"],
  [/maxsteps|loop/, "timeout"],
  [/latest-proxy/, "network"],
];

/** Returns the kind of error that a capture's name and facts imply; null: success. */
export function impliedKind({ name, meta }: Pick<Capture, "name" | "meta">): AgentErrorKind | null {
  const { rc, signal, requests, files } = meta;
  if (signal !== null && signal !== "TIMEOUT") {
    // A launcher may keep a signal from the agent, which then works to its end.
    return rc === 0 && files["ended.txt"] !== undefined ? null : "killed";
  }
  const isSent = requests.length > 0;
  const isCut = /stdin-\d+m/.test(name) && (rc !== 0 || !isSent);
  const scenario = isCut ? "prompt_too_long" : scenarios.find(([words]) => words.test(name))?.[1];
  return scenario ?? kindOfEnd(meta, isSent);
}

function kindOfEnd({ rc, signal }: CaptureMeta, isSent: boolean): AgentErrorKind | null {
  // Without internet, a model's API cannot be reached.
  if (signal === "TIMEOUT") return isSent ? "timeout" : "network";
  if (rc === 0) return null;
  // It ended before it called the model: its arguments or settings were refused.
  return isSent ? "crash" : "unusable";
}
