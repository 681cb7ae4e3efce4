import { execFileSync, spawn } from "node:child_process";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { type Ended, type StateRepository, stateRepositories, usual } from "./state-repository.ts";

// An obstacle to git's commit stops the run with the work in the tree; mended, the next run goes on.

let repo: StateRepository;
const newRepository = stateRepositories();

const whole = process.env["RALPH_TEST_GIT"] !== undefined;
const last = ({ events }: Ended): unknown => events.at(-1);

const refusals: readonly (readonly [string, RegExp, () => void, () => void])[] = [
  [
    "a pre-commit hook that cannot be run",
    /no-such-linter/,
    () => repo.script(".git/hooks/pre-commit", "no-such-linter"),
    () => repo.script(".git/hooks/pre-commit", "exit 0"),
  ],
  [
    "a commit-msg hook without its interpreter",
    /commit-msg/,
    () => repo.write(".git/hooks/commit-msg", "#!/no/such/interpreter\n"),
    () => repo.script(".git/hooks/commit-msg", "exit 0"),
  ],
  [
    "a signing program that fails",
    /sign/,
    () => {
      repo.git("config", "commit.gpgSign", "true");
      repo.git("config", "gpg.program", "false");
    },
    () => repo.git("config", "commit.gpgSign", "false"),
  ],
  [
    "an index.lock that no crash of ralph's left",
    /index\.lock/,
    () => repo.write(".git/index.lock", "of an editor"),
    () => execFileSync("rm", [join(repo.top, ".git/index.lock")]),
  ],
];

test.each(whole ? refusals : refusals.slice(0, 1))(
  "LOOP-9: with %s verified work is kept, the refusal told, and committed once that is mended",
  async (_, message, arrange, mend) => {
    repo = newRepository();
    arrange();
    repo.write("untracked.txt", "mine\n");
    const stopped = await repo.run("--max-attempts", "2");
    expect(stopped.code).toBe(5);
    expect(last(stopped)).toMatchObject({
      reason: "commit-failed",
      summary: expect.stringMatching(message),
      hint: expect.any(String),
    });
    expect([repo.read("src/one.txt"), repo.exists("src/old.txt")]).toEqual(["one\n", false]);
    mend();
    const ended = await repo.run("--max-attempts", "2");
    expect(ended.code).toBe(4);
    expect(last(ended)).toMatchObject({ tasks: { done: 2, blocked: 1 } });
    expect(repo.git("log", "-2", "--format=%s")).toBe("work t-3\nwork t-1");
    expect(repo.git("status", "--porcelain")).toBe("?? untracked.txt");
  },
);

test("LOOP-9: an index that another git holds for a while only delays the commit", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_GIT");
  const editor = "touch editing; while [ -f editing ]; do sleep 0.1; done; false";
  const script = {
    "*": [
      { write: { "src/{id}.txt": "x\n" }, run: [["sh", "-c", "while ! [ -f editing ]; do sleep 0.1; done"]] },
    ],
  };
  repo = newRepository(script);
  repo.write(".git/info/exclude", "editing\n");
  repo.write("mine.txt", "edited\n");
  const index = (): string => repo.git("ls-files", "-s", "mine.txt");
  const before = index();
  const running = repo.run("t-1", "--allow-dirty");
  while (!repo.begun("t-1")) await sleep(20);
  const person = spawn("git", ["commit", "-o", "mine.txt"], {
    cwd: repo.top,
    env: { ...repo.env, GIT_EDITOR: `${editor} #` },
    stdio: "ignore",
  });
  const ended = new Promise((done) => person.once("exit", done));
  while (!repo.exists("src/t-1.txt")) await sleep(20);
  await sleep(3000);
  expect(repo.exists(".git/index.lock")).toBe(true);
  unlinkSync(join(repo.top, "editing"));
  expect(await ended).toBe(1);
  const { code, stderr } = await running;
  expect([stderr, code]).toEqual(["", 0]);
  expect(repo.git("show", "--format=%s", "--name-only")).toBe("work t-1\n\nsrc/t-1.txt");
  expect([index(), repo.read("mine.txt"), repo.git("status", "--porcelain")]).toEqual([
    before,
    "edited\n",
    " M mine.txt",
  ]);
});

test("LOOP-9: commits of a task that is given up at the run's end leave the branch, and are kept", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_GIT");
  const step = { write: { "src/two.txt": "BROKEN\n" }, commit: "half of it" };
  repo = newRepository({ ...usual, "t-2": [{ ...step, append: { "src/shared.txt": "more\n" } }] });
  const ended = await repo.run("t-1", "t-2", "--max-attempts", "1");
  expect(ended.code).toBe(4);
  expect(repo.git("log", "-1", "--format=%s")).toBe("work t-1");
  expect(repo.git("status", "--porcelain")).toBe("");
  const ref = "refs/ralph/salvage/t-2-1";
  expect(ended.events.find(({ type }) => type === "salvage.saved")).toMatchObject({ taskId: "t-2", ref });
  expect(repo.git("log", "-1", "--format=%s", `${ref}^2`)).toBe("half of it");
});

test("LOOP-9: a person's untracked file that the agent overwrote comes back by the command that the warning names", async () => {
  const name = "it's mine.txt";
  repo = newRepository({
    ...usual,
    "t-1": [{ write: { ...(usual["t-1"][0] as { write: object }).write, [name]: "overwritten\n" } }],
  });
  repo.write(name, "precious\n");
  const { events } = await repo.run("t-1");
  const warnings = events.find(({ type }) => type === "iteration.finished")?.["warnings"] as string[];
  const command = /git cat-file blob .*$/.exec(warnings.join("\n"))?.[0].replace(/\)$/, "") ?? "false";
  execFileSync("sh", ["-c", command], { cwd: repo.top });
  expect(repo.read(name)).toBe("precious\n");
});
