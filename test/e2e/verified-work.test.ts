import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Runs the task's own script, then looks at the work. */
const check = "for part in src/*.sh; do test ! -e $part || . ./$part; done\n! grep -q BROKEN src/*.txt\n";

interface Played {
  readonly guard: string;
  readonly write: Readonly<Record<string, string>>;
  readonly run?: readonly (readonly string[])[];
  /** The script of the check, run before the check's own. */
  readonly first?: string;
}

/** Runs one task, and returns the end of its attempt. */
async function attempt({ guard, write, run = [], first = "" }: Played): Promise<Record<string, unknown>> {
  project?.remove();
  project = practice({ "check.sh": `${first}${check}`, "src/base.txt": "base\n" });
  await project.useWorker(
    { a: [{ write, run }] },
    `verify: ["sh check.sh"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`,
  );
  await project.addTasks([{ id: "a", title: "task a" }]);
  return finished((await project.run()).events)[0] ?? {};
}

const levels = ["report", "strict", "clean"] as const;
/** Rewrites a file of the project when the check has ended, also from the separate tree. */
const flip = (file: string): string =>
  `top=$(cat "$(git rev-parse --git-dir)/objects/info/alternates" 2>/dev/null || echo "$PWD/.git/objects")\ntrap "echo BROKEN > \${top%/.git/objects}/${file}" EXIT\n`;
const changed = (file: string): string =>
  `${file} changed during verification: the finished work is not what the first command read`;

test("LOOP-18 TRUST-11: work that verification rewrites is reported, and fails under strict and clean", async () => {
  for (const guard of levels) {
    const write = { "src/w.txt": "fine\n", "src/x.sh": flip("src/w.txt") };
    const warnings = [changed("src/w.txt")];
    const failed = { outcome: "failed", verification: "failed", reason: warnings[0] };
    const expected = guard === "report" ? { outcome: "done", warnings } : { ...failed, warnings };
    expect(await attempt({ guard, write }), guard).toMatchObject(expected);
  }
}, 60_000);

test("LOOP-18 TRUST-11: so is a file that only verification changed, if it would be committed", async () => {
  for (const guard of ["report", "strict"]) {
    const write = { "src/x.sh": flip("src/base.txt") };
    const expected = { outcome: guard === "report" ? "done" : "failed", warnings: [changed("src/base.txt")] };
    expect(await attempt({ guard, write }), guard).toMatchObject(expected);
  }
}, 60_000);

test("LOOP-18: files that verification adds, or writes again as they are, are not reported", async () => {
  const first =
    "mkdir -p .cache\necho x > .cache/a\necho x > src/new.snap\ncp -p src/w.txt t\nmv t src/w.txt\n";
  for (const guard of levels) {
    const ended = await attempt({ guard, first, write: { "src/w.txt": "fine\n" } });
    expect(ended, guard).toMatchObject({ outcome: "done", warnings: [] });
  }
}, 60_000);
