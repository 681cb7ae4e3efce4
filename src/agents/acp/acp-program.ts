import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest, AgentSetup } from "../port/agent.ts";
import type { StreamReader } from "../port/session-stream.ts";

type Env = Readonly<Record<string, string>>;

/** The facts about a program that speaks the Agent Client Protocol, besides the protocol. */
export interface AcpProgram extends Pick<StreamReader, "hints" | "listsSkills"> {
  /** The agent's name in the configuration. */
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** Arguments and variables of one session. */
  readonly args: (request: AgentRequest) => readonly string[];
  readonly env: (request: AgentRequest, level: Permission, setup: AgentSetup) => Env;
  readonly tiers: readonly [string, ...string[]];
  /** Its settings or variables already keep it from changing anything at `plan`: it needs no mode for that. */
  readonly obeysPlan: boolean;
  /** The usage of a prompt's answer is that of the last request alone. */
  readonly usageOfLastCall: boolean;
  /** Returns the reason from a line that reports another try of the model's API, such as `status 429`; null: no such line. */
  readonly retryIn: (line: string) => string | null;
  /** A file where it reports retries that its stderr does not show before its end. */
  readonly retryLog: (request: AgentRequest) => string | null;
  /** Returns true if a login or a key is there, without reading it; false: unknown, as there are other places. */
  readonly hasLogin: (env: Env) => boolean;
  /** How to install it. */
  readonly install: string;
}
