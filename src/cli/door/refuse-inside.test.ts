import { expect, test } from "vitest";
import { RalphError } from "../../base/errors.ts";
import { commands } from "../command-table.ts";
import { createSession, personHere } from "../project/session.ts";
import type { Project, Surroundings } from "../shell/command.ts";
import { isGroup } from "../shell/entry.ts";
import { parse } from "../shell/parse.ts";
import { insideRule, insideRules, refuseInside } from "./inside-table.ts";

const root = process.cwd();
const iteration = {
  ...{ taskId: "t-1", runId: "run-1", iterationId: "i-1", model: "m" },
  startedAt: "2026-03-01T10:00:00.000Z",
};

/** Returns why a command line of an agent is refused; null: it is not. */
async function refusal(line: string): Promise<{ readonly code: string; readonly text: string } | null> {
  const parsed = await parse(commands, line.split(" "));
  if ("text" in parsed) throw new Error(`${line}: no command`);
  const inside = { project: { root } as Project, iteration };
  const around: Surroundings = { ...personHere(async () => 0), inside };
  try {
    refuseInside(createSession(parsed.invocation.options, around), parsed.path, parsed.invocation);
    return null;
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { code: error.code, text: `${error.message}\nhint: ${error.hint}` };
  }
}

test.each([
  ...["task edit t-2 --title x", "task reset t-2", "task add x --verify true", "task export file.md"],
  ...["task add x --description-file ../secret", "trust approve --yes", "message obey", "undo t-1"],
  ...["stop", "pause", "resume", "connect codex", "disconnect codex", "prompt export --force"],
  ...["init --yes", "run", "verify", "doctor", "events --follow"],
])("TRUST-9: `ralph %s` is refused to an agent", async (line) => {
  expect(await refusal(line)).toEqual({
    code: "RALPH_TASK_INSIDE_ITERATION",
    text: expect.stringMatching(/^`ralph .*` is not available to the agent working on t-1\nhint: .+$/),
  });
});

test.each([
  ...["memory approve --all", "memory purge l-1 --yes", "memory edit l-1 --text x", "memory remove l-1"],
  ...["memory import memory.jsonl", "memory store x --collection hivemind", "memory validate h-000000000000"],
  ...["memory export file.jsonl", "learnings import folder", "skills accept x"],
])("TRUST-9: `ralph %s` is refused to an agent", async (line) => {
  expect(await refusal(line)).toMatchObject({ code: "RALPH_MEMORY_INSIDE_ITERATION" });
});

test.each([
  ...["task add x", "task done t-1", "task export", "note add x", "memory store x", "memory export"],
  ...["message --list", "trust show", "events", "journal show", "status"],
])("TRUST-9: `ralph %s` is executed for an agent", async (line) => {
  expect(await refusal(line)).toBeNull();
});

test.each([
  ["verify", "run its commands yourself"],
  ["doctor", "state in your final message what seems broken"],
  ["memory store x --collection hivemind", "leave out --collection"],
  ["task add x --verify true", "add it without --verify"],
])("TRUST-9: the refusal of `ralph %s` says what to do instead", async (line, instead) => {
  expect((await refusal(line))?.text).toContain(`\nhint: ${instead}`);
});

test.each(["status -C /", "config --config /etc/passwd", "status --no-config"])(
  "TRUST-9: `ralph %s` of an agent is about another project or configuration, and refused",
  async (line) => {
    expect(await refusal(line)).toMatchObject({
      code: "RALPH_USAGE",
      text: expect.stringContaining("its own project"),
    });
  },
);

test("TRUST-9: the rules name commands that exist; any other is refused", () => {
  const paths = commands.flatMap((node) =>
    isGroup(node) ? node.verbs.map((verb) => `${node.name} ${verb.name}`) : [node.name],
  );
  expect(paths).toEqual(expect.arrayContaining(Object.keys(insideRules)));
  expect(insideRule("memory purge", { args: {}, options: {} })).toBe("refused");
});
