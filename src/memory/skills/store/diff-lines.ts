const contextLines = 3;
/** Above this many pairs of lines, the changed part is shown as replaced. */
const maxPairs = 4_000_000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Returns a unified diff of two texts as lines without file names; null: no file. Equal texts have none. */
export function diffLines(before: string | null, after: string | null): readonly string[] {
  if (before === after) return [];
  const lines = compare(linesOf(before), linesOf(after));
  const shown = new Set(
    lines.flatMap(({ mark }, at) =>
      mark === " " ? [] : Array.from({ length: 2 * contextLines + 1 }, (_, by) => at - contextLines + by),
    ),
  );
  const diff: string[] = [];
  let [old, now] = [1, 1];
  for (const [at, { mark, text }] of lines.entries()) {
    if (shown.has(at)) {
      if (at === 0 || !shown.has(at - 1)) diff.push(hunkHead(lines.slice(at), shown, { at, old, now }));
      diff.push(`${mark}${text}`);
    }
    if (mark !== "+") old += 1;
    if (mark !== "-") now += 1;
  }
  return diff;
}

function linesOf(text: string | null): readonly string[] {
  if (text === null || text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function hunkHead(
  rest: readonly Line[],
  shown: ReadonlySet<number>,
  { at, old, now }: { readonly at: number; readonly old: number; readonly now: number },
): string {
  const end = rest.findIndex((_, by) => !shown.has(at + by));
  const hunk = end === -1 ? rest : rest.slice(0, end);
  const before = hunk.filter(({ mark }) => mark !== "+").length;
  const after = hunk.filter(({ mark }) => mark !== "-").length;
  // As git writes it: an empty side begins at line 0.
  return `@@ -${before === 0 ? old - 1 : old},${before} +${after === 0 ? now - 1 : now},${after} @@`;
}

/** Compares by the longest common subsequence. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const kept = (text: string): Line => ({ mark: " ", text });
  return [
    ...before.slice(0, start).map(kept),
    ...compareMiddle(before.slice(start, before.length - same), after.slice(start, after.length - same)),
    ...before.slice(before.length - same).map(kept),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > maxPairs) return walk(before, after, () => 0);
  const width = after.length + 1;
  // The length of the longest common subsequence of the lines from `i` and from `j` on.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return walk(before, after, at);
}

/** Follows the longest common subsequences: removed lines come before added ones. */
function walk(
  before: readonly string[],
  after: readonly string[],
  common: (i: number, j: number) => number,
): readonly Line[] {
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [old, now] = [before[i], after[j]];
    if (old === undefined && now === undefined) return lines;
    if (old !== undefined && old === now) {
      lines.push({ mark: " ", text: old });
      [i, j] = [i + 1, j + 1];
    } else if (now === undefined || (old !== undefined && common(i + 1, j) >= common(i, j + 1))) {
      lines.push({ mark: "-", text: old ?? "" });
      i += 1;
    } else {
      lines.push({ mark: "+", text: now });
      j += 1;
    }
  }
}
