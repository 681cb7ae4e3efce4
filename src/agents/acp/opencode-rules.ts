import type { JsonObject } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest } from "../port/agent.ts";

type Rules = Readonly<Record<string, "allow" | "deny">>;

const rules = (action: "allow" | "deny", patterns: readonly string[]): Rules =>
  Object.fromEntries(patterns.map((pattern) => [pattern, action]));

/**
 * Returns OpenCode's own rules for a level; null: the user's own hold. Rules, not questions: a refused question ends its turn, and one
 * of a sub-agent is never asked, so that the command waits for ever (1.18.33). Of the rules that match, the last one counts.
 */
export function opencodeRules(
  level: Permission,
  { journal, tmpDir, allowedCommands }: AgentRequest,
): JsonObject | null {
  if (level === "ask") return null;
  if (level === "bypass")
    return { edit: "allow", bash: "allow", webfetch: "allow", external_directory: "allow" };
  const folders = [tmpDir, ...(journal ? [journal.folder] : [])].map((folder) => `${folder}/**`);
  const changes = level === "plan" ? "deny" : "allow";
  return {
    edit: changes,
    bash: level === "edit" ? commandRules(allowedCommands) : changes,
    webfetch: level === "shell" ? "allow" : "deny",
    read: "allow",
    doom_loop: "deny",
    external_directory: { "*": "deny", ...(level === "plan" ? {} : rules("allow", folders)) },
  };
}

const reading = (
  "ls|cat|head|tail|grep|rg|find|wc|sed -n|pwd|echo|nl|cut|sort|diff|stat|" +
  "git status|git diff|git log|git show|git blame|git grep|git ls-files|git rev-parse"
).split("|");

/** Whatever of these writes a file, starts a program or looks outside the project. */
const dangerous = (
  "*>*|*<*|*../*|* ..|* /*|*=/*|* ~*|*$*|*`*|find * -exec*|find * -ok*|find * -delete*|find * -f*|" +
  "sort *-o*|sort *--*|sed *-i*|sed *w *|sed *e *|rg *--pre*|rg *--hostname*|" +
  "git * --ou*|git * --ext*|git * -O*|git * --op*"
).split("|");

/**
 * OpenCode matches each command of a line by itself, with its assignments and redirections. These rules are the judge's in short
 * (`session/judge-command.ts`), as far as patterns can state them.
 */
function commandRules(allowedCommands: readonly string[]): Rules {
  const commands = allowedCommands
    .flatMap(simpleCommands)
    .flatMap((command) => [command, `CI=1 ${command}`, `CI=true ${command}`]);
  const each = (starts: readonly string[], ...ends: readonly string[]): readonly string[] =>
    starts.flatMap((start) => ends.map((end) => `${start} ${end}`));
  const others = ["mkdir *", "true", "uniq", "uniq -c", "git branch"];
  return {
    "*": "deny",
    ...rules("allow", [...others, ...each(reading, "*")]),
    ...rules("deny", dangerous),
    ...rules("allow", each(reading, "* 2>/dev/null")),
    ...rules("deny", ["*>*>*", "*../* 2>/dev/null", "* /* 2>/dev/null", "find * -exec* 2>/dev/null"]),
    ...rules("allow", each(commands, "*")),
    ...rules("deny", each(commands, "*>*")),
    ...rules("allow", each(commands, "2>&1", "* 2>&1")),
    ...rules("deny", each(commands, "*>*>*")),
  };
}

/** Returns the commands of an allowed line. One with quotes is matched as it is written. */
function simpleCommands(line: string): readonly string[] {
  if (!/[&|;\n]/.test(line) || /["'`$()\\<>]/.test(line)) return [line.trim()].filter(Boolean);
  return line
    .split(/&&|\|\||[&|;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !/^cd\s/.test(part));
}
