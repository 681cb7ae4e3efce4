import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ended, type StateRepository, stateRepositories } from "./state-repository.ts";

// commit.enabled: false: what tasks finished lies in the tree, and later tasks build on it.

let repo: StateRepository;
const newRepository = stateRepositories();

const t1 = {
  write: { "src/one.txt": "one\n", "src/shared.txt": "shared, by t-1\n" },
  remove: ["src/old.txt"],
  run: [["sh", "-c", "printf '\\377\\000\\r\\n' > src/bytes; chmod +x src/bytes"]],
};
const spoil = {
  write: {
    "src/two.txt": "BROKEN\n",
    "src/shared.txt": "BROKEN by t-2\n",
    "src/one.txt": "spoilt\n",
    "src/old.txt": "back again\n",
  },
  remove: ["src/bytes"],
};

const off = (onFailure: string): string => `onFailure: ${onFailure}\ncommit: { enabled: false }\n`;
const finished = ({ events }: Ended, task: string) =>
  events.filter(({ type, taskId }) => type === "iteration.finished" && taskId === task);

const look =
  "{ cat src/shared.txt src/one.txt; ls src; od -An -tx1 src/bytes; [ -x src/bytes ] && echo runs; } > ../seen";

const whole = process.env["RALPH_TEST_GIT"] !== undefined;

test.each(whole ? ["rollback", "keep"] : ["rollback"])(
  "LOOP-9: with commits off and onFailure: %s the next task finds what was finished, not what failed",
  async (onFailure) => {
    const builds = { run: [["sh", "-c", `${look}; echo more >> src/shared.txt`]] };
    repo = newRepository({ "t-1": [t1], "t-2": [spoil], "t-3": [builds] }, off(onFailure));
    repo.write("mine.txt", "edited by a person\n");
    repo.write("untracked.txt", "mine\n");
    const head = repo.git("rev-parse", "HEAD");
    const ended = await repo.run("--max-attempts", "1");
    expect([ended.stderr, ended.code, ended.events.at(-1)]).toMatchObject([
      "",
      4,
      { tasks: { done: 2, blocked: 1 } },
    ]);
    const seen = readFileSync(join(repo.base, "seen"), "utf8").split("\n");
    expect(seen.map((line) => line.trim())).toEqual([
      "shared, by t-1",
      "one",
      "bytes",
      "keep.txt",
      "one.txt",
      "shared.txt",
      "ff 00 0d 0a",
      "runs",
      "",
    ]);
    expect([repo.read("src/shared.txt"), repo.exists("src/two.txt")]).toEqual([
      "shared, by t-1\nmore\n",
      false,
    ]);
    expect([repo.read("mine.txt"), repo.read("untracked.txt")]).toEqual(["edited by a person\n", "mine\n"]);
    expect(repo.git("rev-parse", "HEAD")).toBe(head);
    const ref = String(ended.events.find(({ type }) => type === "salvage.saved")?.["ref"]);
    for (const [path, text] of Object.entries(spoil.write))
      expect(repo.git("show", `${ref}:${path}`)).toBe(text.trim());
    expect(finished(ended, "t-3")).toMatchObject([{ warnings: [] }]);
  },
);

test("LOOP-9: with commits off a person's uncommitted files are theirs as ever", async () => {
  repo = newRepository(
    { "t-1": [{ write: { "src/one.txt": "one\n", "mine.txt": "overwritten\n" } }] },
    off("keep"),
  );
  repo.write("mine.txt", "edited by a person\n");
  const ended = await repo.run("t-1", "--once");
  expect(finished(ended, "t-1")).toMatchObject([
    {
      outcome: "failed",
      reason: expect.stringMatching(/it changed mine\.txt, which had uncommitted changes/),
    },
  ]);
});
