import { cleanText, oneLine } from "../../../../base/text.ts";

/** The shortest line that an editor wraps. */
const minWrappedChars = 60;

/**
 * Splits the text of an item: its first line is the title, the other lines begin the description. A long first line that
 * ends within a sentence, followed by one that begins in lower case, is one title that an editor wrapped.
 */
export function splitTitle(written: string): { readonly title: string; readonly rest: string } {
  const [first = "", ...lines] = written.trimStart().split(/\r\n|\r|\n/);
  // Continuation lines within a quote begin with its marker.
  const following = lines.map((line) => line.replace(/^[ \t>]+/, ""));
  const all = [first, ...following];
  let at = 1;
  while (at < all.length && isWrapped(all[at - 1] ?? "", all[at] ?? "")) at++;
  return {
    title: oneLine(cleanText(all.slice(0, at).join(" "))),
    rest: cleanText(all.slice(at).join("\n")).trim(),
  };
}

function isWrapped(line: string, next: string): boolean {
  return line.length >= minWrappedChars && !/[.!?:;]\s*$/.test(line) && /^[\p{Ll}\d`(]/u.test(next);
}
