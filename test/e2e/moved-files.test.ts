import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const moves = [
  ["behind a link", "mkdir real; mv mine/* real/; rmdir mine; ln -s real mine"],
  ["with its folder", "mv mine real"],
] as const;

/** A person's untracked file in `mine`, or with `edited`, an edit there; each attempt of an agent adds to `work.txt`. */
async function withFile(script: string, edited = false): Promise<void> {
  project = practice({ ...(edited ? { "mine/file.txt": "committed\n" } : {}), "base.txt": "x\n" });
  const step = (commands: string) => ({ run: [["sh", "-c", `echo work >> work.txt; ${commands}`]] });
  const verify = `verify: ["test -e ok"]\n`;
  await project.useWorker({ "t-1": [step(script), step("echo > ok")], "*": [step("echo > ok")] }, verify);
  await project.addTasks(["one", "two"]);
  project.write("mine/file.txt", "a person's\n");
}

const inHistory = (): string => project.git("log", "--all", "-p", "--format=%s", "--", "real", "mine");

test.each(variants(moves, 1))(
  "LOOP-9: a person's edit that an agent moves %s stays in the tree, after the failure and the next attempt",
  async (_, script) => {
    await withFile(script, true);
    const { events } = await project.run("--allow-dirty");
    expect(finished(events).map(({ outcome }) => outcome)).toEqual(["failed", "done", "done"]);
    expect(project.read("real/file.txt")).toBe("a person's\n");
    expect(inHistory()).not.toContain("+a person's");
  },
);

test("LOOP-9: a person's file that an agent commits at another path is taken out of its commit", async () => {
  await withFile("mv mine real; git add -A; git commit -qm own; echo > ok");
  expect((await project.run()).code).toBe(0);
  expect(project.git("log", "--format=%s")).toContain("own");
  expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe("?? real/file.txt");
  expect(project.git("log", "-p", "main", "--", "real")).toBe("");
});
