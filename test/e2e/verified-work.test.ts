import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
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
});

test("LOOP-18 TRUST-11: so is a file that only verification changed, if it would be committed", async (context) => {
  onlyInLongForm(context);
  for (const guard of ["report", "strict"]) {
    const write = { "src/x.sh": flip("src/base.txt") };
    const expected = { outcome: guard === "report" ? "done" : "failed", warnings: [changed("src/base.txt")] };
    expect(await attempt({ guard, write }), guard).toMatchObject(expected);
  }
});

test("LOOP-18: files that verification adds, or writes again as they are, are not reported as changed", async () => {
  const first =
    "mkdir -p .cache\necho x > .cache/a\necho x > src/new.snap\ncp -p src/w.txt t\nmv t src/w.txt\n";
  for (const guard of levels) {
    const ended = await attempt({ guard, first, write: { "src/w.txt": "fine\n" } });
    const made =
      "verification made 2 files that are not committed: .cache/a, src/new.snap: commit or ignore them";
    expect(ended, guard).toMatchObject({ outcome: "done", warnings: guard === "clean" ? [] : [made] });
  }
});

const scripts = ["a", "b", "c", "d", "e"].map((name) => `    "${name}": "true",\n`).join("");
const files = {
  "package.json": `{\n  "scripts": {\n${scripts}    "verify": "sh check.sh"\n  },\n  "dependencies": {}\n}\n`,
  "tests/a.test.mjs": `${"// x\n".repeat(20)}test(() => assert(1));\n`,
};
const fewer = "tests/a.test.mjs was changed: 1 test and 1 assertion fewer";
const hidden = {
  "its own attributes": ["echo '** -diff' > .gitattributes; echo > tests/a.test.mjs", fewer],
  "a byte that texts do not have": ["printf '//\\0\\n' > tests/a.test.mjs", fewer],
  "a link": ["ln -sf /dev/null tests/a.test.mjs", "tests/a.test.mjs was changed: it is a link now"],
  "the distance to its key": [
    "sed -i 's/sh check.sh/true/' package.json",
    "package.json was changed: verification may run its scripts",
  ],
  "its size": [
    "head -c 80000000 /dev/zero | tr '\\0' x >> tests/a.test.mjs",
    "tests/a.test.mjs was changed: it is too large to compare its tests",
  ],
} as const;

test("LOOP-18 TRUST-11: a change to tests or scripts does not hide behind what git shows of it", async () => {
  for (const [name, [script, warning]] of Object.entries(hidden)) {
    const played = { guard: "strict", files, write: { "src/w.txt": "fine\n" }, run: [["sh", "-c", script]] };
    const reason = `verification itself was changed: ${warning}`;
    const ended = await attempt(played);
    expect(ended, name).toMatchObject({ outcome: "failed", reason: expect.stringContaining(reason) });
  }
});

test("LOOP-18: a new dependency and a new test are not reported", async () => {
  const script =
    'sed -i \'s/"dependencies": {}/"dependencies": { "yaml": "2" }/\' package.json; echo \'test(1)\' >> tests/a.test.mjs';
  const played = { guard: "strict", files, write: { "src/w.txt": "fine\n" }, run: [["sh", "-c", script]] };
  expect(await attempt(played)).toMatchObject({ outcome: "done", warnings: [] });
});

const outside = "is a link out of the project: what verification read there is not part of the work";

test("LOOP-18 TRUST-11: work that is a link out of the project is reported, and fails under strict and clean", async () => {
  const links = {
    "src/w.txt": "echo fine > ../w; ln -s ../../w src/w.txt",
    "src/git.txt": "echo fine > .git/w; ln -s ../.git/w src/git.txt",
    src: 'mv src ../s; ln -s "$(cd ../s; pwd)" src',
  };
  for (const [path, script] of variants(Object.entries(links), 1)) {
    for (const guard of levels) {
      const run = [["sh", "-c", script]];
      const warnings = [`${path} ${outside}`];
      const failed = { outcome: "failed", reason: warnings[0], warnings };
      const expected = guard === "report" ? { outcome: "done", warnings } : failed;
      expect(await attempt({ guard, write: { "a.txt": "a" }, run }), `${path} ${guard}`).toMatchObject(
        expected,
      );
    }
  }
});

test("LOOP-18: a link within the project is not reported", async () => {
  const run = [["sh", "-c", "ln -s base.txt src/w.txt; ln -s ../src src/up; ln -s ../none src/none"]];
  expect(await attempt({ guard: "strict", write: { "a.txt": "a" }, run })).toMatchObject({
    outcome: "done",
    warnings: [],
  });
});

test("LOOP-18 TRUST-11: commits that verification makes are reported, and fail under strict and clean", async () => {
  // Only HEAD and the work tree differ from what was read, not one from the other.
  const commit = `${flip("src/base.txt").split("\n")[0]}
top=\${top%/.git/objects}
trap 'unset GIT_DIR GIT_WORK_TREE; cd $top; echo more > src/base.txt; git commit -qm planted src/base.txt' EXIT
`;
  for (const guard of variants(levels, 2)) {
    const ended = await attempt({ guard, write: { "src/w.txt": "fine\n", "src/x.sh": commit } });
    const expected = { outcome: guard === "report" ? "done" : "failed", warnings: [changed("HEAD")] };
    expect(ended, guard).toMatchObject(expected);
  }
});
