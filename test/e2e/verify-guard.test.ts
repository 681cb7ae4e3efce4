import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const work = { write: { "src/{id}.txt": "BROKEN" } };
const files = { "check.sh": "! grep -rq BROKEN src\n", "src/base.txt": "ok\n" };

/** Runs one task in a project that is verified by `sh check.sh`. */
async function attempt(guard: string, move: readonly (readonly string[])[]) {
  project = practice(files);
  const config = `verify: ["sh check.sh"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker({ "*": [{ ...work, run: move }] }, config);
  await project.addTasks(["first"]);
  const { events } = await project.run();
  return finished(events)[0];
}

test.each(["skip-worktree", "assume-unchanged"])(
  "LOOP-18: git sees a check that is hidden by %s",
  async (flag) => {
    const move = [
      ["git", "update-index", `--${flag}`, "check.sh"],
      ["sh", "-c", "echo 'exit 0' > check.sh"],
    ];
    const reported = await attempt("report", move);
    const hidden = `check.sh was hidden from git (${flag}); that is undone, and it is judged`;
    expect(reported?.["warnings"]).toEqual([hidden, "check.sh was changed: verification runs it"]);
    expect(project.git("ls-files", "-v", "check.sh")).toBe("H check.sh");
    project.remove();
    const strict = await attempt("strict", move);
    expect(strict).toMatchObject({ outcome: "failed", verification: "failed" });
    expect(strict?.["reason"]).toContain("check.sh was changed: verification runs it");
  },
);
