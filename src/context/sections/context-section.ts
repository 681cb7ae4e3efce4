import { fence } from "../../trust/fence.ts";
import type { Prerequisite, PromptRequest } from "../prompt.ts";
import { cleanBlock, codeSpan, inlineText } from "./inline-text.ts";

/** A longer specification is cut: the agent can read the file. */
const specChars = 20_000;
const parentChars = 2000;
const maxPrerequisites = 15;
const maxFiles = 8;

/** The specification, the parent task and the finished prerequisites, each only if there is one. */
export function contextSection(request: PromptRequest): string {
  const { spec, parent, prerequisites, seed } = request;
  const parts: string[] = [];
  if (spec?.trim()) parts.push(`### Specification\n\n${fence(cleanBlock(spec, specChars), seed)}`);
  if (parent) {
    const text = cleanBlock(`${parent.title}\n\n${parent.description}`, parentChars);
    const what = `This task is one part of ${codeSpan(parent.id, 80)}. Do not work on its other parts.`;
    parts.push(`### Parent Task\n\n${what}\n\n${fence(text, seed)}`);
  }
  if (prerequisites.length > 0) parts.push(finished(prerequisites));
  return parts.length > 0 ? ["## Context", ...parts].join("\n\n") : "";
}

function finished(prerequisites: readonly Prerequisite[]): string {
  const left = prerequisites.length - maxPrerequisites;
  const lines = prerequisites.slice(-maxPrerequisites).map(lineOf);
  return [
    "### Completed Prerequisites",
    "",
    ...(left > 0 ? [`- ${left} more, finished earlier`] : []),
    ...lines,
  ].join("\n");
}

function lineOf({ id, title, files, commit }: Prerequisite): string {
  const named = files.slice(0, maxFiles).map((file) => inlineText(file, 120));
  const more = files.length > maxFiles ? ` and ${files.length - maxFiles} more` : "";
  const did = files.length > 0 ? `; changed ${named.join(", ")}${more}` : "";
  return `- ${codeSpan(id, 80)} ${inlineText(title, 200)}${did}${commit ? ` (commit ${commit.slice(0, 10)})` : ""}`;
}
