import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const sh = (script: string): readonly string[] => ["sh", "-c", script];

/** Fails for a file in `src` with BROKEN, without the setup, and where files are that git does not track. */
const check = `test -e deps/ready || { echo "no setup"; exit 9; }
test ! -e ignored.txt || exit 8
for hook in src/*.hook; do if test -e "$hook"; then sh "$hook"; fi; done
! grep -rq BROKEN src
`;

interface Steps {
  readonly [id: string]: readonly (readonly string[])[];
}

/** Runs one task for each step under `verifyGuard: clean`, beside the tree of another project. */
async function runClean(steps: Steps, config = "verifyBaseline: off\n") {
  project = practice({
    ".gitignore": "deps/\nignored.txt\n",
    ".gitattributes": "*.bin filter=evil\n",
    "check.sh": check,
    "lock.txt": "1\n",
    "src/base.txt": "ok\n",
    "src/a.bin": "binary\n",
  });
  const { home, write, git } = project;
  git("config", "filter.evil.smudge", `touch ${home}/smudged; cat`);
  write("ignored.txt", "only in the project\n");
  // The setup appends a line each time.
  const setup = `test ! -e ${home}/offline && cat lock.txt >> ${home}/setups && mkdir -p deps/node_modules && touch deps/ready`;
  const worker = Object.entries(steps).map(([id, run]) => [id, [{ write: { "src/{id}.txt": "x" }, run }]]);
  const settings = `verify: ["sh check.sh"]\nverifyGuard: clean\nverifySetup: ["${setup}"]\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker(Object.fromEntries(worker), settings + config);
  await project.addTasks(Object.keys(steps).map((id) => ({ id, title: `task ${id}` })));
  mkdirSync(join(cleanFolder(), "0123456789abcdef"), { recursive: true });
  // As a killed run leaves it.
  const own = createHash("sha256").update(project.dir).digest("hex").slice(0, 16);
  mkdirSync(join(cleanFolder(), own, "tree/deps"), { recursive: true });
  writeFileSync(join(cleanFolder(), own, "tree/ignored.txt"), "stale");
  const ran = await project.run();
  const of = (id: string): RunEvent | undefined => finished(ran.events).find((one) => one["taskId"] === id);
  return { ...ran, of, setups: setupsIn(home) };
}

const cleanFolder = (): string => join(project.home, "state/ralph/clean");

function setupsIn(home: string): string {
  const path = join(home, "setups");
  return existsSync(path) ? readFileSync(path, "utf8").replaceAll("\n", " ").trim() : "";
}

test("LOOP-18: clean verifies the finished work in a separate tree, with the guarded files as they were", async () => {
  const broken = "echo exit 0 > check.sh; echo BROKEN > src/x.txt";
  const { of, setups } = await runClean({
    good: [],
    script: [sh(broken)],
    committed: [sh(`${broken}; git add -A; git commit -qm x`)],
    lock: [sh("echo 2 > lock.txt")],
    after: [],
  });
  for (const id of ["good", "lock", "after"]) expect(of(id)).toMatchObject({ outcome: "done" });
  for (const id of ["script", "committed"]) {
    expect(of(id)).toMatchObject({ outcome: "failed", verification: "failed" });
    expect(of(id)?.["reason"]).toContain("sh check.sh: exit code 1 (with check.sh as before the attempt");
  }
  expect(of("script")?.["warnings"]).toContain("check.sh was changed: verification runs it");
  // Once, and again when the file that it reads had changed.
  expect(setups).toBe("1 2");
  expect(readdirSync(cleanFolder())).toEqual(["0123456789abcdef"]);
  expect(existsSync(join(project.home, "smudged"))).toBe(false);
  expect(existsSync(join(project.dir, "deps"))).toBe(false);
  expect(project.read("ignored.txt")).toBe("only in the project\n");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
});

test("LOOP-18, LOOP-20: the baseline is verified in the separate tree, and what a killed run left there is removed", async () => {
  const { code, events, setups } = await runClean({ one: [] }, "verifyBaseline: auto\n");
  expect(code).toBe(0);
  expect(setups).toBe("1");
  expect(events.find(({ type }) => type === "baseline.finished")).toMatchObject({ passed: true });
  expect(readdirSync(cleanFolder())).toEqual(["0123456789abcdef"]);
  writeFileSync(join(project.home, "offline"), "");
  await project.addTasks([{ id: "two", title: "two" }]);
  const second = await project.run();
  expect(second.code).toBe(4);
  expect(second.events.at(-1)).toMatchObject({ reason: "baseline-failed" });
});

/** Runs as many tests as there are files. */
const counted = "echo '1..9'; echo \"# pass $(find . -name '*.test' | wc -l)\"";

test("LOOP-18: the separate tree has the project's submodules, and what it lacks is not verified", async () => {
  project = practice({ ".gitignore": "local/\n", "check.sh": counted, "a.test": "" });
  const work = { "*": [{ write: { "src/{id}.txt": "x" } }] };
  await project.useWorker(
    work,
    'verify: ["sh check.sh"]\nverifyGuard: clean\nverifyBaseline: auto\nlimits: { maxAttempts: 1 }\n',
  );
  project.write("../lib/b.test", "");
  project.git("init", "-q", "../lib");
  project.git("-C", "../lib", "add", "-A");
  project.git("-C", "../lib", "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-qm", "lib");
  project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "deps/lib");
  project.git("commit", "-qam", "submodule");
  await project.addTasks(["one", "two"]);
  const all = await project.run("--max-iterations", "1");
  expect(finished(all.events)).toMatchObject([{ outcome: "done", warnings: [] }]);
  // Tests of the project are known: one that is deleted by its own people is not missed.
  project.git("rm", "-q", "a.test");
  project.git("commit", "-qm", "removed");
  project.write("local/c.test", "");
  const before = async () => {
    const { code, events } = await project.run();
    return [code, events.find(({ type }) => type === "baseline.finished")?.["reason"]];
  };
  const fewer = "ran 1 test in the separate tree of verifyGuard: clean, 2 in the project: ";
  expect(await before()).toEqual([4, expect.stringContaining(fewer)]);
  rmSync(join(project.dir, "local"), { recursive: true });
  const objects = join(project.dir, ".git/modules/deps/lib/objects");
  renameSync(objects, `${objects}-gone`);
  mkdirSync(objects);
  expect(await before()).toEqual([
    4,
    expect.stringContaining("the submodule deps/lib is not in the separate"),
  ]);
  rmSync(objects, { recursive: true });
  renameSync(`${objects}-gone`, objects);
  expect((await project.run()).code).toBe(0);
});
