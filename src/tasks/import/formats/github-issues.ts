import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonValue } from "../../../base/json.ts";
import { count } from "../../../base/text.ts";
import type { ImportedFile, ImportFormat, SourceText } from "../imported-task.ts";
import { type JsonEntry, lineCounter, parseJsonSource, positionIn, wrongField } from "../json-source.ts";
import { elementsOf } from "../json-tree.ts";
import { inFamilies, readIssue } from "./github-issues/read-issue.ts";

/**
 * GitHub issues as `gh issue list --json number,title,body,labels,state,milestone` prints them (or `gh issue view`,
 * one of them). Closed is done. The file is a copy: nothing is written to it, nor to GitHub.
 */
export const githubIssues: ImportFormat = {
  name: "github-issues",
  endings: [".json"],
  holds,
  parse,
  tick: ({ text }) => text,
  untick: ({ text }) => text,
};

function holds({ text }: SourceText): boolean {
  return /^\uFEFF?\s*[[{]/.test(text) && /"number"\s*:/.test(text) && /"title"\s*:/.test(text);
}

function parse({ path, text }: SourceText): ImportedFile {
  const { value, root } = parseJsonSource(path, text);
  const values: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const nodes = Array.isArray(value) ? elementsOf(root) : [root];
  if (values.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path} holds no issue`, {
      hint: "gh lists open issues only, unless it is told `--state all`.",
    });
  }
  const lineAt = lineCounter(text);
  const entries = values.map((fields, at): JsonEntry => {
    const node = nodes[at] ?? root;
    const entry = { path, text, node, line: lineAt(node.offset), fields: isObject(fields) ? fields : {} };
    if (isObject(fields) && Object.hasOwn(fields, "number")) return entry;
    const message = `${positionIn(entry, node.offset)}: this is no issue: it has no \`number\``;
    const hint =
      "Write the file with: gh issue list --state all --limit 1000 --json number,title,body,labels,state";
    throw new RalphError("RALPH_IMPORT_INVALID", message, { hint });
  });
  const issues = entries.filter(({ fields }) => !isPullRequest(fields));
  const left = entries.length - issues.length;
  if (issues.length === 0) throw wrongField(entries[0] as JsonEntry, null, "an issue, not a pull request");
  const read = issues.map(readIssue);
  const { tasks, warnings } = inFamilies(path, read);
  const pulls = left > 0 ? [`${path}: ${count(left, "pull request")} left out`] : [];
  const copy = `${path} is a copy of what is on GitHub: finished tasks are not closed there`;
  return { tasks, warnings: [...pulls, ...warnings, copy] };
}

/** GitHub's own API lists them among the issues. */
function isPullRequest(fields: JsonEntry["fields"]): boolean {
  return isObject(fields["pull_request"]);
}
