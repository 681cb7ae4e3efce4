import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Runs tasks whose agent runs these commands in its first, second, … attempt. */
async function run(steps: readonly string[], config = "", files = {}, args: readonly string[] = []) {
  project = practice({ "check.sh": "exit 0\n", "index.js": "\n", "app/old.txt": "x\n", ...files });
  const script = { "*": steps.map((body) => ({ run: [["sh", "-c", body]] })) };
  await project.useWorker(script, `${config || 'verify: ["sh check.sh"]\n'}limits: { maxAttempts: 2 }\n`);
  await project.addTasks(["one"]);
  const ran = await project.run(...args);
  return { ...ran, attempts: finished(ran.events) };
}

const nested = "mkdir -p lib/dates; (cd lib/dates; git init -q .; echo 'module.exports=()=>1'>index.js)";

test.each(
  variants(
    [
      ["holds work", `${nested}; echo 'require("./lib/dates")()'>index.js`, "lib/dates"],
      ["is empty", "mkdir made; cd made; git init -q .", "made"],
      ["is far below", "mkdir -p a/b/c; echo x>x; cd a/b/c; git init -q; echo x>x", "a/b/c"],
      [
        "was added without a submodule",
        `${nested}; cd lib/dates; git add -A; git -c user.name=x -c user.email=x@x commit -qm x; cd ../..; git add -A; git commit -qm y`,
        "lib/dates",
      ],
    ],
    2,
  ),
)(
  "LOOP-25: a new git repository that %s fails the attempt, and the next one is told",
  async (_, body, folder) => {
    const { attempts } = await run([
      body,
      `rm -rf ${folder}/.git; git rm -q --cached ${folder}; echo y>y.txt`,
    ]);
    expect(attempts[0]).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(`^${folder} is a git repository of its own, .*remove ${folder}/\\.git`),
    });
    expect(attempts[1]).toMatchObject({ outcome: "done", warnings: [] });
    expect((await project.answer("prompt", "show", "t-1")).stdout).toContain(`remove ${folder}/.git`);
  },
);

test("LOOP-25: a git repository in a folder with tracked files is why nothing changed, until it is removed", async () => {
  project = practice({ "app/old.txt": "x\n", "other/x.txt": "x\n" });
  const makes = { run: [["git", "init", "-q", "app"]] };
  const removes = { run: [["rm", "-r", "app/.git"]], write: { "app/old.txt": "y" } };
  await project.useWorker({ "*": [makes, removes] }, 'verify: ["true"]\n');
  project.git("init", "-q", "other");
  await project.addTasks(["one"]);
  const { events } = await project.run();
  const why =
    "nothing in the project has changed, but app became a git repository of its own: remove app/.git";
  expect(finished(events)).toMatchObject([{ reason: why }, { outcome: "done" }]);
  expect((await project.answer("prompt", "show", "t-1")).stdout).toContain(why);
});

test("LOOP-25: a repository that was there before, one that git ignores, and a submodule fail nothing", async () => {
  project = practice({ ".gitignore": "tmp/\n" });
  const lib = `${project.dir}/../lib`;
  project.git("init", "-q", lib);
  project.git(
    "-C",
    lib,
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@x",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "x",
  );
  const add = "git -c protocol.file.allow=always submodule add -q ../lib libs/a";
  const body = `echo x>mine/x; git init -q tmp/x; echo x>x.txt; ${add}`;
  await project.useWorker({ "*": [{ run: [["sh", "-c", body]] }] });
  project.git("init", "-q", "mine");
  await project.addTasks(["one"]);
  const [attempt] = finished((await project.run()).events);
  expect(attempt).toMatchObject({ outcome: "done" });
  expect(project.git("ls-files", "-s", "libs")).toMatch(/^160000 /);
});

const commit = "echo {id}>{id}.txt; git add {id}.txt; git commit -qm own";
test.each(
  variants(
    [
      ["another branch", `git checkout -q main; ${commit}`],
      ["a new branch", `git switch -q -c fix; ${commit}`],
      ["a detached HEAD", `git checkout -q --detach; ${commit}`],
      ["a branch without commits of its own", `git switch -q -c fix; echo {id}>{id}.txt`],
      ["the branch under another name", `git branch -m fix; ${commit}`],
    ],
    1,
  ),
)("LOOP-25: work on %s is brought to the run's branch, and ralph switches back", async (_, body) => {
  const { code, attempts } = await run([body], "", {}, ["--branch", "overnight"]);
  expect([code, attempts[0]]).toMatchObject([0, { outcome: "done" }]);
  expect(attempts[0]?.["warnings"]).toEqual([
    expect.stringMatching(/^the agent switched to .* to overnight and/),
  ]);
  expect(project.git("symbolic-ref", "--short", "HEAD")).toBe("overnight");
  expect(project.git("show", "overnight:t-1.txt")).toBe("t-1");
  expect(project.git("status", "--porcelain")).toBe("");
});

test.each(
  variants(
    [
      ["an old commit", "git checkout -q HEAD~1"],
      ["a branch beside it", "git add -A; git commit -qm lost; git switch -q -c old HEAD~1"],
      ["a history of its own", "git checkout -q --orphan own; git commit -qm x"],
    ],
    1,
  ),
)("LOOP-25: work on %s fails the attempt, and the next one is on the run's branch", async (_, body) => {
  const { code, attempts } = await run([`echo x>x.txt; ${body}; ${commit}`, "echo y>y.txt"]);
  expect(attempts).toMatchObject([
    { outcome: "failed", reason: expect.stringMatching(/^it left main for .*: stay on main/) },
    { outcome: "done", warnings: [] },
  ]);
  expect([code, project.git("symbolic-ref", "--short", "HEAD")]).toEqual([0, "main"]);
  expect(project.commits().slice(0, 2)).toEqual(["one", "configure ralph"]);
});

test("LOOP-25: another branch's own history is not taken for the task's work", async () => {
  project = practice({ "check.sh": "exit 0\n" });
  const body = "git checkout -q develop; echo x>x.txt";
  await project.useWorker(
    { "*": [{ run: [["sh", "-c", body]] }, { write: { "y.txt": "y" } }] },
    'verify: ["sh check.sh"]\n',
  );
  const before = project.git("rev-parse", "HEAD");
  project.git("checkout", "-q", "-b", "develop");
  project.write("theirs.txt", "x");
  project.git("add", "theirs.txt");
  const old = { GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" };
  execFileSync("git", ["commit", "-qm", "theirs"], { cwd: project.dir, env: { ...project.env, ...old } });
  project.git("checkout", "-q", "main");
  await project.addTasks(["one"]);
  const [first] = finished((await project.run()).events);
  expect(first).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^it left main for develop/),
  });
  expect(project.git("rev-parse", "HEAD~1")).toBe(before);
  expect(project.git("log", "--format=%s", "main")).not.toContain("theirs");
});

const stripe = `sk_${"live"}_4eC39HqLyjWDarjtT1zdp7dcQ8rW`;
const key = `-----BEGIN ${"PRIVATE"} KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END ${"PRIVATE"} KEY-----\n`;
const fill = (folder: string): string =>
  `mkdir -p ${folder}; for n in $(seq 40); do echo $n > ${folder}/$n.js; done`;

const leftOut = [
  ["an .env file", `echo STRIPE_KEY=${stripe} > .env`, ".env"],
  ["an .env file of an environment", "echo PORT=1 > app/.env.production", "app/.env.production"],
  ["a private key", `printf -- '${key}' > server.pem`, "server.pem"],
  ["a file with a token", `echo 'key = "${stripe}"' > settings.toml`, "settings.toml"],
  ["dependencies", fill("node_modules/x"), "node_modules/"],
  ["a cache", fill("app/__pycache__"), "app/__pycache__/"],
  ["a virtual environment", fill(".venv/lib"), ".venv/"],
  ["a build of Cargo", `echo x>Cargo.toml; ${fill("target/debug")}`, "target/"],
] as const;

test("LOOP-25: keys, tokens, dependencies and builds are left out of the commit and named, also of an agent's own commit", async () => {
  const ends = ["", "; git add -A; git commit -qm own"];
  project = practice({ "check.sh": "exit 0\n", "app/old.txt": "x\n" });
  const steps = leftOut.map(([, body], at) => [
    `t-${at + 1}`,
    [{ run: [["sh", "-c", `echo x>{id}.txt; ${body}${ends[at % 2]}`]] }],
  ]);
  await project.useWorker(Object.fromEntries(steps), 'verify: ["sh check.sh"]\n');
  await project.addTasks(leftOut.map(([title]) => title));
  const { code, events } = await project.run();
  expect(code).toBe(0);
  const warnings = finished(events).map((event) => (event["warnings"] as string[]).join("\n"));
  for (const [at, [title, , line]] of leftOut.entries())
    expect(warnings[at], title).toMatch(`not committed: ${line} (`);
  expect(project.git("status", "--porcelain").split("\n").toSorted()).toEqual(
    leftOut.map(([, , line]) => `?? ${line}`).toSorted(),
  );
  expect(project.git("ls-files").match(/t-\d\.txt/g)).toHaveLength(leftOut.length);
});

test("LOOP-25: examples, fixtures, folders that the project has, and words like keys are committed", async () => {
  const body = [
    "echo KEY=your-key > .env.example",
    fill("test/fixtures/node_modules/x"),
    "echo y > node_modules/y.js",
    fill("target/x"),
    "echo 'const key = process.env.STRIPE_KEY' > key.js",
    `echo "const fake = '${stripe}'" > key.test.js`,
  ].join("; ");
  const { attempts } = await run([body], "", { "node_modules/x.js": "x\n" });
  expect(attempts).toMatchObject([{ outcome: "done", warnings: [] }]);
  expect(project.git("status", "--porcelain")).toBe("");
});

test("LOOP-25: work that is left out is no change, and the next attempt is told", async () => {
  const { attempts } = await run([`echo K=${stripe}>.env`, "echo x>x.txt"]);
  expect(attempts).toMatchObject([
    { outcome: "failed", reason: expect.stringMatching(/only \.env changed, which no commit/) },
    { outcome: "done" },
  ]);
});

test("LOOP-25: code that holds a secret fails the attempt, as verification would read what no commit holds", async () => {
  const { attempts } = await run([
    `echo "export const key = '${stripe}'" > key.mjs; echo x>x.txt`,
    "echo 'export const key = 1' > key.mjs",
  ]);
  expect(attempts).toMatchObject([
    { outcome: "failed", reason: expect.stringMatching(/^key\.mjs holds a secret/) },
    { outcome: "done", warnings: [] },
  ]);
  expect(project.git("show", "HEAD:key.mjs")).toBe("export const key = 1");
});

test("LOOP-25: a thousand files are one line of notice", async () => {
  const { attempts } = await run(["mkdir data; cd data; for n in $(seq 1000); do : > $n.txt; done"]);
  expect(attempts).toMatchObject([
    { outcome: "done", warnings: ["1000 changed files, most in data/: is a line missing in .gitignore?"] },
  ]);
});

test("LOOP-25: a later task may change what was left out, and is not blamed for the dependencies it installs", async () => {
  project = practice({ "check.sh": "exit 0\n" });
  const install = `mkdir -p node_modules/{id}; echo {id} > node_modules/{id}/a.js; echo {id} >> node_modules/list`;
  const body = `${install}; echo K={id} > .env; echo {id} > {id}.txt`;
  await project.useWorker({ "*": [{ run: [["sh", "-c", body]] }] }, 'verify: ["sh check.sh"]\n');
  await project.addTasks(["one", "two"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events)).toMatchObject([
    { warnings: [expect.stringMatching(/^not committed: (?:\.env, node_modules\/|node_modules\/, \.env) /)] },
    { warnings: [expect.stringMatching(/^not committed: \.env /)] },
  ]);
  expect(project.git("ls-files")).not.toMatch(/node_modules|\.env/);
  expect(project.read(".env")).toBe("K=t-2\n");
});

test("LOOP-25: what leaves the tree with unfinished work is named with the command that brings it back, without what no commit holds", async () => {
  project = practice({ "check.sh": "! test -e bad.txt\n" });
  const body = `echo bad > bad.txt; echo mine > notes.md; echo K=${stripe} > .env; ${fill("node_modules/x")}`;
  await project.useWorker(
    { "t-1": [{ run: [["sh", "-c", body]] }], "*": [{ write: { "good.txt": "good" } }] },
    'verify: ["sh check.sh"]\nlimits: { maxAttempts: 1 }\n',
  );
  await project.addTasks(["one", "two"]);
  const { stdout } = await project.ralph("run");
  const texts = [
    stdout,
    (await project.answer("status")).stdout,
    (await project.ralph("log", runOf(stdout))).stdout,
  ];
  for (const text of texts) {
    expect(text).toMatch(/saved +t-1: 2 files changed during the session left the tree: bad.txt,\s+notes.md/);
    expect(text).toMatch(/\n +to bring back: git cherry-pick -n -m1 refs\/ralph\/salvage\/t-1-1\n/);
  }
  expect(project.git("ls-tree", "-r", "--name-only", "refs/ralph/salvage/t-1-1")).not.toMatch(
    /env|node_modules/,
  );
  expect(project.git("status", "--porcelain")).toBe("?? .env\n?? node_modules/");
  project.git("cherry-pick", "-n", "-m1", "refs/ralph/salvage/t-1-1");
  expect([project.read("notes.md"), project.read("good.txt")]).toEqual(["mine\n", "good"]);
});

const runOf = (text: string): string => /run-[0-9a-f]{10}/.exec(text)?.[0] ?? "";
