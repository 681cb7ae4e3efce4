/** The user's next step where a text is too large. */
export const splitHint = "Split the file.";

export const generalHint =
  "Check the indentation, quotes and colons there; quote text that contains `: ` or ` #`.";

/** Reading stopped at `offset`; only `yaml.ts` sees it. */
export class YamlRefusal extends Error {
  readonly offset: number;
  readonly hint: string;
  readonly code: "RALPH_YAML_INVALID" | "RALPH_FILE_TOO_LARGE";

  constructor(offset: number, why: string, hint: string, code: YamlRefusal["code"] = "RALPH_YAML_INVALID") {
    super(why);
    this.offset = offset;
    this.hint = hint;
    this.code = code;
  }
}

/** More values than can be read in two seconds. */
export function tooLarge(offset: number): YamlRefusal {
  return new YamlRefusal(offset, "too many values", splitHint, "RALPH_FILE_TOO_LARGE");
}

/** More than `maxDepth` levels of nesting. */
export function tooDeep(offset: number, maxDepth: number): YamlRefusal {
  return new YamlRefusal(offset, "nested too deep", `Use at most ${maxDepth} levels.`);
}
