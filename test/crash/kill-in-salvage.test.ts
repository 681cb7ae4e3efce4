import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";

let project: Practice;
let tools: string;
afterEach(() => {
  project?.remove();
  rmSync(tools, { recursive: true, force: true });
});

/** A git that kills whoever calls it, once, when an argument says what the file `die-at` says. */
function deadlyGit(): string {
  const folder = mkdtempSync(join(tmpdir(), "ralph-tools-"));
  const real = "/usr/bin:/usr/local/bin:/bin";
  writeFileSync(
    join(folder, "git"),
    `#!/bin/sh
if [ -f "${folder}/die-at" ]; then
  case " $* " in *" $(cat "${folder}/die-at") "*) rm "${folder}/die-at"; kill -9 $PPID; exit 1;; esac
fi
PATH="${real}:$PATH" exec "$(PATH="${real}:$PATH" command -v git)" "$@"
`,
  );
  chmodSync(join(folder, "git"), 0o755);
  return folder;
}

test.each(["--index-info", "-u", "update-ref"])(
  "LOOP-11: killed at git's %s while it puts work aside, ralph goes on by itself",
  async (step) => {
    tools = deadlyGit();
    project = practice(
      {
        "check.mjs": 'import{readdirSync}from"node:fs";process.exit(readdirSync("src").includes("bad")?1:0)',
        "src/ok": "",
      },
      { PATH: `${tools}:${process.env["PATH"]}` },
    );
    const script = {
      "t-1": [{ write: { "src/bad": "x", "src/more": "y" }, commit: "own" }],
      "*": [{ write: { "src/{id}": "z" } }],
    };
    await project.useWorker(script, 'verify: ["node check.mjs"]\n');
    for (const id of ["t-1", "t-2"]) await project.ralph("task", "add", id, "--id", id);
    await project.run("--once", "--max-attempts", "1");
    writeFileSync(join(tools, "die-at"), step);
    await project.run("--max-attempts", "1");
    expect(existsSync(join(tools, "die-at"))).toBe(false);
    const { code, events } = await project.run("--max-attempts", "1");
    expect(events.at(-1)).toMatchObject({ reason: "stuck", tasks: { done: 1, blocked: 1 } });
    expect(code).toBe(4);
    expect(project.commits().slice(0, 2)).toEqual(["t-2 (t-2)", "configure ralph"]);
    expect(project.git("status", "--porcelain")).toBe("");
    expect(project.git("ls-tree", "--name-only", "refs/ralph/salvage/t-1-1:src")).toContain("bad\nmore");
  },
);
