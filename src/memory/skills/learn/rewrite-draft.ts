import { messageOf } from "../../../base/errors.ts";
import { joinSafe, replaceSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { fence } from "../../../trust/fence.ts";
import { safeText } from "../../../trust/safe-text.ts";
import type { Synthesize } from "../../port/memory-kind.ts";
import type { AggregatedPattern } from "./aggregate-evidence.ts";
import { type SkillDraft, type SkillText, templateText } from "./draft-skill.ts";
import prompt from "./rewrite.md";
import { failedLine, plain, type SkillLine } from "./skill-lines.ts";

/** A model, and how long and for whom it works. */
export interface Rewriting {
  /** Null: the template's words stand. */
  readonly synthesize: Synthesize | null;
  readonly signal: AbortSignal;
  /** Reports why a draft keeps the template's words. */
  readonly onTrouble: (why: string) => void;
}

/** Returns a draft in a model's words; undefined: the template's words stand. */
export type Rewrite = (draft: SkillDraft) => Promise<SkillText | undefined>;

const maxAnswerChars = 20_000;

/** Rewrites drafts with a model: of its answer stays what names the patterns it states (SKILL-2). Never throws. */
export function rewriteWith({ synthesize, signal, onTrouble }: Rewriting): Rewrite | null {
  if (synthesize === null) return null;
  return async (draft) => {
    try {
      const answer = await synthesize(promptOf(draft), signal);
      if (answer === null) return undefined;
      const text = readAnswer(answer, draft);
      if (!text) onTrouble("no sentence of the model's answer names a pattern");
      return text;
    } catch (error) {
      onTrouble(messageOf(error));
      return undefined;
    }
  };
}

function promptOf({ topic, patterns, antiPatterns }: SkillDraft): SafeText {
  const line = ({ id }: AggregatedPattern, text: SafeText): SafeText => safe`- ${safeText(id)}: ${text}`;
  const notes = joinSafe(
    [
      safe`## Learned Patterns`,
      ...patterns.map((pattern) => line(pattern, plain(pattern.text))),
      safe`## Anti-Patterns`,
      ...antiPatterns.map((pattern) =>
        line(pattern, failedLine(pattern.text, pattern.lesson, pattern.error)),
      ),
    ],
    "\n",
  );
  const values: Readonly<Record<string, SafeText>> = {
    topic: plain(topic.category, 60),
    notes: fence(notes, `${topic.slug} ${topic.evidenceHash}`),
  };
  return replaceSafe(prompt, /\{\{(\w+)\}\}/g, (slot, name = slot) => values[name] ?? slot);
}

/** Reads the sentences of an answer; patterns that none of them names keep the template's line. */
function readAnswer(answer: string, draft: SkillDraft): SkillText | undefined {
  const template = templateText(draft);
  const [head = "", ...rest] = answer.slice(0, maxAnswerChars).split(/^## Anti-Patterns[ \t]*$/m);
  const patterns = sentencesIn(head, draft.patterns);
  const antiPatterns = sentencesIn(rest.join("\n"), draft.antiPatterns);
  if (patterns.length === 0) return undefined;
  return {
    patterns: [...patterns, ...unnamed(template.patterns, patterns)],
    antiPatterns: [...antiPatterns, ...unnamed(template.antiPatterns, antiPatterns)],
  };
}

/** Returns the sentences that end with ids of these patterns. A pattern counts where it is named first. */
function sentencesIn(text: string, known: readonly AggregatedPattern[]): readonly SkillLine[] {
  const byId = new Map(known.map((pattern) => [pattern.id, pattern]));
  const lines: SkillLine[] = [];
  for (const line of text.split("\n")) {
    const item = line.replace(/^\s*[-*]\s+/, "");
    for (const [, before = "", ids = ""] of item.matchAll(/([^[\]]+)\[((?:p-[0-9a-f]{8}[,\s]*)+)\]/g)) {
      // The text before the last sentence names no pattern.
      const sentence =
        before
          .trim()
          .split(/(?<=[.!?])\s+(?=[A-Z])/)
          .at(-1) ?? "";
      const found = [...new Set(ids.split(/[,\s]+/))].flatMap((id) => byId.get(id) ?? []);
      for (const { id } of found) byId.delete(id);
      if (found.length > 0 && sentence !== "") lines.push({ text: plain(sentence), patterns: found });
    }
  }
  return lines;
}

function unnamed(template: readonly SkillLine[], lines: readonly SkillLine[]): readonly SkillLine[] {
  const named = new Set(lines.flatMap(({ patterns }) => patterns.map(({ id }) => id)));
  return template.filter(({ patterns }) => patterns.every(({ id }) => !named.has(id)));
}
