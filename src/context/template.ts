import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { replaceSafe, type SafeText, safe } from "../base/safe-text.ts";
import { type KindSection, kindSections } from "../memory/port/kind-sections.ts";
import { cleanBlock } from "./inline-text.ts";

/** The layout of a prompt: a person's own texts and the slots that sections fill, in order. */
export interface PromptTemplate {
  readonly blocks: readonly TemplateBlock[];
}

type TemplateBlock = { readonly slot: string } | { readonly text: SafeText };

interface TemplateSlot {
  readonly name: string;
  /** True: without its slot the section is appended at the end, because no work can be done or judged without it. */
  readonly kept: boolean;
  readonly about: string;
}

/** The slots that memory does not fill, in the order of the built-in prompt. */
const ownSlots: readonly TemplateSlot[] = (
  [
    ["task", true, "the task and how to work on it"],
    ["acceptance", true, "its acceptance criteria"],
    ["messages", true, "your messages from ralph message"],
    ["context", false, "the list around the task, and the specification"],
    ["stuck", true, "the warning for a stuck task"],
    ["status", false, "iteration, attempt and model"],
    ["verification", true, "how the work is verified"],
    ["finish", true, "the sigils that report done, failed and lessons"],
  ] as const
).map(([name, kept, about]) => ({ name, kept, about }));

/** Every slot that a section fills, in the order of the built-in prompt. */
const slots: readonly TemplateSlot[] = placeMemory(kindSections);

/** Inserts each memory section after the one that it follows; several after one stay in the order of the kinds. */
function placeMemory(sections: readonly KindSection[]): readonly TemplateSlot[] {
  const placed = ownSlots.flatMap((slot) => [slot, ...following(slot.name)]);
  if (placed.length === ownSlots.length + sections.length) return placed;
  const known = new Set(placed.map(({ name }) => name));
  const lost = sections.find(({ name }) => !known.has(name));
  throw new Error(`the memory section ${lost?.name} follows an unknown section: ${lost?.after}`);

  function following(name: string): readonly TemplateSlot[] {
    return sections
      .filter(({ after }) => after === name)
      .flatMap((section) => [
        { name: section.name, kept: false, about: section.about },
        ...following(section.name),
      ]);
  }
}

/** The values that may be used within a line of a person's text. */
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
    "The prompt of every attempt. Write your own text around the slots; move or remove them. ralph fills each",
    "slot, which must be on its own line. A slot without content is omitted. If you remove one of these, it is",
    `appended at the end: ${slots.flatMap(({ name, kept }) => (kept ? [name] : [])).join(", ")}.`,
    "Comments like this one are not sent to the agent. Slots:",
    "",
    ...slots.map(({ name, about }) => row(name, about)),
    "",
    "Within a line:",
    "",
    ...values.map(([name, about]) => row(name, about)),
    "",
    "Literal braces: \\{{",
    "-->",
    "",
    slots.map(({ name }) => `{{${name}}}`).join("\n\n"),
    "",
  ].join("\n");
}

/**
 * Parses a person's template; `file` is for messages. A required section without a slot is appended at the end.
 *
 * @throws RalphError `RALPH_PROMPT_SLOT` with the line: a slot that is unknown, duplicate, not closed or not alone on its
 * line; `RALPH_PROMPT_TOO_LONG`.
 */
export function parseTemplate(content: string, file: string): PromptTemplate {
  if (content.length > maxChars) {
    throw new RalphError("RALPH_PROMPT_TOO_LONG", `${file} has more than ${maxChars} characters`, {
      hint: "shorten it: name files that the agent can read instead",
    });
  }
  const blocks: TemplateBlock[] = [];
  let lines: string[] = [];
  const endText = (): void => {
    // Clean before the check for empty text: secrets and control characters of a template are not sent either.
    const text = cleanBlock(lines.join("\n"), maxChars);
    if (text !== "") blocks.push({ text });
    lines = [];
  };
  for (const [at, line] of withoutComments(content).split(/\r?\n/).entries()) {
    const place = `${file}:${at + 1}`;
    const slot = slotOn(line);
    if (slot === undefined) {
      checkLine(line, place);
      lines.push(line);
      continue;
    }
    if (blocks.some((block) => "slot" in block && block.slot === slot)) {
      throw templateError(place, `duplicate slot {{${slot}}}`, "use each slot once");
    }
    endText();
    blocks.push({ slot });
  }
  endText();
  const missing = slots.filter(({ name, kept }) => kept && !hasSlot({ blocks }, name));
  return { blocks: [...blocks, ...missing.map(({ name }) => ({ slot: name }))] };
}

/** Fills in the values of a text block. */
export function fillText(text: SafeText, given: Readonly<Record<string, SafeText>>): SafeText {
  return replaceSafe(text, braces, (whole, name) => {
    if (name === undefined) return safe`{{`;
    return given[name] ?? whole;
  });
}

const braces = /\\\{\{|\{\{[ \t]*(\w+)[ \t]*\}\}/g;

/** Removes comments but keeps their line breaks, so that messages name the file's own lines. */
function withoutComments(content: string): string {
  return content.replace(/^\uFEFF/, "").replace(/<!--[\s\S]*?-->/g, (all) => all.replace(/[^\n]/g, ""));
}

/** Returns the section whose slot is this line; undefined for any other line. */
function slotOn(line: string): string | undefined {
  const name = /^\s*\{\{[ \t]*([\w-]+)[ \t]*\}\}\s*$/.exec(line)?.[1];
  return slots.some((slot) => slot.name === name) ? name : undefined;
}

function checkLine(line: string, place: string): void {
  const left = line.replaceAll("\\{{", "").replace(/\{\{([^{}]*)\}\}/g, (whole, written: string) => {
    const name = written.trim();
    if (values.some(([known]) => known === name)) return "";
    if (slots.some((slot) => slot.name === name)) {
      throw templateError(
        place,
        `slot ${whole} is not alone on its line`,
        "put a section's slot on its own line",
      );
    }
    const meant = nearest(name, [...slots.map((slot) => slot.name), ...values.map(([known]) => known)]);
    const hint = meant ? `did you mean {{${meant}}}?` : "run ralph prompt export --stdout to list the slots.";
    throw templateError(
      place,
      `unknown slot ${JSON.stringify(whole)}`,
      `${hint} Write literal braces as \\{{`,
    );
  });
  if (left.includes("{{")) {
    throw templateError(
      place,
      "unclosed slot: {{ has no }}",
      "close it with }}, or write literal braces as \\{{",
    );
  }
}

function templateError(place: string, what: string, hint: string): RalphError {
  return new RalphError("RALPH_PROMPT_SLOT", `${place}: ${what}`, { hint });
}
