import { RalphError } from "../../base/errors.ts";
import { beads } from "./formats/beads.ts";
import { githubIssues } from "./formats/github-issues.ts";
import { markdown } from "./formats/markdown.ts";
import { prd } from "./formats/prd.ts";
import { taskMaster } from "./formats/task-master.ts";
import { tasksYaml } from "./formats/tasks-yaml.ts";
import type { ImportFormat, SourceText } from "./source/imported-task.ts";
import { parseJsonSource } from "./source/json-source.ts";

/** All import formats. Of formats that share an extension, the more specific test comes first. */
const sourceFormats: readonly ImportFormat[] = [tasksYaml, markdown, prd, taskMaster, githubIssues, beads];

/** Returns the format with this name. Throws RALPH_IMPORT_FORMAT if there is none. */
export function formatNamed(name: string): ImportFormat {
  const format = sourceFormats.find((known) => known.name === name);
  if (format) return format;
  throw refusal(`unknown format ${name}`, `Use one of: ${names()}.`);
}

/**
 * Detects the format by the file's extension, or by its content if several formats or none have that extension. Throws
 * RALPH_IMPORT_FORMAT, or RALPH_JSON_INVALID for a .json file that is not JSON.
 */
export function formatOf(source: SourceText): ImportFormat {
  const file = source.path.toLowerCase();
  const byName = sourceFormats.filter(({ endings }) => endings.some((ending) => file.endsWith(ending)));
  const [only] = byName;
  if (only && byName.length === 1) return only;
  const found = (byName.length > 0 ? byName : sourceFormats).find(({ holds }) => holds?.(source));
  if (found) return found;
  // Broken JSON has no recognizable content: its fault is the reason.
  if (file.endsWith(".json")) parseJsonSource(source.path, source.text);
  const what = `unknown format of ${source.path}: not detected by its ${byName.length > 0 ? "content" : "name"}`;
  const expected =
    byName.length > 0
      ? "Provide a .json file with `userStories`, with Task Master's `tasks`, or with the output of `gh issue list --json number,title,body,labels,state`."
      : `Pass --format with one of: ${names()}.`;
  throw refusal(what, expected);
}

function names(): string {
  return sourceFormats.map(({ name }) => name).join(", ");
}

function refusal(what: string, hint: string): RalphError {
  return new RalphError("RALPH_IMPORT_FORMAT", `cannot import: ${what}`, { hint });
}
