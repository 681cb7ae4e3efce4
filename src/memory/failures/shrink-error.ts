import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { findBlocks, isLoudLine } from "../../outcome/error-line.ts";

const maxLine = 300;
const gap = safe`…`;
const firstContext = 4;

/**
 * At most `room` characters of an error output, whose first error is the last thing to go: then come the other
 * errors, what explains them, and the last lines; where no error is known, lines that sound like one and the rest. `…`
 * stands for what is left out, except between errors that are only named; `perLine` is what printing adds to each line. "" when there is room for nothing.
 */
export function shrinkError(text: SafeText, room: number, perLine = 0): SafeText {
  const lines = text.split("\n");
  const size = lines.reduce((sum, line) => sum + line.length + perLine + 1, -1);
  if (size <= room) return text;
  const chosen = new Map<number, SafeText>();
  let left = room;
  for (const index of byWeight(lines)) {
    const line = clip(lines[index]?.trimEnd() ?? safe``, maxLine);
    // With room for a gap mark beside each line it is never too little, however the lines are scattered.
    const around = 2 * (perLine + 1) + gap.length;
    if (chosen.has(index)) continue;
    if (line.length + around <= left) {
      chosen.set(index, line);
      left -= line.length + around;
    } else if (chosen.size === 0) {
      return left - around < 20 ? safe`` : clip(line, left - around);
    }
  }
  return withGaps(lines, chosen);
}

/** Line numbers, the most telling first. */
function byWeight(lines: readonly string[]): readonly number[] {
  const all = lines.flatMap((line, index) => (line.trim() ? [index] : []));
  const last = all.slice(-3);
  const blocks = findBlocks(lines);
  const [first] = blocks;
  if (!first) return [...all.filter((index) => isLoudLine(lines[index] ?? "")), ...last, ...all];
  return [
    first.headline,
    ...first.heading,
    ...first.context.slice(0, firstContext),
    ...blocks.flatMap(({ heading, headline }) => [headline, ...heading]),
    ...blocks.flatMap(({ context }) => context),
    ...last,
  ];
}

function withGaps(lines: readonly string[], chosen: ReadonlyMap<number, SafeText>): SafeText {
  const headlines = new Set(findBlocks(lines).map(({ headline }) => headline));
  const out: SafeText[] = [];
  let before = -1;
  for (const [index, line] of [...chosen].toSorted(([a], [b]) => a - b)) {
    // A bracket says nothing without the lines beside it.
    if (!/\w/.test(line) && !chosen.has(index - 1) && !chosen.has(index + 1)) continue;
    const hasText = lines.slice(before + 1, index).some((left) => left.trim() !== "");
    if (hasText && !(headlines.has(before) && headlines.has(index))) out.push(gap);
    out.push(line);
    before = index;
  }
  if (before < lines.length - 1) out.push(gap);
  return joinSafe(out, "\n");
}
