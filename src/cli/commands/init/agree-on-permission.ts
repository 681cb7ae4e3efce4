import { defaultPermission, defaultSandbox } from "../../../agents/sandbox.ts";
import type { Settings } from "../../../config/settings.ts";
import { safeText } from "../../../trust/safe-text.ts";
import type { Session } from "../../shell/command.ts";

export interface AgreedPermission {
  readonly level: "edit" | "shell";
  /** False: the configuration must name it. */
  readonly isDefault: boolean;
}

/**
 * Returns what agents may do in a new project: any command where a sandbox binds. Without one a person may choose that on a
 * terminal; nobody else does (AGENT-4).
 */
export async function agreeOnPermission(
  session: Session,
  { sandbox }: Settings,
  { agent, yes }: { readonly agent: string; readonly yes: boolean },
): Promise<AgreedPermission> {
  const level = await defaultPermission(sandbox);
  if (level === "shell" || agent === "command" || yes || !session.canAsk) return { level, isDefault: true };
  const why =
    sandbox.level === "off"
      ? "the sandbox is off"
      : `there is no sandbox: ${(await defaultSandbox()).summary}`;
  const question = `May the agent run any command (${why})? Otherwise: edit, read, and verify. [y/N]`;
  const answer = await session.ask(safeText(question));
  return /^(?:y|yes)$/i.test(answer) ? { level: "shell", isDefault: false } : { level, isDefault: true };
}

export function describePermission(
  permission: AgreedPermission | undefined,
  agent: string | undefined,
): readonly string[] {
  if (!permission || agent === undefined || agent === "command") return [];
  if (permission.level === "shell") return ["  may     edit files and run any command (permission shell)"];
  return [
    "  may     edit files, read, and run the verification; other commands are refused (permission edit)",
    process.platform === "linux"
      ? `          hint: get a sandbox (install bubblewrap, allow user namespaces), or set agents.${agent}.permission: shell, or list commands in \`allow\``
      : `          hint: only Linux has a sandbox; set agents.${agent}.permission: shell in a container, or list commands in \`allow\``,
  ];
}
