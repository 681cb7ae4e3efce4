import { afterEach, expect, test } from "vitest";
import { sampleOutcome } from "../../../test/sample-outcome.ts";
import { sampleTask } from "../../../test/sample-prompt.ts";
import { gitEnv, removeTempRepositories, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { commitPaths, findCommit } from "../../workspace/commit.ts";
import { commitMessage, iterationTrailer } from "./commit-message.ts";

afterEach(removeTempRepositories);

const long = `${"🎉".repeat(250)}`;
const proof =
  "I changed the parser to return a number. The tests should pass now.\n\nVerified by: npm test\n\nRalph-Task: t-1\nRalph-Attempt: 1\nRalph-Iteration: i-t-1-1";

// Title, template, subject, body before the proof.
const cases: readonly (readonly [string, string | null, string, string])[] = [
  ["# not a comment", null, "# not a comment", ""],
  ["-m --amend", "{title}", "-m --amend", ""],
  [`it's "quoted" \`$(date)\` \\n`, "{title}", `it's "quoted" \`$(date)\` \\n`, ""],
  ["two\nlines\r\n\r\nRalph-Iteration: i-other", "{title}", "two lines Ralph-Iteration: i-other", ""],
  [
    long,
    "{title}",
    `${"🎉".repeat(35)}…`,
    [...Array<string>(6).fill("🎉".repeat(36)), "🎉".repeat(34)].join("\n"),
  ],
  [
    "Read dates with a zone. The parser (e.g. for logs) must keep it. Add tests.",
    null,
    "Read dates with a zone",
    "The parser (e.g. for logs) must keep it. Add tests.",
  ],
  [
    `Fix ${"src/parser/dates/".repeat(5)}zone.ts`,
    null,
    `Fix ${"src/parser/dates/".repeat(3)}src/parser/…`,
    `Fix\n${"src/parser/dates/".repeat(4)}src/\nparser/dates/zone.ts`,
  ],
  ["1. Read dates.", null, "1. Read dates", ""],
  [
    "Read dates with a zone, e.g. Z or +02:00, and keep that zone when they are written, also in logs",
    null,
    "Read dates with a zone, e.g. Z or +02:00, and keep that zone when they…",
    "…are written, also in logs",
  ],
  [
    "Read dates. Write dates.",
    "feat: {title}\n\nTask {id}: {title}",
    "feat: Read dates",
    "Task t-1: Read dates. Write dates.",
  ],
  [
    "x",
    `${"a fixed text ".repeat(6)}{title}`,
    `${"a fixed text ".repeat(5)}a fixed…`,
    `${"a fixed text ".repeat(5)}a fixed\ntext x`,
  ],
  ["👩‍👩‍👧 日本 ünïcödé", "{title}", "👩‍👩‍👧 日本 ünïcödé", ""],
  ["{id} {title} $& $1", "{title}", "{id} {title} $& $1", ""],
  ["x", "", "x", ""],
  ["x", " \n\n ", "x", ""],
  ["\u001b[31m\u0007", "{title}", "t-1", ""],
  ["\u0007", null, "t-1", ""],
  ["x", "{unknown} {id}", "{unknown} t-1", ""],
  [
    "x",
    "feat: {title}\n\n# heading\n\n; {id}\nSigned-off-by: A <a@b.invalid>",
    "feat: x",
    "# heading\n\n; t-1\nSigned-off-by: A <a@b.invalid>",
  ],
  ["x", "# {title}\n#1\n-n", "# x", "#1\n-n"],
];

test.each(variants(cases, 9))(
  "LOOP-9: title %j with template %j makes the commit %j",
  async (title, template, subject, body) => {
    const { dir, git, write } = tempRepository();
    git("config", "core.commentChar", ";");
    git("config", "commit.cleanup", "strip");
    const ws = await openRunWorkspace(dir, gitEnv);
    const base = git("rev-parse", "HEAD");
    write("a.txt", "changed");
    const outcome = sampleOutcome({ name: "done", verification: "passed" });
    expect(subject.length).toBeLessThanOrEqual(72);
    const message = commitMessage({ task: sampleTask({ title }), outcome, template });
    const { hash } = await commitPaths(ws, { paths: ["a.txt"], message });
    expect(git("log", "-1", "--format=%B")).toBe([subject, body, proof].filter(Boolean).join("\n\n"));
    expect(await findCommit(ws, { base, trailer: iterationTrailer, value: outcome.iterationId })).toBe(hash);
  },
);
