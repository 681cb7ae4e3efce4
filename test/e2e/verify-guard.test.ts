import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { finished, type Practice, practice, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const files = {
  ".gitignore": "/local.sh\n/.npmrc\n",
  "check.sh": 'sh ci/inner.sh\n. "$PWD/local.sh"\n',
  "ci/inner.sh": "! grep -rq BROKEN src\n",
  "test/unit.test.mjs": 'test("adds", () => {\n  expect(1).toBe(1);\n  expect(2).toBe(2);\n});\n',
  "src/base.txt": "ok\n",
};

type Moves = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Runs one task for each move; its agent also writes a file. */
async function attempts(guard: string, moves: Moves) {
  project = practice(files);
  project.write("local.sh", ":\n");
  const steps = Object.entries(moves).map(([id, run]) => [id, [{ write: { "src/{id}.txt": "x" }, run }]]);
  const config = `verify: ["sh check.sh"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker(Object.fromEntries(steps), config);
  await project.addTasks(Object.keys(moves).map((id) => ({ id, title: `task ${id}` })));
  const { events } = await project.run();
  const of = (id: string) => finished(events).find((event) => event["taskId"] === id);
  return { of, end: events.at(-1), warnings: (id: string) => of(id)?.["warnings"] };
}

const sh = (script: string): readonly string[] => ["sh", "-c", script];
const hide = (flag: string): readonly string[] => ["git", "update-index", `--${flag}`, "ci/inner.sh"];
const inner = "ci/inner.sh was changed: verification runs it";
const hidden = (flag: string): string =>
  `ci/inner.sh was hidden from git (${flag}); that is undone, and it is judged`;

test("LOOP-18 TRUST-11: what would hollow out verification is reported with the attempt, in the summary and in the log", async () => {
  const { warnings, end } = await attempts("report", {
    script: [sh("echo : >> ci/inner.sh")],
    skip: [hide("skip-worktree"), sh("echo : >> ci/inner.sh")],
    assume: [hide("assume-unchanged"), sh("echo : >> ci/inner.sh")],
    ignored: [sh("echo : > local.sh; echo : >> local.sh; echo script-shell=true > .npmrc")],
    home: [sh("echo script-shell=true > ~/.npmrc")],
    fewer: [sh("sed -i /2/d test/unit.test.mjs")],
    none: [],
  });
  expect(warnings("script")).toEqual([inner]);
  expect(warnings("skip")).toEqual([hidden("skip-worktree"), inner]);
  expect(warnings("assume")).toEqual([hidden("assume-unchanged"), inner]);
  expect(warnings("ignored")).toEqual([
    "local.sh was changed: verification runs it",
    ".npmrc was added: it configures programs of verification",
  ]);
  expect(warnings("home")).toEqual(["~/.npmrc was added: it configures programs of verification"]);
  expect(warnings("fewer")).toEqual(["test/unit.test.mjs was changed: 1 assertion fewer"]);
  expect(warnings("none")).toEqual([]);
  expect(project.git("ls-files", "-v", "ci/inner.sh")).toBe("H ci/inner.sh");
  expect(end?.["report"]).toMatchObject({
    warnings: expect.arrayContaining([{ taskId: "script", attempt: 1, text: inner }]),
  });
  const [run] = (await project.json("log")) as { id: string }[];
  const summary = (await project.ralph("log", run?.id ?? "")).stdout;
  expect(summary).toContain("script attempt 1: ci/inner.sh was changed");
  expect((await project.ralph("log", "home")).stdout).toContain("~/.npmrc was added");
});

test("LOOP-18 TRUST-11: under strict such an attempt fails, and the next until it is undone", async () => {
  const { of } = await attempts("strict", {
    hidden: [hide("skip-worktree"), sh("echo : >> ci/inner.sh")],
    home: [sh("echo script-shell=true > ~/.npmrc")],
    innocent: [],
    undone: [sh("rm ~/.npmrc")],
  });
  const failed = { outcome: "failed", verification: "failed" };
  const changed = "verification itself was changed:";
  expect(of("hidden")).toMatchObject({ ...failed, reason: `${changed} ${inner}` });
  const planted = `${changed} ~/.npmrc was added: it configures programs of verification`;
  expect(of("home")).toMatchObject({ ...failed, reason: planted });
  expect(of("innocent")).toMatchObject({ ...failed, reason: planted });
  expect(of("undone")).toMatchObject({ outcome: "done" });
});

/** The first command runs the agent's module, which plants a lint that passes and puts the old one back. */
async function plantedLint(
  guard: string,
  plant: string,
  work = "BROKEN",
): Promise<Record<string, unknown> | undefined> {
  project = practice({
    "check.sh": "for file in src/*.hook; do test ! -e $file || sh $file; done\n",
    // As if the agent's code removed what it planted.
    "lint.sh": "rm -f ~/.profile; git config --unset core.fsmonitor; ! grep -rq BROKEN src\n",
    "src/base.txt": "ok\n",
  });
  const write = { "src/{id}.txt": work, "src/{id}.hook": plant };
  const config = `verify: ["sh check.sh", "sh lint.sh"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker({ a: [{ write }] }, config);
  await project.addTasks([{ id: "a", title: "task a" }]);
  return finished((await project.run()).events)[0];
}

const replaced = "mv lint.sh ../lint.sh; echo 'mv ../lint.sh lint.sh' > lint.sh\n";
const lint = "lint.sh was changed: verification runs it";

test("LOOP-18 TRUST-11: a command that replaces the script of a later one only while that runs is found", async (context) => {
  onlyInLongForm(context);
  expect(await plantedLint("report", replaced)).toMatchObject({
    outcome: "done",
    warnings: [`${lint} (verification did)`],
  });
  project.remove();
  const strict = await plantedLint("strict", replaced);
  expect(strict).toMatchObject({ outcome: "failed", reason: `verification itself was changed: ${lint}` });
  project.remove();
  const clean = await plantedLint("clean", replaced);
  expect(clean).toMatchObject({ outcome: "failed", warnings: [`${lint}; put back (verification did)`] });
  expect(clean?.["reason"]).toMatch(/^verification failed: sh lint\.sh: exit code 1/);
});

test("LOOP-18 TRUST-11: what an earlier command plants outside of the project or in git's configuration does not help a later one", async (context) => {
  onlyInLongForm(context);
  const outside = await plantedLint("clean", "echo : > ~/.profile\n", "fine");
  const why = "~/.profile was added: programs of verification read it when they start";
  const reason = `verification itself was changed: ${why}`;
  expect(outside).toMatchObject({ outcome: "failed", reason, warnings: [`${why} (verification did)`] });
  project.remove();
  const inGit = await plantedLint("report", "git config core.fsmonitor ./planted\n");
  expect(inGit?.["warnings"]).toContainEqual(
    expect.stringMatching(/^put back \.git\/config: an agent may not change it; .* \(verification did\)$/),
  );
});

test("LOOP-18 TRUST-11: programs that an agent puts into a folder of the search path do not become ralph's own", async (context) => {
  onlyInLongForm(context);
  project = practice(files, { PATH: `../bin:${process.env["PATH"]}` });
  project.write("local.sh", ":\n");
  const names = "git find rm chmod";
  const planted = `for name in ${names}; do printf "#!/bin/sh\\necho $name >> ../ran\\nexec $(command -v $name) \\"\\$@\\"\\n" > ../planted-$name; done`;
  const install = `mkdir ../bin; for name in ${names}; do mv ../planted-$name ../bin/$name; done; /bin/chmod +x ../bin/*`;
  // A folder that ralph has to open, and to remove.
  const closed = "mkdir -p closed .ralph/tmp/x; /bin/chmod 0 closed";
  const first = { write: { "src/{id}.txt": "x" }, run: [sh(planted), sh(`${install}; ${closed}`)] };
  const config = 'verify: ["sh check.sh"]\nlimits: { maxAttempts: 1 }\n';
  await project.useWorker({ a: [first], b: [{ write: { "src/{id}.txt": "x" } }] }, config);
  await project.addTasks(["a", "b"].map((id) => ({ id, title: `task ${id}` })));
  const [of] = finished((await project.run()).events);
  expect(existsSync(join(project.dir, "../ran"))).toBe(false);
  expect(existsSync(join(project.dir, "../bin/git"))).toBe(true);
  expect(of?.["warnings"]).toContainEqual(
    expect.stringMatching(/bin\/git was added: ralph would run it as git$/),
  );
});

/** What a script reads if it exists, and a script that a setup command runs. */
async function withOptional(guard: string, run: string): Promise<Record<string, unknown> | undefined> {
  project = practice({
    "check.sh": '[ -f .env.sh ] && . "$PWD/.env.sh"\ntimeout 60 sh lint.sh\n',
    "lint.sh": "test -e made && ! grep -rq BROKEN src\n",
    "setup.sh": "touch made\n",
    "src/base.txt": "ok\n",
    ".gitignore": "made\n",
  });
  project.write("made", "");
  const step = { write: { "src/{id}.txt": "BROKEN" }, run: [sh(run)] };
  const config = `verify: ["sh check.sh"]\nverifySetup: ["sh setup.sh"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker({ a: [step] }, config);
  await project.addTasks([{ id: "a", title: "task a" }]);
  return finished((await project.run()).events)[0];
}

test("LOOP-18 TRUST-11: a new file that a script reads if it exists is reported, and not used by a separate tree", async () => {
  const added = ".env.sh was added: verification runs it";
  const plant = "echo 'exit 0' > .env.sh";
  expect(await withOptional("report", plant)).toMatchObject({ outcome: "done", warnings: [added] });
  project.remove();
  const strict = await withOptional("strict", plant);
  expect(strict).toMatchObject({ outcome: "failed", reason: `verification itself was changed: ${added}` });
  project.remove();
  expect(await withOptional("clean", plant)).toMatchObject({ outcome: "failed", warnings: [added] });
});

test("LOOP-18 TRUST-11: a separate tree is set up by the scripts of before the task", async (context) => {
  onlyInLongForm(context);
  const plant = "printf 'touch made; rm -f src/*\\n' > setup.sh";
  const clean = await withOptional("clean", plant);
  expect(clean).toMatchObject({
    outcome: "failed",
    warnings: ["setup.sh was changed: verification runs it"],
  });
  expect(clean?.["reason"]).toMatch(/^verification failed: sh check\.sh/);
  project.remove();
  // Without a separate tree they do not run.
  expect(await withOptional("report", plant)).toMatchObject({ outcome: "failed", warnings: [] });
});

test("LOOP-18: a task that verifyGuard: strict blocked names the commands that accept its changes, and they work", async () => {
  const { end } = await attempts("strict", { wanted: [sh("echo : >> ci/inner.sh")] });
  expect(end).toMatchObject({
    exitCode: 4,
    needs: [
      {
        reason: expect.stringMatching(
          /^needs a person: if you want its changes .*: ralph task retry wanted, then RALPH_VERIFY_GUARD=report ralph run wanted \(/,
        ),
      },
    ],
  });
  await project.ralph("task", "retry", "wanted");
  const again = spawnSync(process.execPath, [...ralphStart, "run", "wanted", "--json"], {
    cwd: project.dir,
    env: { ...project.env, RALPH_VERIFY_GUARD: "report" },
    encoding: "utf8",
  });
  expect(again.status).toBe(0);
  expect(project.git("show", "--format=", "--name-only", "HEAD")).toContain("ci/inner.sh");
});
