import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonValue } from "../../../base/json.ts";
import { count } from "../../../base/text.ts";
import type { ImportedFile, ImportFormat, SourceText } from "../imported-task.ts";
import { type JsonEntry, lineCounter, parseJsonSource, positionIn, wrongField } from "../json-source.ts";
import { elementsOf } from "../json-tree.ts";
import { readIssue, withParents } from "./github-issues/read-issue.ts";

/**
 * GitHub issues as printed by `gh issue list --json number,title,body,labels,state,milestone`, or a single one as printed
 * by `gh issue view`. Closed is done. The file is a copy: ralph writes neither to it nor to GitHub.
 */
export const githubIssues: ImportFormat = {
  name: "github-issues",
  endings: [".json"],
  holds,
  parse,
  mark: ({ text }) => text,
};

function holds({ text }: SourceText): boolean {
  return /^\uFEFF?\s*[[{]/.test(text) && /"number"\s*:/.test(text) && /"title"\s*:/.test(text);
}

function parse({ path, text }: SourceText): ImportedFile {
  const { value, root } = parseJsonSource(path, text);
  const values: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const nodes = Array.isArray(value) ? elementsOf(root) : [root];
  if (values.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path} contains no issues`, {
      hint: "Pass `--state all` to gh: by default it lists only open issues.",
    });
  }
  const lineAt = lineCounter(text);
  const entries = values.map((fields, at): JsonEntry => {
    const node = nodes[at] ?? root;
    const entry = { path, text, node, line: lineAt(node.offset), fields: isObject(fields) ? fields : {} };
    if (isObject(fields) && Object.hasOwn(fields, "number")) return entry;
    const message = `${positionIn(entry, node.offset)}: not an issue: \`number\` is missing`;
    const hint =
      "Write the file with: gh issue list --state all --limit 1000 --json number,title,body,labels,state";
    throw new RalphError("RALPH_IMPORT_INVALID", message, { hint });
  });
  const issues = entries.filter(({ fields }) => !isPullRequest(fields));
  const skipped = entries.length - issues.length;
  if (issues.length === 0) throw wrongField(entries[0] as JsonEntry, null, "an issue, not a pull request");
  const read = issues.map(readIssue);
  const { tasks, warnings } = withParents(path, read);
  const pulls = skipped > 0 ? [`${path}: ${count(skipped, "pull request")} skipped`] : [];
  const copy = `${path} is a copy of the issues: finished tasks are not closed on GitHub`;
  return { tasks, warnings: [...pulls, ...warnings, copy] };
}

/** GitHub's API lists pull requests among the issues. */
function isPullRequest(fields: JsonEntry["fields"]): boolean {
  return isObject(fields["pull_request"]);
}
