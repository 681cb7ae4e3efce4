import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentPayment } from "../port/agent.ts";

type Environment = Readonly<Record<string, string>>;

/** Another provider's account, which Claude Code prefers to both a key and a login. */
const providers = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"] as const;

/** Returns who pays for headless sessions of Claude Code: a key in the environment is preferred to a login. Null: unknown. */
export function claudePayment(env: Environment): AgentPayment | null {
  if (providers.some((name) => env[name])) return null;
  const hasLogin = isLoggedIn(env);
  if (!env["ANTHROPIC_API_KEY"]) return hasLogin ? { by: "subscription", warning: null } : null;
  const warning = hasLogin
    ? "ANTHROPIC_API_KEY is set: Claude Code bills it, not your login (to use the login: unset ANTHROPIC_API_KEY)"
    : null;
  return { by: "ANTHROPIC_API_KEY", warning };
}

/** Reports whether a login is stored; its token is not read. */
function isLoggedIn(env: Environment): boolean {
  if (env["CLAUDE_CODE_OAUTH_TOKEN"]) return true;
  const [home = "", own] = [env["HOME"], env["CLAUDE_CONFIG_DIR"]];
  if (existsSync(join(own || join(home, ".claude"), ".credentials.json"))) return true;
  try {
    // On macOS the token is in the keychain.
    return readFileSync(join(own || home, ".claude.json"), "utf8").includes('"oauthAccount"');
  } catch {
    return false;
  }
}
