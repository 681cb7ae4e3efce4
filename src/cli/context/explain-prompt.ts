import { clip, count, oneLine } from "../../base/text.ts";
import { isMemorySection } from "../../context/budget.ts";
import type { DroppedItem, Prompt, ShownItem } from "../../context/prompt.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { Paint } from "../../ui/paint.ts";

/** Maximum number of left-out entries listed per section, the best first. */
const maxShownLeftOut = 5;
const indent = "    ";
const below = `${indent}${indent}`;

interface ExplainPage {
  /** Maximum line length. */
  readonly columns: number;
  readonly paint: Paint;
  /** Maximum characters of memory in the prompt. */
  readonly budget: number;
  /** Number of learnings to choose from. */
  readonly learnings: number;
}

/** Returns lines that explain a prompt: its sections, each memory with the parts of its score, and what was left out
 * (PROMPT-4). */
export function explainPrompt(prompt: Prompt, page: ExplainPage): readonly string[] {
  const { sections, dropped } = prompt;
  const memory = sections.filter(({ name }) => isMemorySection(name));
  const spent = memory.reduce((sum, { chars }) => sum + chars, 0);
  const size = `${number(prompt.prompt.length)} characters, ${number(spent)} of them memory (of at most ${number(page.budget)})`;
  const rest = sections.filter(({ name }) => !isMemorySection(name));
  return [
    "",
    page.paint("bold", fitted(`Why this prompt: ${size}`, page)),
    ...memory.flatMap(({ name, chars, items }) => [
      "",
      heading(name, `${number(chars)} characters, ${count(items.length, "item")}`, page),
      ...items.flatMap((item) => explainItem(item, page)),
    ]),
    "",
    heading("not memory", "", page),
    ...wrapped(
      rest.map(({ name, chars }) => `${name} ${number(chars)}`),
      page,
    ),
    "",
    ...explainDropped(dropped, page, isAbout("learnings", prompt) ? 0 : page.learnings),
  ];
}

function isAbout(name: string, { sections, dropped }: Prompt): boolean {
  return sections.some((section) => section.name === name) || dropped.some(({ section }) => section === name);
}

function explainItem({ id, score, reason, label, parts }: ShownItem, page: ExplainPage): readonly string[] {
  const large = Object.entries(parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.05);
  const sum = large
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(
      ([name, value], at) =>
        `${at === 0 ? "" : value < 0 ? "- " : "+ "}${name} ${Math.abs(value).toFixed(1)}`,
    );
  return [
    fitted(`${indent}${plain(id)}  ${plain(reason)}`, page),
    ...(label === undefined ? [] : [page.paint("dim", fitted(`${below}“${plain(label)}”`, page))]),
    ...(sum.length === 0
      ? []
      : wrapped([`score ${score.toFixed(1)} =`, ...sum], page, " ").map((line) => indent + line)),
  ];
}

function explainDropped(
  dropped: readonly DroppedItem[],
  page: ExplainPage,
  unfit: number,
): readonly string[] {
  const none =
    unfit > 0 ? [heading("left out of learnings", `${number(unfit)}: none is relevant enough`, page)] : [];
  if (dropped.length === 0) return none.length > 0 ? none : [heading("left out", "nothing", page)];
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
        .map(({ id, reason }) => fitted(`${indent}${plain(id)}  ${plain(reason)}`, page)),
      ...(more > 0 ? [`${indent}and ${number(more)} less relevant`] : []),
    ];
  });
  return [...lines, ...none];
}

function heading(name: string, about: string, { paint }: ExplainPage): string {
  return `  ${paint("info", plain(name))}${about === "" ? "" : `  ${paint("dim", about)}`}`;
}

function wrapped(words: readonly string[], { columns }: ExplainPage, between = " · "): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last}${between}${word}`;
    if (last !== undefined && indent.length * 2 + longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => indent + line);
}

function fitted(line: string, { columns }: ExplainPage): string {
  return clip(line, columns);
}

function plain(text: string): string {
  return oneLine(stripControls(text));
}

function number(n: number): string {
  return n.toLocaleString("en");
}
