import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../base/json.ts";
import type { AgentPayment } from "../port/agent.ts";

/** Returns who pays for sessions of Codex, by the kind of its login; no token is kept. Null: unknown. */
export function codexPayment(env: Readonly<Record<string, string>>): AgentPayment | null {
  try {
    const folder = env["CODEX_HOME"] || join(env["HOME"] ?? "", ".codex");
    const login = parseJson(readFileSync(join(folder, "auth.json"), "utf8"));
    if (!isObject(login)) return null;
    const hasKey = typeof login["OPENAI_API_KEY"] === "string" && login["OPENAI_API_KEY"] !== "";
    const isKey = login["auth_mode"] === "apikey" || (login["auth_mode"] === undefined && hasKey);
    if (isKey) return { by: "API key", warning: null };
    return isObject(login["tokens"]) ? { by: "subscription", warning: null } : null;
  } catch {
    return null;
  }
}
