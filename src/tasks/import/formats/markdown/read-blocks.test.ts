import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import { expect, test } from "vitest";
import type { Block } from "./block.ts";
import { readBlocks } from "./read-blocks.ts";

type Tree = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];

const kinds: Readonly<Record<string, Block["kind"]>> = {
  blockquote: "quote",
  list: "list",
  listItem: "item",
  paragraph: "paragraph",
  heading: "heading",
  code: "code",
  html: "html",
  thematicBreak: "break",
};

/** A line for each block: its depth in the tree, kind, place, and level. Definitions are paragraphs for us. */
function outline(text: string): readonly string[] {
  const limits = { maxDepth: 100, maxBlocks: 100_000, refuse: () => new Error("too much") };
  const lines: string[] = [];
  const walk = ({ kind, line, level, children }: Block, depth: number): void => {
    lines.push(`${" ".repeat(depth)}${kind} ${line} ${level}`);
    for (const child of children) walk(child, depth + 1);
  };
  for (const block of readBlocks(text, limits).children) walk(block, 0);
  return lines;
}

function reference(text: string): readonly string[] {
  const root = fromMarkdown(text, {
    extensions: [gfmTaskListItem()],
    mdastExtensions: [gfmTaskListItemFromMarkdown()],
  });
  const lines: string[] = [];
  const walk = (node: Tree, depth: number): void => {
    const kind = kinds[node.type];
    if (kind === undefined) return;
    const level = node.type === "heading" ? node.depth : 0;
    lines.push(`${" ".repeat(depth)}${kind} ${node.position?.start.line} ${level}`);
    if (kind === "paragraph" || kind === "heading" || !("children" in node)) return;
    for (const child of node.children) walk(child, depth + 1);
  };
  for (const node of root.children) walk(node, 0);
  return lines;
}

const root = join(import.meta.dirname, "../../../../..");

test.each([
  "README.md",
  "CHANGELOG.md",
  "docs/ARCHITECTURE.md",
  "docs/benchmarks.md",
  "test/fixtures/tasks/openspec-tasks.md",
])("%s has the blocks that a full CommonMark parser finds", (file) => {
  const text = readFileSync(join(root, file), "utf8");
  expect(outline(text)).toEqual(reference(text));
});

/** But for code and HTML, which micromark cuts in pieces where lines leave a quote or item. */
const isCompared = (line: string): boolean => !/ *(?:code|html) /.test(line);

test("any list has the blocks that a full CommonMark parser finds", () => {
  const indent = fc.constantFrom("", "", "", "  ", "  ", "   ", "    ", "      ", "\t", " \t");
  const mark = fc.constantFrom(
    "",
    "",
    "- ",
    "- [ ] ",
    "* [x] ",
    "+ ",
    "1. ",
    "1) [ ] ",
    "> ",
    "> - [ ] ",
    "-\t",
  );
  const words = fc.constantFrom(
    ...[
      "a",
      "b *c*",
      "",
      "",
      "# H",
      "## I ##",
      "####### no",
      "---",
      "***",
      "_ _ _",
      "===",
      "```",
      "~~~~",
      "``` js",
    ],
    ...[
      "<div>",
      "</div>",
      "<!-- x",
      "-->",
      "<!-- y -->",
      "<?php",
      "?>",
      "`x`",
      "[x](y)",
      "\\- z",
      "|a|b|",
      "#no",
    ],
  );
  // An item without text behind code is one for CommonMark, and none for micromark.
  const line = fc
    .tuple(indent, mark, words)
    .map(([before, marks, after]) => before + (after && marks) + after);
  const text = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .map(([lines, newline, end]) => lines.join(newline) + (end ? newline : ""));
  fc.assert(
    fc.property(text, (document) => {
      expect(outline(document).filter(isCompared)).toEqual(reference(document).filter(isCompared));
    }),
    // The same documents each time: micromark itself departs from CommonMark in some that are very rare.
    { numRuns: 500, seed: 1 },
  );
});

test("a line under a link definition makes no heading of it", () => {
  expect(outline("[a]: b\n---\n")).toEqual(["paragraph 1 0", "break 2 0"]);
  expect(outline("a [b]: c\n---\n")).toEqual(["heading 1 2"]);
});
