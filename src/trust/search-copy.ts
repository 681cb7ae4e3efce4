import type { SecretSpan } from "./secret-span.ts";

/** A copy of a text in which secrets are found that controls or escapes interrupt. */
export interface SearchCopy {
  readonly text: string;
  /** Returns the place in the text of a span of the copy, with what the copy leaves out inside it. */
  original(span: SecretSpan): SecretSpan;
}

/** Characters that most texts do not have; one look for them is far cheaper than the copy. */
const controls =
  "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff\\ufff9-\\ufffb";
/** Invisible characters of two units: format controls of notations, tags and variation selectors. */
const invisiblePairs = "\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|[\\udb40-\\udb43][\\udc00-\\udfff]";
const mayDiffer = new RegExp(`[${controls}\\ud82f\\ud834\\udb40-\\udb43]|\\\\(?:u|x1|033|e\\[)|\\^\\[\\[`);

/** ESC as JSON, Python, C, shells and `cat -v` write it. JSON within JSON doubles the backslash. */
const writtenEsc = "(?:\\\\{1,4}(?:u001[bB]|u\\{1[bB]\\}|x1[bB]|033|e(?=\\[))|\\^\\[(?=\\[))";
const toTheEnd = "[^\\x07\\x1b\\x9c\\r\\n]*(?:\\x07|\\x9c|\\x1b\\\\)?";
/** A title or a link. Written out, it ends before the next backslash: then the time stays linear. */
const writtenTitle = `${writtenEsc}\\][^\\\\\\x07\\x1b\\r\\n"]*(?:\\\\{1,4}(?:u0007|x07|007|a)|${writtenEsc}\\\\{1,8}|\\x07|\\x1b\\\\)`;
const hidden = new RegExp(
  [
    // Terminals ignore NUL, also within a sequence.
    `(?:\\x1b\\0*\\[|\\x9b|${writtenEsc}\\[)[0-?\\0]*[ -/\\0]*[@-~]?`,
    `(?:\\x1b\\0*[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])${toTheEnd}`,
    "\\x1b[ -/\\0]*[0-~]?",
    writtenTitle,
    `${writtenEsc}(?:[()][0-9A-B])?`,
    "(\\\\{1,4})u(?:([0-9a-fA-F]{4})|\\{([0-9a-fA-F]{1,6})\\})",
    invisiblePairs,
    `[${controls}]`,
  ].join("|"),
  "g",
);
const isControl = new RegExp(`^(?:[${controls}]|${invisiblePairs})$`);

/** A part of the copy: as long as in the text, or else an escape that was decoded. */
interface Part {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly decoded: boolean;
}

/**
 * Returns `text` without colours and other control sequences, raw or written out (`\u001b[31m`), without invisible
 * characters, and with the escapes of JSON decoded; undefined: nothing of that is in it. A control sequence ends in a letter, and
 * `\u003c` in one too: without the copy no word begins behind them. Linear.
 */
export function searchCopy(text: string): SearchCopy | undefined {
  if (!mayDiffer.test(text)) return undefined;
  const texts: string[] = [];
  const parts: Part[] = [];
  let length = 0;
  let done = 0;
  const add = (shown: string, from: number, to: number, decoded: boolean): void => {
    if (shown === "") return;
    parts.push({ at: length, from, to, decoded });
    texts.push(shown);
    length += shown.length;
  };
  for (const match of text.matchAll(hidden)) {
    const end = match.index + match[0].length;
    add(text.slice(done, match.index), done, match.index, false);
    add(decoded(match), match.index, end, true);
    done = end;
  }
  if (done === 0) return undefined;
  add(text.slice(done), done, text.length, false);
  const place = (at: number): Part => partAt(parts, at);
  return {
    text: texts.join(""),
    original({ start, end, kind }) {
      const [first, last] = [place(start), place(end - 1)];
      return {
        start: first.decoded ? first.from : first.from + start - first.at,
        end: last.decoded ? last.to : last.from + end - last.at,
        kind,
      };
    },
  };
}

/** Returns what stands for a match in the copy; "" for all but the escape of a visible character. */
function decoded([, slashes, four, braced]: RegExpExecArray): string {
  const digits = four ?? braced;
  if (slashes === undefined || digits === undefined) return "";
  const code = Number.parseInt(digits, 16);
  const char = code > 0x10ffff ? " " : String.fromCodePoint(code);
  // As JSON writes it in the same place: a quote that the text escapes does not end its string.
  if (char === '"') return `${"\\".repeat(slashes.length * 2 - 1)}"`;
  if (char === "\\") return "\\\\";
  if (char === "\n" || char === "\r" || char === "\t") return "\\n";
  return isControl.test(char) ? "" : char;
}

function partAt(parts: readonly Part[], at: number): Part {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((parts[middle]?.at ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return parts[low] ?? { at: 0, from: 0, to: 0, decoded: true };
}
