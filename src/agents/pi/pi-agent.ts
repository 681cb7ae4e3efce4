import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KnownAgentSettings, Permission } from "../../base/shared-settings.ts";
import { piFormat } from "../formats/pi-stream.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import { parseTier } from "../port/tiers.ts";
import { sessionAgent } from "../session/session-agent.ts";
import { piModels, probePi } from "./listed-models.ts";
import { readingTools } from "./permission-gate.ts";
import { piConversation } from "./pi-conversation.ts";
import { sessionExtension } from "./session-extension.ts";

/** Creates the adapter for pi, through `pi --mode rpc`, which takes messages while it works. */
export function piAgent(settings: KnownAgentSettings, setup: AgentSetup): Agent {
  const { env, readOnly, mayRead = false } = setup;
  const level = readOnly ? "plan" : (settings.permission ?? setup.defaultPermission);
  const program = settings.program ?? "pi";
  const command: Agent["command"] = (request) => {
    const extension = join(request.tmpDir, "ralph-session.js");
    const code = sessionExtension(level, request, setup);
    return {
      argv: [
        program,
        "--mode",
        "rpc",
        ...modelFlags(request),
        ...(readOnly && !mayRead ? ["--no-tools", "--no-context-files", "--no-skills"] : toolFlags(level)),
        ...(readOnly ? ["--no-extensions"] : []),
        ...(code === null ? [] : ["--extension", extension]),
        ...skillFlags(request, readOnly),
        ...settings.extraArgs,
      ],
      env: piFormat.env(env),
      files: code === null ? {} : { [extension]: code },
    };
  };
  return sessionAgent({
    ...{ name: "pi", settings, program, env, permission: level, command, listsSkills: piFormat.listsSkills },
    ...{ tiers: ["default"], defaultModel: "default" },
    reader: (request) => ({ ...piFormat, open: piConversation({ level, request }) }),
    models: { sessionsRefuse: false, ask: async () => await piModels(program, env) },
    probe: async () => await probePi(program, env),
  });
}

/** Since 0.79 pi loads a project's own skills only where a person trusted the project by hand. */
function skillFlags({ cwd }: AgentRequest, readOnly: boolean): readonly string[] {
  const folder = join(cwd, ".agents/skills");
  return readOnly || !existsSync(folder) ? [] : ["--skill", folder];
}

/** pi's names of the efforts that it calls otherwise; `max` is set by the extension where pi has it. */
const thinking: Readonly<Record<string, string>> = { none: "off", max: "xhigh" };

/** `default`: the model of the user's own configuration. */
function modelFlags({ model: tier }: AgentRequest): readonly string[] {
  const { model, effort } = parseTier(tier);
  return [
    ...(model === "default" ? [] : ["--model", model]),
    ...(effort === null ? [] : ["--thinking", thinking[effort] ?? effort]),
  ];
}

function toolFlags(level: Permission): readonly string[] {
  return level === "plan" ? ["--tools", readingTools.join(",")] : [];
}
