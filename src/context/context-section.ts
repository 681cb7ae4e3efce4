import { fence } from "../trust/fence.ts";
import { cleanBlock, codeSpan, inline } from "./inline.ts";
import type { Prerequisite, PromptRequest } from "./prompt.ts";

/** A specification beyond this is cut: the agent can read the file. */
const specChars = 20_000;
const parentChars = 2000;
const shownPrerequisites = 15;
const shownFiles = 8;

/** The specification, the task above and the finished tasks below, as far as there are any. */
export function contextSection(request: PromptRequest): string {
  const { spec, parent, prerequisites, seed } = request;
  const parts: string[] = [];
  if (spec?.trim()) parts.push(`### Specification\n\n${fence(cleanBlock(spec, specChars), seed)}`);
  if (parent) {
    const text = cleanBlock(`${parent.title}\n\n${parent.description}`, parentChars);
    const what = `This task is one part of ${codeSpan(parent.id, 80)}. Its other parts are not yours.`;
    parts.push(`### Parent Task\n\n${what}\n\n${fence(text, seed)}`);
  }
  if (prerequisites.length > 0) parts.push(finished(prerequisites));
  return parts.length > 0 ? ["## Context", ...parts].join("\n\n") : "";
}

function finished(prerequisites: readonly Prerequisite[]): string {
  const left = prerequisites.length - shownPrerequisites;
  const lines = prerequisites.slice(-shownPrerequisites).map(lineOf);
  return [
    "### Completed Prerequisites",
    "",
    ...(left > 0 ? [`- ${left} more, finished earlier`] : []),
    ...lines,
  ].join("\n");
}

function lineOf({ id, title, files, commit }: Prerequisite): string {
  const named = files.slice(0, shownFiles).map((file) => inline(file, 120));
  const more = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : "";
  const did = files.length > 0 ? `; changed ${named.join(", ")}${more}` : "";
  return `- ${codeSpan(id, 80)} ${inline(title, 200)}${did}${commit ? ` (commit ${commit.slice(0, 10)})` : ""}`;
}
