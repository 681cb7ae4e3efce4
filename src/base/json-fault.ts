/** What is wrong with a text that should be JSON. */
export interface JsonFault {
  /** Where the first character stands that no JSON could have there. */
  readonly offset: number;
  readonly expected: string;
}

type Expecting = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd";

const words: Readonly<Record<Expecting, string>> = {
  value: "a value",
  valueOrEnd: "a value or ]",
  key: "a key in double quotes",
  keyOrEnd: "a key in double quotes or }",
  colon: "a colon",
  commaOrEnd: "a comma or the closing bracket",
};

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * The first fault of `text` from `from` on, or undefined. For messages: `JSON.parse` does not tell on every Node where
 * it failed. Linear, and deep nesting costs memory only.
 */
export function jsonFault(text: string, from = 0): JsonFault | undefined {
  const open: string[] = [];
  let expecting: Expecting = "value";
  let at = from;
  for (;;) {
    while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at++;
    if (at >= text.length)
      return { offset: at, expected: open.length > 0 ? "more: it ends here" : words[expecting] };
    const step = take(text, at, { expecting, open });
    if ("expected" in step) return step;
    at = step.end;
    if (step.expecting === "commaOrEnd" && open.length === 0) return afterRoot(text, at);
    expecting = step.expecting;
  }
}

function afterRoot(text: string, from: number): JsonFault | undefined {
  const rest = text.slice(from).search(/[^ \t\r\n]/);
  return rest < 0 ? undefined : { offset: from + rest, expected: "nothing more" };
}

interface State {
  readonly expecting: Expecting;
  readonly open: string[];
}
type ParseStep = JsonFault | { readonly end: number; readonly expecting: Expecting };

/** One token: what is expected after it, with brackets opened and closed in `open`. */
function take(text: string, at: number, { expecting, open }: State): ParseStep {
  const char = text[at] ?? "";
  const fault: JsonFault = { offset: at, expected: words[expecting] };
  switch (expecting) {
    case "colon":
      return char === ":" ? { end: at + 1, expecting: "value" } : fault;
    case "commaOrEnd":
      return comma(char, at, open) ?? close(char, at, open) ?? fault;
    case "key":
      return key(text, at) ?? fault;
    case "keyOrEnd":
      return key(text, at) ?? close(char, at, open) ?? fault;
    case "value":
      return value(text, at, open) ?? fault;
    case "valueOrEnd":
      return value(text, at, open) ?? close(char, at, open) ?? fault;
  }
}

function comma(char: string, at: number, open: readonly string[]): ParseStep | undefined {
  return char === "," ? { end: at + 1, expecting: open.at(-1) === "{" ? "key" : "value" } : undefined;
}

function key(text: string, at: number): ParseStep | undefined {
  return text[at] === '"' ? string(text, at, "colon") : undefined;
}

function close(char: string, at: number, open: string[]): ParseStep | undefined {
  if (char !== (open.at(-1) === "{" ? "}" : "]") || open.length === 0) return undefined;
  open.pop();
  return { end: at + 1, expecting: "commaOrEnd" };
}

function value(text: string, at: number, open: string[]): ParseStep | undefined {
  const char = text[at] ?? "";
  if (char === '"') return string(text, at, "commaOrEnd");
  if (char === "{" || char === "[") {
    open.push(char);
    return { end: at + 1, expecting: char === "{" ? "keyOrEnd" : "valueOrEnd" };
  }
  scalar.lastIndex = at;
  return scalar.test(text) ? { end: scalar.lastIndex, expecting: "commaOrEnd" } : undefined;
}

function string(text: string, start: number, expecting: Expecting): ParseStep {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') return { end: at + 1, expecting };
    if (char < " ")
      return { offset: at, expected: "an escape such as \\n: a control character stands in a text" };
    if (char !== "\\") continue;
    escaped.lastIndex = at;
    if (!escaped.test(text)) return { offset: at, expected: "an escape that JSON has" };
    at = escaped.lastIndex - 1;
  }
  return { offset: text.length, expected: "a closing quote: a text never ends" };
}
