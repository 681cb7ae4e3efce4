import type { KnownAgentSettings } from "../../base/shared-settings.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import type { StreamReader } from "../port/session-stream.ts";
import { iterationEnv } from "./iteration-env.ts";
import { runSession } from "./run-session.ts";
import { missingProgram } from "./session-error.ts";

/** The parts of an adapter that differ from the others. */
interface Adapter
  extends Pick<Agent, "name" | "permission" | "command" | "models" | "probe" | "tiers" | "defaultModel">,
    Partial<Pick<Agent, "permissionHint" | "payment">>,
    Pick<StreamReader, "listsSkills">,
    Pick<AgentSetup, "env"> {
  readonly settings: Pick<KnownAgentSettings, "tiers" | "model">;
  readonly program: string;
  readonly reader: (request: AgentRequest) => StreamReader;
}

/** Returns the agent of an adapter. `command` need not name the variables of the iteration; the settings precede `tiers` and `defaultModel`. */
export function sessionAgent({ settings, env, program, reader, ...adapter }: Adapter): Agent {
  const { name } = adapter;
  const [first, ...rest] = settings.tiers ?? [];
  const command: Agent["command"] = (request) => {
    const own = adapter.command(request);
    return { ...own, env: { ...iterationEnv(request), ...own.env } };
  };
  return {
    permissionHint: `Allow more with agents.${name}.permission (\`shell\`: any command).`,
    ...adapter,
    tiers: first === undefined ? adapter.tiers : [first, ...rest],
    defaultModel: settings.model ?? adapter.defaultModel,
    command,
    run: async (request) =>
      await runSession(request, {
        ...{ agent: name, command: command(request), inheritedEnv: env, reader: reader(request) },
      }),
    missing: (cwd) => missingProgram(name, program, { cwd, env }),
  };
}
