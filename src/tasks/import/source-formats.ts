import { RalphError } from "../../base/errors.ts";
import { beads } from "./formats/beads.ts";
import { githubIssues } from "./formats/github-issues.ts";
import { markdown } from "./formats/markdown.ts";
import { prd } from "./formats/prd.ts";
import { tasksYaml } from "./formats/tasks-yaml.ts";
import type { ImportFormat, SourceText } from "./imported-task.ts";

/** Every format that tasks can be imported from; where two share an ending, the more exact test goes first. */
const sourceFormats: readonly ImportFormat[] = [tasksYaml, markdown, prd, githubIssues, beads];

/** RALPH_IMPORT_FORMAT when there is none of this name. */
export function formatNamed(name: string): ImportFormat {
  const format = sourceFormats.find((known) => known.name === name);
  if (format) return format;
  throw refusal(`there is no format ${name}`, `Give one of: ${names()}.`);
}

/**
 * The format that the file's name tells, and its content where several have that ending or none has. Errors:
 * RALPH_IMPORT_FORMAT.
 */
export function formatOf(source: SourceText): ImportFormat {
  const file = source.path.toLowerCase();
  const byName = sourceFormats.filter(({ endings }) => endings.some((ending) => file.endsWith(ending)));
  const [only] = byName;
  if (only && byName.length === 1) return only;
  const found = (byName.length > 0 ? byName : sourceFormats).find(({ holds }) => holds?.(source));
  if (found) return found;
  const what = `the format of ${source.path} is not known by its ${byName.length > 0 ? "content" : "name"}`;
  const expected =
    byName.length > 0
      ? "A .json file holds `userStories`, or issues as `gh issue list --json number,title,body,labels,state` prints them."
      : `Name it with --format: ${names()}.`;
  throw refusal(what, expected);
}

function names(): string {
  return sourceFormats.map(({ name }) => name).join(", ");
}

function refusal(what: string, hint: string): RalphError {
  return new RalphError("RALPH_IMPORT_FORMAT", `cannot import: ${what}`, { hint });
}
