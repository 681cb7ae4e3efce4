/** A fenced block of a Markdown page; `line` is where its content begins, from 1. */
export interface CodeBlock {
  readonly language: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the fenced blocks of a page. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = "", 2: text = "", index }) => {
      return { language, text, line: page.slice(0, index).split("\n").length + 1 };
    },
  );
}

/** Returns the texts between backticks outside fenced blocks. */
export function codeSpans(page: string): readonly string[] {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
}

/**
 * Returns the command lines of a page: the lines of `sh` blocks, those after `$ ` in `console` blocks, and the spans that
 * begin with `ralph `.
 */
export function commandLines(page: string): readonly string[] {
  const blocks = codeBlocks(page);
  const linesOf = (language: string): readonly string[] =>
    blocks.filter((block) => block.language === language).flatMap(({ text }) => text.trim().split("\n"));
  const typed = linesOf("console").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  const spans = codeSpans(page).filter((text) => text.startsWith("ralph "));
  return [...linesOf("sh"), ...typed, ...spans];
}

/** Splits a command line into words as a shell does, for lines with quotes and a comment but no expansions. */
export function wordsOf(line: string): readonly string[] {
  const words = [...line.replace(/\s+#.*$/, "").matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)];
  return words.map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
}
