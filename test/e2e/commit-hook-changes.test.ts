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
