import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { fence } from "../../trust/fence.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { Prerequisite, PromptRequest } from "../prompt.ts";
import { cleanBlock, codeSpan, inlineText } from "./inline-text.ts";

/** A longer specification is cut: the agent can read the file. */
const specChars = 20_000;
const parentChars = 2000;
const maxPrerequisites = 15;
const maxFiles = 8;

/** The specification, the parent task and the finished prerequisites, each only if there is one. */
export function contextSection(request: PromptRequest): SafeText {
  const { spec, parent, prerequisites, seed } = request;
  const parts: SafeText[] = [];
  if (spec?.trim()) parts.push(safe`### Specification\n\n${fence(cleanBlock(spec, specChars), seed)}`);
  if (parent) {
    const text = cleanBlock(`${parent.title}\n\n${parent.description}`, parentChars);
    const what = safe`This task is one part of ${codeSpan(parent.id, 80)}. Do not work on its other parts.`;
    parts.push(safe`### Parent Task\n\n${what}\n\n${fence(text, seed)}`);
  }
  if (prerequisites.length > 0) parts.push(finished(prerequisites));
  return parts.length > 0 ? joinSafe([safe`## Context`, ...parts], "\n\n") : safe``;
}

function finished(prerequisites: readonly Prerequisite[]): SafeText {
  const left = prerequisites.length - maxPrerequisites;
  const lines = prerequisites.slice(-maxPrerequisites).map(lineOf);
  const earlier = left > 0 ? [safe`- ${left} more, finished earlier`] : [];
  return joinSafe([safe`### Completed Prerequisites`, "", ...earlier, ...lines], "\n");
}

function lineOf({ id, title, files, commit }: Prerequisite): SafeText {
  const named = files.slice(0, maxFiles).map((file) => inlineText(file, 120));
  const more = files.length > maxFiles ? safe` and ${files.length - maxFiles} more` : "";
  const did = files.length > 0 ? safe`; changed ${joinSafe(named, ", ")}${more}` : "";
  return safe`- ${codeSpan(id, 80)} ${inlineText(title, 200)}${did}${commit ? safe` (commit ${storedText(commit.slice(0, 10))})` : ""}`;
}
