import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { cleanBlock } from "./sections/inline-text.ts";

/** The shape of a prompt: texts of a person's own, and slots that sections fill, in their order. */
export interface PromptTemplate {
  readonly blocks: readonly TemplateBlock[];
  /** Slots of the file that this version does not fill, as written (`{{skills}}`). */
  readonly ignoredSlots?: readonly string[];
}

type TemplateBlock = { readonly slot: string } | { readonly text: string };

interface TemplateSlot {
  readonly name: string;
  /** Without its slot it still stands in the prompt, at the end: no work can be done or judged without it. */
  readonly kept: boolean;
  readonly about: string;
}

/** Every slot that a section fills, in the order of the built-in prompt. */
const slots: readonly TemplateSlot[] = (
  [
    ["context", false, "the specification, the task above, finished prerequisites"],
    ["notes", false, "notes from earlier iterations"],
    ["task", true, "the task, and how to work on it"],
    ["acceptance", true, "its acceptance criteria"],
    ["messages", true, "what you said with ralph message"],
    ["attempts", false, "what was tried at this task before, and why it failed"],
    ["stuck", true, "the warning of a task that is stuck"],
    ["learnings", false, "learnings that fit the task"],
    ["status", false, "iteration, attempt and model"],
    ["verification", true, "how the work is judged"],
    ["finish", true, "the sigils that say done, failed and what was learned"],
  ] as const
).map(([name, kept, about]) => ({ name, kept, about }));

/** Slots that earlier versions accepted and left empty: a template that uses one still loads. */
const removedSlots: readonly string[] = ["skills", "hivemind", "structured-context", "journal"];

/** What may stand within a line of a person's text. */
const values: readonly (readonly [name: string, about: string])[] = [
  ["taskId", "the task's id"],
  ["attempt", "the number of the attempt, from 1"],
  ["root", "the working folder"],
];

const maxChars = 100_000;

/** The built-in prompt: every slot and nothing else. */
export const builtInTemplate: PromptTemplate = { blocks: slots.map(({ name }) => ({ slot: name })) };

export function hasSlot({ blocks }: PromptTemplate, name: string): boolean {
  return blocks.some((block) => "slot" in block && block.slot === name);
}

/** The built-in prompt as a file for a person to change. */
export function exportedTemplate(): string {
  const row = (name: string, about: string): string => `  ${`{{${name}}}`.padEnd(24)}${about}`;
  return [
    "<!--",
    "The prompt of every attempt. Write what you like around the slots, move them, or take them out; each is",
    "filled by ralph and stands on a line of its own. A slot without content leaves no trace. These stand at",
    `the end when you take them out: ${slots.flatMap(({ name, kept }) => (kept ? [name] : [])).join(", ")}.`,
    "A comment like this one reaches no agent. Slots:",
    "",
    ...slots.map(({ name, about }) => row(name, about)),
    "",
    "Within a line:",
    "",
    ...values.map(([name, about]) => row(name, about)),
    "",
    "Two braces that are no slot: \\{{",
    "-->",
    "",
    slots.map(({ name }) => `{{${name}}}`).join("\n\n"),
    "",
  ].join("\n");
}

/**
 * Reads a person's template; `file` is for messages. What may never be lost and has no slot comes at the end.
 *
 * @throws RalphError `RALPH_PROMPT_SLOT` with the line: a slot that does not exist, stands twice, is not closed or shares
 * its line; `RALPH_PROMPT_TOO_LONG`.
 */
export function parseTemplate(content: string, file: string): PromptTemplate {
  if (content.length > maxChars) {
    throw new RalphError("RALPH_PROMPT_TOO_LONG", `${file} has more than ${maxChars} characters`, {
      hint: "a prompt that long helps no agent: name files that it can read instead",
    });
  }
  const blocks: TemplateBlock[] = [];
  const ignoredSlots: string[] = [];
  let lines: string[] = [];
  const endText = (): void => {
    // Only what is not stripped counts: secrets and control characters of a template reach no agent either.
    const text = cleanBlock(lines.join("\n"), maxChars);
    if (text !== "") blocks.push({ text });
    lines = [];
  };
  for (const [at, line] of withoutComments(content).split(/\r?\n/).entries()) {
    const place = `${file}:${at + 1}`;
    const slot = slotOn(line);
    if (slot !== undefined && removedSlots.includes(slot)) {
      endText();
      ignoredSlots.push(`{{${slot}}}`);
      continue;
    }
    if (slot === undefined) {
      checkLine(line, place);
      lines.push(line);
      continue;
    }
    if (blocks.some((block) => "slot" in block && block.slot === slot)) {
      throw templateError(place, `{{${slot}}} stands there a second time`, "each slot is filled once");
    }
    endText();
    blocks.push({ slot });
  }
  endText();
  const missing = slots.filter(({ name, kept }) => kept && !hasSlot({ blocks }, name));
  return {
    blocks: [...blocks, ...missing.map(({ name }) => ({ slot: name }))],
    ...(ignoredSlots.length > 0 && { ignoredSlots }),
  };
}

/** A text block with its values filled in. */
export function fillText(text: string, given: Readonly<Record<string, string>>): string {
  return text.replace(braces, (whole, name: string | undefined) => {
    if (name === undefined) return "{{";
    return given[name] ?? whole;
  });
}

const braces = /\\\{\{|\{\{[ \t]*(\w+)[ \t]*\}\}/g;

/** Comments taken out, their line breaks left: messages name the file's own lines. */
function withoutComments(content: string): string {
  return content.replace(/^\uFEFF/, "").replace(/<!--[\s\S]*?-->/g, (all) => all.replace(/[^\n]/g, ""));
}

/** The section whose slot this line is; undefined for any other line. */
function slotOn(line: string): string | undefined {
  const name = /^\s*\{\{[ \t]*([\w-]+)[ \t]*\}\}\s*$/.exec(line)?.[1];
  return slots.some((slot) => slot.name === name) || removedSlots.includes(name ?? "") ? name : undefined;
}

function checkLine(line: string, place: string): void {
  const left = line
    .replaceAll("\\{{", "")
    .replace(/\{\{[ \t]*([^{}]*?)[ \t]*\}\}/g, (whole, name: string) => {
      if (values.some(([known]) => known === name)) return "";
      if (slots.some((slot) => slot.name === name)) {
        throw templateError(
          place,
          `${whole} shares its line`,
          "a section's slot stands on a line of its own",
        );
      }
      const meant = nearest(name, [...slots.map((slot) => slot.name), ...values.map(([known]) => known)]);
      const hint = meant ? `did you mean {{${meant}}}?` : "ralph prompt export --stdout lists the slots";
      throw templateError(
        place,
        `there is no slot ${JSON.stringify(whole)}`,
        `${hint} Plain braces are written \\{{`,
      );
    });
  if (left.includes("{{")) {
    throw templateError(
      place,
      "{{ opens a slot that is not closed",
      "close it with }}, or write \\{{ for braces",
    );
  }
}

function templateError(place: string, what: string, hint: string): RalphError {
  return new RalphError("RALPH_PROMPT_SLOT", `${place}: ${what}`, { hint });
}
