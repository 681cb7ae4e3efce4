import { afterEach, expect, test } from "vitest";
import { writeHook } from "../temp-repository.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Formats what is staged: and adds it, or does not, or refuses the commit for it. */
const formatter = `for f in $(git diff --cached --name-only -- src); do
  grep -q formatted $f && continue
  echo formatted >> $f
  case $f in src/adds*) git add $f;; src/refuses*) exit 1;; esac
done`;

test("LOOP-21: what a hook reformats is committed, whether it adds it, leaves it or refuses the commit once", async () => {
  project = practice();
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "work\n" } }] }, 'verify: ["test -e src"]\n');
  writeHook(project, "pre-commit", formatter);
  const ids = ["adds", "leaves", "refuses"];
  await project.addTasks([...ids, "refuses-2"].map((id) => ({ id, title: id })));
  const { code, events } = await project.run(...ids);
  expect([code, finished(events).length]).toEqual([0, 3]);
  for (const id of ids) expect(project.git("show", `HEAD:src/${id}.txt`)).toBe("work\nformatted");
  expect(project.git("status", "--porcelain")).toBe("");
  const trailers = project.git("log", "-3", "--reverse", "--format=%(trailers:key=Ralph-Task,valueonly)");
  expect(trailers.split("\n").filter(Boolean)).toEqual(ids);
  // Beside somebody else's staged file the commit is made from an index of its own.
  project.write("staged.txt", "mine\n");
  project.git("add", "staged.txt");
  expect((await project.run("--allow-dirty")).code).toBe(0);
  expect(project.git("show", "HEAD:src/refuses-2.txt")).toBe("work\nformatted");
  expect(project.git("status", "--porcelain")).toBe("A  staged.txt");
});

const format = "for f in $(git diff --cached --name-only -- src); do echo formatted >> $f; git add $f; done";
/** Checks what is staged alone, and brings the rest back. */
const stashing = `git stash push -q --keep-index --include-untracked || exit 1
[ ! -e new.txt ] || exit 1
git reset -q --hard && git stash pop -q --index`;
/** Hides what is not staged in a patch, with a stash in case it goes wrong, as lint-staged does. */
const patching = `backup=$(git stash create) && git stash store -q $backup
git diff --binary > ../hidden.patch; git checkout -q -- .
${format}
git apply ../hidden.patch && git stash drop -q`;

test.each([
  ["stashes", stashing, "work"],
  ["takes away", patching, "work\nformatted"],
])(
  "LOOP-21 LOOP-25: the commit holds the work, the tree a person's edits, where a hook %s what is not staged",
  async (_, hook, text) => {
    project = practice({ "mine.txt": "committed\n" });
    await project.useWorker({ "*": [{ write: { "src/{id}.txt": "work\n" } }] }, 'verify: ["test -e src"]\n');
    writeHook(project, "pre-commit", hook);
    await project.addTasks(["a", "b"].map((id) => ({ id, title: id })));
    for (const name of ["mine.txt", "new.txt"]) project.write(name, "a person's\n");
    const { code, events } = await project.run("--allow-dirty");
    expect([code, finished(events).map(({ outcome }) => outcome)]).toEqual([0, ["done", "done"]]);
    for (const id of ["a", "b"]) expect(project.git("show", `HEAD:src/${id}.txt`)).toBe(text);
    const committed = project.git("log", "-2", "--name-only", "--format=").split("\n");
    expect(committed.filter(Boolean).toSorted()).toEqual(["src/a.txt", "src/b.txt"]);
    expect(["mine.txt", "new.txt"].map(project.read)).toEqual(["a person's\n", "a person's\n"]);
    expect(project.git("status", "--short")).toBe(" M mine.txt\n?? new.txt");
    expect(project.git("stash", "list")).toBe("");
  },
);

test("LOOP-21 UX-3: what a hook changes with every commit is shown once, counted in the summary, and in each outcome", async () => {
  project = practice({ "version.txt": "0\n" });
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "work\n" } }] }, 'verify: ["test -e src"]\n');
  const stamp = (name: string): string => `n=${name}; echo x >> $n.txt; git add $n.txt`;
  writeHook(project, "pre-commit", `${stamp("version")}; [ ! -e src/c.txt ] || { ${stamp("other")}; }`);
  await project.addTasks(["a", "b", "c", "d"].map((id) => ({ id, title: id })));
  const { stdout } = await project.ralph("run");
  const [before = "", summary = ""] = stdout.replace(/\s+/g, " ").split("all tasks are done");
  const one = "a hook changed version.txt after verification";
  const two = "a hook changed other.txt, version.txt after verification";
  expect([before.split(one).length, before.split(two).length]).toEqual([2, 2]);
  expect(summary).toContain(`a attempt 1: ${one} (and 3 more of this kind)`);
  const log = (await project.json("log", "b")) as { attempts: { outcome: string }[] };
  expect(JSON.stringify(log)).toContain(one);
});
