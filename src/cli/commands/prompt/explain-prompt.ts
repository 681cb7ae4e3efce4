import { type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, count } from "../../../base/text.ts";
import { isMemorySection } from "../../../context/budget.ts";
import type { DroppedItem, Prompt, ShownItem } from "../../../context/prompt.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import type { Paint } from "../../../ui/paint.ts";

/** Maximum number of left-out entries listed per section, the best first. */
const maxShownLeftOut = 5;
const indent = "    ";
const below = `${indent}${indent}`;

interface ExplainPage {
  readonly columns: number;
  readonly paint: Paint;
  /** Maximum characters of memory in the prompt. */
  readonly budget: number;
  /** Number of learnings to choose from. */
  readonly learnings: number;
}

/** Returns lines that explain a prompt: its sections, each memory with the parts of its score, and what was left out
 * (PROMPT-4). */
export function explainPrompt(prompt: Prompt, page: ExplainPage): readonly SafeText[] {
  const { sections, dropped } = prompt;
  const memory = sections.filter(({ name }) => isMemorySection(name));
  const spent = memory.reduce((sum, { chars }) => sum + chars, 0);
  const size = safe`${number(prompt.prompt.length)} characters, ${number(spent)} of them memory (of at most ${number(page.budget)})`;
  const rest = sections.filter(({ name }) => !isMemorySection(name));
  return [
    safe``,
    page.paint("bold", fitted(safe`Why this prompt: ${size}`, page)),
    ...memory.flatMap(({ name, chars, items }) => [
      safe``,
      heading(name, safe`${number(chars)} characters, ${count(items.length, "item")}`, page),
      ...items.flatMap((item) => explainItem(item, page)),
    ]),
    safe``,
    heading("not memory", safe``, page),
    ...wrapped(
      rest.map(({ name, chars }) => `${name} ${number(chars)}`),
      page,
    ),
    safe``,
    ...explainDropped(dropped, page, isAbout("learnings", prompt) ? 0 : page.learnings),
  ];
}

function isAbout(name: string, { sections, dropped }: Prompt): boolean {
  return sections.some((section) => section.name === name) || dropped.some(({ section }) => section === name);
}

function explainItem({ id, score, reason, label, parts }: ShownItem, page: ExplainPage): readonly SafeText[] {
  const large = Object.entries(parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.05);
  const sum = large
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(
      ([name, value], at) =>
        `${at === 0 ? "" : value < 0 ? "- " : "+ "}${name} ${Math.abs(value).toFixed(1)}`,
    );
  return [
    fitted(safe`${indent}${plain(id)}  ${plain(reason)}`, page),
    ...(label === undefined ? [] : [page.paint("dim", fitted(safe`${below}“${plain(label)}”`, page))]),
    ...(sum.length === 0
      ? []
      : wrapped([`score ${score.toFixed(1)} =`, ...sum], page, " ").map((line) => storedText(indent + line))),
  ];
}

function explainDropped(
  dropped: readonly DroppedItem[],
  page: ExplainPage,
  unfit: number,
): readonly SafeText[] {
  const none =
    unfit > 0
      ? [heading("left out of learnings", safe`${number(unfit)}: none is relevant enough`, page)]
      : [];
  if (dropped.length === 0) return none.length > 0 ? none : [heading("left out", safe`nothing`, page)];
  const names = [...new Set(dropped.map(({ section }) => section))];
  const lines = names.flatMap((name) => {
    const own = dropped.filter(({ section, more }) => section === name && more === undefined);
    const others = dropped.reduce((sum, one) => sum + (one.section === name ? (one.more ?? 0) : 0), 0);
    const left = own.length - maxShownLeftOut;
    const more = Math.max(0, left) + others;
    return [
      heading(`left out of ${name}`, number(own.length + others), page),
      ...own
        .slice(0, maxShownLeftOut)
        .map(({ id, reason }) => fitted(safe`${indent}${plain(id)}  ${plain(reason)}`, page)),
      ...(more > 0 ? [safe`${indent}and ${number(more)} less relevant`] : []),
    ];
  });
  return [...lines, ...none];
}

function heading(name: string, about: SafeText, { paint }: ExplainPage): SafeText {
  return safe`  ${paint("info", plain(name))}${about === "" ? "" : safe`  ${paint("dim", about)}`}`;
}

function wrapped(words: readonly string[], { columns }: ExplainPage, between = " · "): readonly SafeText[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last}${between}${word}`;
    if (last !== undefined && indent.length * 2 + longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => storedText(indent + line));
}

function fitted(line: SafeText, { columns }: ExplainPage): SafeText {
  return clip(line, columns);
}

function plain(text: string): SafeText {
  return storedLine(text);
}

function number(n: number): SafeText {
  return storedText(n.toLocaleString("en"));
}
