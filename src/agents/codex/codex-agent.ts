import type { KnownAgentSettings } from "../../base/shared-settings.ts";
import { protocolReader } from "../formats/api-failure.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import { sessionAgent } from "../session/session-agent.ts";
import { toolServer } from "../session/tool-server.ts";
import { codexHints } from "./codex-failure.ts";
import { codexStream } from "./codex-stream.ts";
import { codexModels } from "./offered-models.ts";
import { codexPayment } from "./payment.ts";
import { probeCodex } from "./probe-codex.ts";

/** Creates the adapter for Codex, through `codex app-server`: `codex exec` hides the model, refusals and the class of an error. */
export function codexAgent(settings: KnownAgentSettings, setup: AgentSetup): Agent {
  const { env } = setup;
  const level = setup.readOnly ? "plan" : (settings.permission ?? setup.defaultPermission);
  const answers = setup.readOnly && setup.mayRead !== true;
  const program = settings.program ?? "codex";
  const command: Agent["command"] = (request) => ({
    argv: [
      program,
      "app-server",
      "-c",
      "check_for_update_on_startup=false",
      ...serverFlags(request, setup),
      ...(answers ? answerFlags : []),
      ...settings.extraArgs,
    ],
    env: {},
  });
  return sessionAgent({
    ...{ name: "codex", settings, program, env, permission: level, command, listsSkills },
    // The efforts of the user's own model: names of models change often.
    ...{ tiers: ["default:low", "default:medium", "default:high"], defaultModel: "default" },
    reader: (request) =>
      protocolReader(codexStream({ level, request, answers }), { hints: codexHints, listsSkills }),
    models: {
      sessionsRefuse: false,
      ask: async (cwd) => await codexModels([program, "app-server", ...settings.extraArgs], env, cwd),
    },
    payment: () => codexPayment(env),
    probe: async () => await probeCodex(program, env),
  });
}

const listsSkills = ".agents/skills";

/** For an agent that only answers, whose thread has no environment: what else a flag can take from it. */
const answerFlags: readonly string[] = [
  ...["apps", "goals", "image_generation", "multi_agent", "plugins", "shell_tool", "tool_suggest"],
  ...["unified_exec", "view_image"],
]
  .map((feature) => `features.${feature}=false`)
  .concat("project_doc_max_bytes=0", 'web_search="disabled"')
  .flatMap((setting) => ["-c", setting]);

/**
 * Adds ralph's own server beside the user's. Codex starts servers with an empty environment, so variables are named;
 * without `required` it does not wait for them, and the first search finds no tools.
 */
function serverFlags(request: AgentRequest, setup: AgentSetup): readonly string[] {
  const server = toolServer(request, setup);
  if (!server) return [];
  const fields = {
    command: server.command,
    args: server.args,
    env_vars: Object.keys(server.env),
    required: true,
    startup_timeout_sec: 60,
    default_tools_approval_mode: "approve",
  };
  // Strings, numbers, booleans and lists are written in TOML as in JSON.
  const table = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return ["-c", `mcp_servers.ralph={${table.join(",")}}`];
}
