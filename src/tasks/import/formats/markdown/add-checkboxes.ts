import type { Block } from "./block.ts";
import { malformedBox } from "./checkbox.ts";
import { readBlocks } from "./read-blocks.ts";
import { limitsFor } from "./read-outline.ts";

interface WithCheckboxes {
  readonly text: string;
  /** The number of items that got a checkbox. */
  readonly count: number;
}

/** Returns a list of plain bullets with an open checkbox in each outermost item; all other bytes stay. */
export function addCheckboxes({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): WithCheckboxes {
  // A byte order mark is not part of the first line.
  const shift = text.startsWith("\uFEFF") ? 1 : 0;
  const body = text.slice(shift);
  const places: number[] = [];
  const isBox = ({ textStart, textEnd }: Block): boolean =>
    malformedBox(body.slice(textStart, textEnd)) !== undefined;
  const walk = (block: Block): void => {
    const [head] = block.children;
    if (block.kind !== "item") for (const child of block.children) walk(child);
    else if (head?.kind === "paragraph" && head.line === block.line && !isBox(head))
      places.push(head.textStart);
  };
  walk(readBlocks(body, limitsFor(path)));
  let result = "";
  let from = 0;
  for (const place of places) {
    const at = place + shift;
    result += `${text.slice(from, at)}[ ] `;
    from = at;
  }
  return { text: result + text.slice(from), count: places.length };
}
