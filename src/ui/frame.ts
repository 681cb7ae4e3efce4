import { formatDuration } from "../base/duration.ts";
import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { cells, clipCells, count, wrapLine } from "../base/text.ts";
import { actionOn } from "../view/actions.ts";
import { failures, finished, headline, recordText, spentText } from "../view/format.ts";
import type { Action, AttemptLine, OpenSlot, ViewModel } from "../view/model.ts";
import { type Paint, painter } from "./paint.ts";

/** The window, and the state that keys left. */
export interface ViewInput {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  readonly selected: number;
  /** The selected item is open. */
  readonly isOpen: boolean;
  readonly showsKeys: boolean;
  /** Only items with these words. */
  readonly find: SafeText;
  /** Shown in place of the keys: the text that is typed, or a command's answer. */
  readonly footer: SafeText | null;
}

/** Something that can be selected. */
export interface ViewItem {
  readonly line: SafeText;
  /** The end of the line, which stays where the line is too long for the window. */
  readonly tail: SafeText;
  /** The lines below it. */
  readonly more: readonly SafeText[];
  readonly detail: readonly SafeText[];
  readonly action: Action | null;
}

interface Group {
  readonly title: SafeText;
  readonly items: readonly ViewItem[];
}

const keyHelp: readonly SafeText[] = [
  safe`j k ↑ ↓   move between items`,
  safe`enter     open or close the selected item`,
  safe`a         do what the selected item names (→)`,
  safe`f         forget the selected memory (ralph memory remove)`,
  safe`/         find: show only items with these words`,
  safe`p         pause or resume the run (ralph pause, ralph resume)`,
  safe`m         message to the next iteration (ralph message)`,
  safe`S         stop the run (ralph stop)`,
  safe`?         these keys`,
  safe`q         leave; the run continues`,
];
const keyLine = safe`j k move  ⏎ open  / find  p pause  m message  S stop  ? keys  q leave`;

/** Returns the items that can be selected, in order. */
export function itemsOf(model: ViewModel, find: SafeText): readonly ViewItem[] {
  return groupsOf(model, find).flatMap(({ items }) => items);
}

/** Draws the model as `rows` lines of at most `columns` cells: a fixed head and foot, and the items around the selected one. */
export function drawFrame(model: ViewModel, input: ViewInput): readonly SafeText[] {
  const { columns, rows } = input;
  const paint = painter(input.colour);
  const head = paint("bold", clipCells(joinSafe(headline(model), "  "), columns));
  const foot = paint("dim", clipCells(safe` ${input.footer ?? keyLine}`, columns));
  const room = Math.max(0, rows - 2);
  const { lines, at } = input.showsKeys ? { lines: keyHelp, at: 0 } : bodyOf(model, input, paint);
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), lines.length - room));
  const shown = lines.slice(from, from + room).map((line) => clipCells(line, columns));
  const empty = Array.from({ length: room - shown.length }, () => safe``);
  return [head, ...shown, ...empty, foot].slice(0, rows);
}

function bodyOf(
  model: ViewModel,
  input: ViewInput,
  paint: Paint,
): { readonly lines: readonly SafeText[]; readonly at: number } {
  const lines: SafeText[] = [];
  let at = 0;
  let number = 0;
  for (const { title, items } of groupsOf(model, input.find)) {
    lines.push(paint("info", safe`── ${title} ──`));
    for (const item of items) {
      const isSelected = number === input.selected;
      if (isSelected) at = lines.length;
      for (const line of itemLines(item, isSelected, input, paint)) lines.push(line);
      number += 1;
    }
    if (items.length === 0) lines.push(paint("dim", safe`  ${model.doing || "no attempt is running"}`));
  }
  const notices = model.notices.map((notice) => paint("warn", clipCells(safe`! ${notice}`, input.columns)));
  return { lines: [...lines, ...notices], at };
}

function itemLines(
  { line, tail, more, detail }: ViewItem,
  isSelected: boolean,
  { columns, isOpen }: ViewInput,
  paint: Paint,
): readonly SafeText[] {
  const start = clipCells(safe`${isSelected ? "▸" : " "} ${line}`, Math.max(0, columns - cells(tail)));
  const first = clipCells(safe`${start}${tail}`, columns);
  return [
    isSelected ? paint("bold", first) : first,
    ...more.map((one) => paint("dim", clipCells(safe`    ${one}`, columns))),
    ...(isSelected && isOpen ? detail.flatMap((one) => wrapLine(safe`    ${one}`, columns)) : []),
  ];
}

function groupsOf(model: ViewModel, find: SafeText): readonly Group[] {
  const failed = failures(model);
  const groups: readonly Group[] = [
    { title: safe`waits for you`, items: model.waits.map(waitItem) },
    { title: safe`now`, items: model.slots.flatMap(slotItems) },
    { title: safe`last failures`, items: failed.slice(0, 20).map(failureItem) },
    { title: safe`done`, items: finished(model).slice(0, 20).map(doneItem) },
  ];
  const words = find.toLowerCase();
  const fits = ({ line, tail, detail }: ViewItem): boolean =>
    [line, tail, ...detail].join(" ").toLowerCase().includes(words);
  return groups
    .map(({ title, items }) => ({ title, items: words === "" ? items : items.filter(fits) }))
    .filter(({ title, items }) => items.length > 0 || title === "now");
}

function waitItem({ id, title, why, command, action }: ViewModel["waits"][number]): ViewItem {
  const tail = safe`  → ${command}${action ? "  [a]" : ""}`;
  return { line: safe`${id} ${title}`, tail, more: [why], detail: [why], action };
}

function slotItems(slot: OpenSlot): readonly ViewItem[] {
  const of = slot.maxAttempts > 0 ? safe`/${slot.maxAttempts}` : safe``;
  const spent = formatDuration(slot.elapsedMs);
  const line = safe`${slot.taskId} ${slot.title}`;
  const tail = safe`  attempt ${slot.attempt}${of}  ${slot.model}  ${spent}`;
  const failures = safe`its prompt shows ${count(slot.failuresShown, "failed attempt")} of this task`;
  const more = [
    ...(slot.step === null ? [] : [safe`· ${slot.step}`]),
    ...(slot.failuresShown > 0 ? [failures] : []),
    safe`why: ${slot.why}`,
  ];
  const memories = slot.memories.slice(0, 5).map((memory): ViewItem => {
    const action = actionOn("forget", memory.id);
    const detail = [memory.text, safe`→ ${action.command}`];
    const record = safe`  ${recordText(memory)}  [f]orget`;
    return { line: safe`  memory ${memory.id} “${memory.text}”`, tail: record, more: [], detail, action };
  });
  return [{ line, tail, more, detail: [slot.why], action: null }, ...memories];
}

/** The error first: it says the most in a narrow window. */
function failureItem(one: AttemptLine): ViewItem {
  const why = joinSafe([one.headline, one.reason].filter(Boolean), " · ");
  const memories = one.memories.map(
    (memory) => safe`memory ${memory.id} “${memory.text}” ${recordText(memory)}`,
  );
  const next = safe`→ ralph prompt show ${one.taskId} ${one.attempt}; ralph diff ${one.taskId}`;
  return {
    ...{ line: safe`✗ ${one.taskId} #${one.attempt} ${one.title}`, tail: safe`  ${spentText(one)}` },
    ...{ more: [why], action: null },
    detail: [one.reason, ...one.error.split("\n").slice(0, 40), ...memories, next],
  };
}

function doneItem(one: AttemptLine): ViewItem {
  const tail = safe`  ${spentText(one)}  ${one.commit ?? ""}`;
  const detail = [one.title, one.outcome, safe`→ ralph diff ${one.taskId}`];
  return { line: safe`✓ ${one.taskId} ${one.title}`, tail, more: [], detail, action: null };
}
