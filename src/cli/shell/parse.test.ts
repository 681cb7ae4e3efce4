import { expect, test } from "vitest";
import { commands } from "../command-table.ts";
import { parse } from "./parse.ts";

test.each([
  ["--frobnicate 3", "ralph: unknown option '--frobnicate'", "ralph help"],
  ["-x task", "ralph: unknown option '-x'", "ralph help"],
  ["--verison", "ralph: unknown option '--verison'", "did you mean --version?"],
  ["task --hlep", "ralph task: unknown option '--hlep'", "did you mean --help?"],
  ["--json --config", "ralph: option '--config <file>' argument missing", "ralph help"],
  ["task ad x", "unknown command: ralph task ad", "did you mean: ralph task add"],
  ["help task ad", 'unknown command or help topic: "task ad"', "did you mean: ralph help task add"],
  ["hlep", "unknown command: ralph hlep", "did you mean: ralph help"],
  ["help enviroment", 'unknown command or help topic: "enviroment"', "did you mean: ralph help environment"],
  ["run --budget 3", "ralph run: unknown option '--budget'", "did you mean --budget-usd?"],
  ["run --budget=3", "ralph run: unknown option '--budget=3'", "did you mean --budget-usd?"],
  ["run --modl x", "ralph run: unknown option '--modl'", "did you mean --model?"],
  ["run -z", "ralph run: unknown option '-z'", "ralph run --help"],
  ["task list --status dne", 'invalid --status "dne": expected', "did you mean done?"],
  ["config list", 'invalid action "list": expected show, schema', "use one of show, schema"],
])("UX-4: `ralph %s` is refused: %s", async (typed, message, hint) => {
  const refusal = expect.objectContaining({
    code: "RALPH_USAGE",
    message: expect.stringContaining(message),
    hint,
  });
  await expect(parse(commands, typed.split(" "))).rejects.toEqual(refusal);
});

test.each([
  ["", /^ralph runs a coding agent/],
  ["--json --no-color -C /tmp --config=x -C/tmp", /^ralph runs a coding agent/],
  ["--help", /^ralph runs a coding agent/],
  ["help", /^ralph runs a coding agent/],
  ["-V", /^\d+\.\d+\.\d+/],
  ["help task", /^ralph task: manage tasks/],
  ["task --help", /^ralph task: manage tasks/],
  ["task", /^ralph task: manage tasks/],
  ["help exit-codes --json", /^Exit codes/],
  ["help all", /^ {2}agent-hook|^ {2}redact/m],
  ["help task add", /^Usage: ralph task add \[options\] <title>/],
  ["task help add", /^Usage: ralph task add \[options\] <title>/],
  ["help run", /^Usage: ralph run /],
])("UX-4: `ralph %s` prints help", async (typed, text) => {
  const words = typed.split(" ").filter(Boolean);
  expect(await parse(commands, words)).toEqual({ text: expect.stringMatching(text) });
});

test("UX-4: the first screen of the help fits into 24 lines of 80 columns", async () => {
  const parsed = await parse(commands, []);
  const lines = ("text" in parsed ? parsed.text : "").split("\n");
  expect(lines.length).toBeLessThan(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.each([
  ["--aggregate", "learnings aggregate"],
  ["--generate-skills", "skills generate"],
  ["--skill-stats", "skills stats"],
  ["--json --skill-stats", "skills stats"],
  ["-C folder --skill-stats", "skills stats"],
  ["--show-learnings t-1 --limit 3 --json", "learnings show"],
])("SKILL-6: `ralph %s` is the same as `ralph %s`", async (typed, path) => {
  expect(await parse(commands, typed.split(" "))).toMatchObject({ path });
});

test("global options are read before and after the command, and values that look like options are not", async () => {
  const words = ["--json", "task", "--quiet", "add", "-d", "--no-config", "a title", "--no-color"];
  expect(await parse(commands, words)).toMatchObject({
    path: "task add",
    invocation: {
      args: { title: "a title" },
      options: { json: true, quiet: true, color: false, description: "--no-config" },
    },
  });
});

test.each(["constructor", "toString", "-C folder __proto__"])(
  "UX-4: `ralph %s` is an unknown command",
  async (typed) => {
    await expect(parse(commands, typed.split(" "))).rejects.toMatchObject({ code: "RALPH_USAGE" });
  },
);
