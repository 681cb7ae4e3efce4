import { chmodSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { killRalph, kills } from "./kill-ralph.ts";

// A hook runs a test that the agent wrote. It changes the commit, then kills ralph, so that nobody looks at what it did. The
// default suite takes the first of each list; `npm run test:crash` takes all.

let project: Practice;
afterEach(() => project?.remove());

const other =
  'h=$(echo broken | git hash-object -w --stdin); git update-index --add --cacheinfo "100644,$h,src/t-2.txt"';
const withTrailer = 'git commit -qnm "work\n\nRalph-Iteration: $(cat ../marker)"';

/** Runs `t-1`, then `t-2`, in whose commit a hook runs `script` and kills ralph; then another run. */
async function killedBy(script: string): Promise<readonly string[]> {
  project = practice({ "check.sh": "! grep -rqs broken src\n", "src/base.txt": "ok\n" });
  const marks = ["sh", "-c", "echo $RALPH_MARKER > ../marker; git rev-parse HEAD > ../base"];
  const work = { write: { "src/{id}.txt": "fine\n" } };
  const settings = 'verify: ["sh check.sh"]\nverifyGuard: strict\nsandbox: off\n';
  await project.useWorker({ "t-2": [{ ...work, run: [marks] }], "*": [work] }, settings);
  await project.addTasks(["one", "two"]);
  const hook = `[ -e ../marker ] && [ ! -e ../once ] || exit 0\ntouch ../once\n${script}\n${killRalph}\nsleep 20\n`;
  project.write(".git/hooks/pre-commit", `#!/bin/sh\n${hook}`);
  chmodSync(`${project.dir}/.git/hooks/pre-commit`, 0o755);
  expect((await project.start("run")).signal).toBe("SIGKILL");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  return events.flatMap(({ type, warnings }) => (type === "run.recovered" ? (warnings as string[]) : []));
}

const base = (): string => project.read("../base").trim();

const moves: readonly (readonly [what: string, script: string, warning: RegExp])[] = [
  ["commits other content with ralph's trailer", `${other}; ${withTrailer}`, /put other content .*t-2\.txt/],
  ["moves the branch", "git update-ref HEAD HEAD~1", /moved the branch, which is put back/],
  ["switches the branch", "git symbolic-ref HEAD refs/heads/x; git update-ref HEAD main", /another branch/],
];

test.each(kills(moves, 1))(
  "LOOP-21 LOOP-22 TRUST-10: the commit holds what was verified when code of a hook %s and kills ralph",
  async (_, script, warning) => {
    expect(await killedBy(script)).toContainEqual(expect.stringMatching(warning));
    expect(project.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(project.git("rev-parse", "HEAD~1")).toBe(base());
    expect(project.git("show", "--format=%s", "--name-only", "HEAD")).toBe("two (t-2)\n\nsrc/t-2.txt");
    expect(project.git("show", "HEAD:src/t-2.txt")).toBe("fine");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(await project.json("task", "list", "--all")).toMatchObject([
      { status: "done" },
      { status: "done" },
    ]);
  },
);

const changes: readonly (readonly [what: string, script: string])[] = [
  ["commits a file that it wrote", `echo broken > src/t-2.txt; git add src/t-2.txt; ${withTrailer}`],
  ["writes a file", "echo broken > src/t-2.txt"],
  ["makes a commit of its own", "echo broken > src/t-2.txt; git add src/t-2.txt; git commit -qnm own"],
];

test.each(kills(changes, 1))(
  "LOOP-21 LOOP-22 TRUST-10: what code of a hook changed after verification is named when it %s and kills ralph",
  async (_, script) => {
    const warnings = await killedBy(script);
    expect(warnings).toContain("a hook changed src/t-2.txt after verification (before ralph was killed)");
    expect(project.git("rev-parse", "HEAD~1")).toBe(base());
    expect(project.git("status", "--porcelain")).toBe("");
  },
);
