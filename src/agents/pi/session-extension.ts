import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest, AgentSetup } from "../port/agent.ts";
import { parseTier } from "../port/tiers.ts";
import { toolServer } from "../session/tool-server.ts";
import { gateCode, needsGate } from "./permission-gate.ts";

/**
 * Returns the extension of one session: its permissions, ralph's tools (pi has MCP since 0.99) and the effort that older versions do not
 * know. Null: the session needs none.
 */
export function sessionExtension(level: Permission, request: AgentRequest, setup: AgentSetup): string | null {
  const server = toolServer(request, setup);
  // `direct`: in the first request, and not behind a search.
  const config = server && { ...server, exposure: "direct" };
  const parts = [
    needsGate(level) && !setup.readOnly ? gateCode : "",
    config ? `  if (hasMcp) pi.registerMcpServer("ralph", ${JSON.stringify(config)});\n` : "",
    parseTier(request.model).effort === "max"
      ? `  if (hasMcp) pi.on("session_start", () => pi.setThinkingLevel("max"));\n`
      : "",
  ];
  if (parts.every((part) => part === "")) return null;
  const head = "// Written by ralph for one session.\nexport default function (pi) {\n";
  return `${head}  const hasMcp = typeof pi.registerMcpServer === "function";\n${parts.join("")}}\n`;
}
