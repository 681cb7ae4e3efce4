import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** The first task fails; while its agent works, a person edits a file in the same folder. */
async function failing(config = ""): Promise<string> {
  project = practice({ "src/base.txt": "x\n", "notes.txt": "old\n" });
  const edit = ["sh", "-c", "echo meanwhile > notes.txt"];
  await project.useWorker(
    {
      "t-1": [{ write: { "src/t-1.txt": "BROKEN\n" }, run: [edit] }],
      "*": [{ write: { "src/t-2.txt": "fine\n" } }],
    },
    `verify: ["! grep -rq BROKEN src"]\n${config}`,
  );
  await project.addTasks(["one", "two"]);
  return (await project.ralph("run", "--max-attempts", "1")).stdout;
}

test.each(
  variants(
    [
      ["salvaged t-1's unfinished work", "salvage", ""],
      ["rolled back t-1's work", "rollback", "onFailure: rollback\n"],
    ],
    1,
  ),
)(
  "LOOP-16: work that leaves the tree is named, with the command that gets it back: %s",
  async (what, kind, config) => {
    const shown = await failing(config);
    expect(shown).toContain(`${what} (2 files: notes.txt, src/t-1.txt): refs/ralph/${kind}/`);
    const ref = /git restore --source=(\S+) -- FILE/.exec(shown)?.[1] ?? "";
    expect(project.read("notes.txt")).toBe("old\n");
    project.git("restore", `--source=${ref}`, "--", "notes.txt");
    expect(project.read("notes.txt")).toBe("meanwhile\n");
  },
);
