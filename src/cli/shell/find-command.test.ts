import { expect, test } from "vitest";
import { commands } from "../command-table.ts";
import { findCommand } from "./find-command.ts";

test.each([
  ["--frobnicate 3", "unknown option: --frobnicate", /ralph help/],
  ["-x task", "unknown option: -x", /\S/],
  ["--verison", "unknown option: --verison", /did you mean --version\?/],
  ["--show-learning", "unknown option: --show-learning", /did you mean --show-learnings\?/],
  ["--jsn=1", "unknown option: --jsn", /did you mean --json\?/],
  ["task --hlep", "unknown option: --hlep", /did you mean --help\?/],
  ["help --jsn task", "unknown option: --jsn", /did you mean --json\?/],
  ["--json --config", "--config needs a value", /\S/],
  ["help task ad", "unknown command: ralph task ad", /did you mean: ralph task add/],
  ["hlep", "unknown command: ralph hlep", /did you mean: ralph help/],
])("UX-4: `ralph %s` is refused: %s", (typed, message, hint) => {
  const find = () => findCommand(commands, typed.split(" "));
  expect(find).toThrow(
    expect.objectContaining({ code: "RALPH_USAGE", message, hint: expect.stringMatching(hint) }),
  );
});

test.each([
  ["", { kind: "help", topic: null }],
  ["--json --no-color -C /tmp --config=x -C/tmp", { kind: "help", topic: null }],
  ["--help", { kind: "help", topic: null }],
  ["help help", { kind: "help", topic: null }],
  ["-V", { kind: "version" }],
  ["help task", { kind: "help", topic: "task" }],
  ["help exit-codes --json", { kind: "help", topic: "exit-codes" }],
  ["task --help", { kind: "help", topic: "task" }],
  ["help task add", { kind: "command", path: "task add", words: ["--help"] }],
  ["help run", { kind: "command", path: "run", words: ["--help"] }],
  ["--aggregate", { kind: "command", path: "learnings aggregate", words: [] }],
  ["--generate-skills", { kind: "command", path: "skills generate", words: [] }],
  ["--show-learnings", { kind: "command", path: "learnings show", words: [] }],
  [
    "--json --show-learnings t-1 --limit 3",
    { path: "learnings show", words: ["--json", "t-1", "--limit", "3"] },
  ],
  ["run --show-learnings", { kind: "command", path: "run", words: ["--show-learnings"] }],
  // The command's own parser judges its flags, wherever they stand.
  ["--once run", { kind: "command", path: "run", words: ["--once"] }],
])("`ralph %s` is found", (typed, asked) => {
  expect(findCommand(commands, typed.split(" ").filter(Boolean))).toMatchObject(asked);
});
