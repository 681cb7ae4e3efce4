import { expect, test } from "vitest";
import type { CommandSpec } from "./command.ts";
import { parseWords } from "./parse-words.ts";

const spec: CommandSpec = {
  name: "run",
  summary: "runs",
  options: [
    { flags: "--budget-usd <amount>", description: "what a run may cost" },
    { flags: "--model <name>", description: "which model" },
  ],
  run: () => Promise.resolve(0),
};

test.each([
  ["--budget 3", "unknown option '--budget'", "did you mean --budget-usd?"],
  ["--budget=3", "unknown option '--budget=3'", "did you mean --budget-usd?"],
  ["--modl x", "unknown option '--modl'", "did you mean --model?"],
  ["--hlep", "unknown option '--hlep'", "did you mean --help?"],
  ["--frobnicate", "unknown option '--frobnicate'", "ralph run --help"],
  ["-z", "unknown option '-z'", "ralph run --help"],
])("UX-4: `ralph run %s` names the option that was meant", (typed, message, hint) => {
  const parse = () => parseWords("run", spec, typed.split(" "));
  const error = { code: "RALPH_USAGE", message: `ralph run: ${message}`, hint };
  expect(parse).toThrow(expect.objectContaining(error));
});
