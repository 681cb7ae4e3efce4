import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const sh = (script: string): readonly string[] => ["sh", "-c", script];

/** A person's edits: one staged and edited on, one not staged, a new one staged, a deletion, one that git does not know. */
async function withEdits(commands: string, more: object = {}): Promise<void> {
  project = practice({ "half.txt": "a\n", "loose.txt": "a\n", "gone.txt": "a\n", "src/base.txt": "x\n" });
  const step = { write: { "src/{id}.txt": "work\n" }, run: [sh(commands)], ...more };
  await project.useWorker({ "*": [step] }, 'verify: ["true"]\n');
  await project.addTasks(["one"]);
  project.write("half.txt", "staged\n");
  project.write("new.txt", "staged and new\n");
  project.git("add", "half.txt", "new.txt");
  project.write("half.txt", "staged, then edited\n");
  project.write("loose.txt", "not staged\n");
  project.git("rm", "-q", "gone.txt");
  project.write("unknown.txt", "unknown to git\n");
}

const state = (): string => project.git("status", "--porcelain", "--untracked-files=all");
const mine = ["MM half.txt", " M loose.txt", "A  new.txt", "D  gone.txt", "?? unknown.txt"];

test.each(
  variants(
    [
      ["commit -a", "git commit -qam 'own work' -m 'and why'; git add src; git commit -qm second"],
      ["add -A and commit", "git add -A; git commit -qm 'own work' -m 'and why'"],
    ],
    1,
  ),
)(
  "LOOP-9 LOOP-16: what `git %s` of an agent takes of a person's files is taken out again",
  async (_, commands) => {
    await withEdits(commands);
    const before = state();
    expect(before.split("\n").map((line) => line.slice(0, 2)).length).toBe(mine.length);
    const { code, events } = await project.run("--allow-dirty");
    expect(code).toBe(0);
    expect(state()).toBe(before);
    expect(project.git("show", ":half.txt")).toBe("staged");
    expect(project.read("half.txt")).toBe("staged, then edited\n");
    expect(project.read("loose.txt")).toBe("not staged\n");
    expect(project.git("log", "-p", "--format=%B", "main", "--not", "main~2")).not.toMatch(
      /edited|unknown|and new/,
    );
    const warnings = finished(events)[0]?.["warnings"] as string[];
    expect(warnings).toContainEqual(
      expect.stringMatching(/^half\.txt, which you .* was in a commit .*: taken out of it/),
    );
    const ref = /git log (refs\/\S+)\)/.exec(warnings.join("\n"))?.[1] ?? "";
    expect(project.git("show", `${ref}:loose.txt`)).toBe("not staged");
  },
);

test.each(
  variants(
    [
      [
        "is a merge",
        "git switch -qc side; git commit -qam theirs; git switch -q main; git commit -q --allow-empty -m x; git merge -q --no-ff side -m merged; git branch -qD side",
        /part of a merge, or .*/,
      ],
      ["has a tag", "git commit -qam theirs; git tag v9", /v9 has it too/],
      [
        "was pushed",
        "git init -q --bare ../remote; git remote add origin ../remote; git commit -qam theirs; git push -q origin main",
        /origin\/main has it too/,
      ],
    ],
    1,
  ),
)("LOOP-9: a commit with a person's files that %s stays, and that is reported", async (_, commands, why) => {
  await withEdits(`${commands}; git add src; git commit -qm own`);
  const { events } = await project.run("--allow-dirty");
  const warnings = (finished(events)[0]?.["warnings"] ?? []) as string[];
  // Once for each file, and not as the verification's doing.
  expect(warnings.filter((warning) => / stays there: /.test(warning) && /^half/.test(warning))).toEqual([
    expect.stringMatching(new RegExp(`^half\\.txt, .* and stays there: .*${why.source}$`)),
  ]);
  expect(project.git("show", "HEAD:loose.txt")).toBe("not staged");
});

test("LOOP-9: an attempt that edits and commits a person's file fails; neither version is lost", async () => {
  await withEdits("echo agent >> half.txt; git commit -qam both");
  const { events } = await project.run("--allow-dirty", "--once");
  const [attempt] = finished(events);
  expect(attempt).toMatchObject({ outcome: "failed" });
  const warnings = ((finished(events)[0]?.["warnings"] ?? []) as string[]).join("\n");
  const blob = /half\.txt was changed; .*git cat-file blob (\w+)/.exec(warnings)?.[1] ?? "";
  expect(project.git("cat-file", "blob", blob)).toBe("staged, then edited");
  expect(project.git("show", ":half.txt")).toBe("staged");
  expect(project.git("log", "--format=%s", "-p", "--", "half.txt")).not.toContain("+agent");
  expect(project.read("half.txt")).toBe("staged, then edited\nagent\n");
});

const context = ".ralph-context.json";

/** Two tasks whose agents commit everything, in a project that does not ignore ralph's file. */
async function withAddAll(): Promise<void> {
  project = practice({ "src/base.txt": "x\n" });
  rmSync(join(project.home, "config/git/ignore"));
  const step = { write: { "src/{id}.txt": "work\n" }, run: [sh("git add -A; git commit -qm own")] };
  await project.useWorker({ "*": [step] }, 'verify: ["true"]\n');
  await project.addTasks(["one", "two"]);
}

test("LOOP-9 CTX-1: ralph's file for other programs is taken out of an agent's commits", async () => {
  await withAddAll();
  // ralph has written it when the run ends.
  await project.run("--once");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(project.git("log", "--name-only", "--format=", "main")).not.toContain(context);
  expect(state()).toBe(`?? ${context}`);
  expect(finished(events)[0]?.["warnings"]).toEqual([
    expect.stringMatching(
      /^\.ralph-context\.json, which ralph never .*: taken out .*; to ignore it, add the line \.ralph-context\.json to \.gitignore\)$/,
    ),
  ]);
});
