import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Runs the task's own script, then looks at the work. */
const check = "for part in src/*.sh; do test ! -e $part || . ./$part; done\n! grep -q BROKEN src/*.txt\n";

interface Played {
  readonly guard: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly write: Readonly<Record<string, string>>;
  readonly run?: readonly (readonly string[])[];
  /** The script of the check, run before the check's own. */
  readonly first?: string;
}

/** Runs one task, and returns the end of its attempt. */
async function attempt({
  guard,
  files = {},
  write,
  run = [],
  first = "",
}: Played): Promise<Record<string, unknown>> {
  project?.remove();
  project = practice({ "check.sh": `${first}${check}`, "src/base.txt": "base\n", ...files });
  await project.useWorker(
    { a: [{ write, run }] },
    `verify: ["sh check.sh"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`,
  );
  await project.addTasks([{ id: "a", title: "task a" }]);
  return finished((await project.run()).events)[0] ?? {};
}

const levels = ["clean", "report", "strict"] as const;
/** Rewrites a file of the project when the check has ended, also from the separate tree. */
const flip = (file: string): string =>
  `top=$(cat "$(git rev-parse --git-dir)/objects/info/alternates" 2>/dev/null || echo "$PWD/.git/objects")\ntrap "echo BROKEN > \${top%/.git/objects}/${file}" EXIT\n`;
const changed = (file: string): string =>
  `${file} changed during verification: the finished work is not what the first command read`;

test("LOOP-18: work that verification rewrites is reported, and fails under strict and clean", async () => {
  for (const guard of variants(levels, 2)) {
    const write = { "src/w.txt": "fine\n", "src/x.sh": flip("src/w.txt") };
    const warnings = [changed("src/w.txt")];
    const failed = { outcome: "failed", verification: "failed", reason: warnings[0] };
    const expected = guard === "report" ? { outcome: "done", warnings } : { ...failed, warnings };
    expect(await attempt({ guard, write }), guard).toMatchObject(expected);
  }
});

test("LOOP-18: files that verification adds, or writes again as they are, are not reported as changed", async () => {
  const first =
    "mkdir -p .cache\necho x > .cache/a\necho x > src/new.snap\ncp -p src/w.txt t\nmv t src/w.txt\n";
  for (const guard of ["report"]) {
    const ended = await attempt({ guard, first, write: { "src/w.txt": "fine\n" } });
    const made =
      "verification made 2 files that are not committed: .cache/a, src/new.snap: commit them, or add to .gitignore: .cache/a src/new.snap";
    expect(ended, guard).toMatchObject({ outcome: "done", warnings: guard === "clean" ? [] : [made] });
  }
});

const files = {
  "package.json": '{ "scripts": { "verify": "sh check.sh" }, "dependencies": {} }\n',
  "tests/a.test.mjs": `${"// x\n".repeat(20)}test("adds", () => assert(1));\n`,
};
const gone = 'tests/a.test.mjs was changed: the test "adds" is gone';
const hidden = {
  "its own attributes": "echo '** -diff' > .gitattributes; echo > tests/a.test.mjs",
  "a link": "ln -sf /dev/null tests/a.test.mjs",
} as const;

test("LOOP-18: a change to tests does not hide behind what git shows of it", async () => {
  for (const [name, script] of Object.entries(hidden)) {
    const played = { guard: "strict", files, write: { "src/w.txt": "fine\n" }, run: [["sh", "-c", script]] };
    const ended = await attempt(played);
    expect(ended, name).toMatchObject({
      outcome: "failed",
      reason: `verification itself was changed: ${gone}`,
    });
  }
});

test("LOOP-18: commits that verification makes are reported, and fail under strict and clean", async () => {
  // Only HEAD and the work tree differ from what was read, not one from the other.
  const commit = `${flip("src/base.txt").split("\n")[0]}
top=\${top%/.git/objects}
trap 'unset GIT_DIR GIT_WORK_TREE; cd $top; echo more > src/base.txt; git commit -qm planted src/base.txt' EXIT
`;
  for (const guard of variants(levels, 1)) {
    const ended = await attempt({ guard, write: { "src/w.txt": "fine\n", "src/x.sh": commit } });
    const expected = { outcome: guard === "report" ? "done" : "failed", warnings: [changed("HEAD")] };
    expect(ended, guard).toMatchObject(expected);
  }
});
