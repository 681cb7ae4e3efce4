import type { KnownAgentSettings } from "../../base/shared-settings.ts";
import { explainOutput } from "../formats/api-failure.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import { defaultStop, type OpenStream, type StreamReader } from "../port/session-stream.ts";
import { tiersOf } from "../port/tiers.ts";
import { iterationEnv } from "../session/iteration-env.ts";
import { runSession } from "../session/run-session.ts";
import { missingProgram } from "../session/session-error.ts";
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
    env: iterationEnv(request),
  });
  return {
    name: "codex",
    // The efforts of the user's own model: names of models change often.
    tiers: tiersOf(settings.tiers, ["default:low", "default:medium", "default:high"]),
    defaultModel: settings.model ?? "default",
    permission: level,
    permissionHint: "Allow more with agents.codex.permission (`shell`: any command).",
    listsSkills: ".agents/skills",
    command,
    run: async (request) =>
      await runSession(request, {
        agent: "codex",
        command: command(request),
        inheritedEnv: env,
        reader: readerOf(codexStream({ level, request, answers })),
      }),
    missing: (cwd) => missingProgram("codex", program, { cwd, env }),
    models: {
      sessionsRefuse: false,
      ask: async (cwd) => await codexModels([program, "app-server", ...settings.extraArgs], env, cwd),
    },
    payment: () => codexPayment(env),
    probe: async () => await probeCodex(program, env),
  };
}

/** For an agent that only answers, whose thread has no environment: what else a flag can take from it. */
const answerFlags: readonly string[] = [
  ...["apps", "goals", "image_generation", "multi_agent", "plugins", "shell_tool", "tool_suggest"],
  ...["unified_exec", "view_image"],
]
  .map((feature) => `features.${feature}=false`)
  .concat("project_doc_max_bytes=0", 'web_search="disabled"')
  .flatMap((setting) => ["-c", setting]);

function readerOf(open: OpenStream): StreamReader {
  return {
    open,
    explain: (words) => explainOutput(words, codexHints),
    endsWithEvent: true,
    stop: { ...defaultStop, signal: "SIGTERM" },
    hints: codexHints,
    listsSkills: ".agents/skills",
    env: () => ({}),
  };
}

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
