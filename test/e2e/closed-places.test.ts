import { execFileSync, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice, type RunEvent, ralphBin } from "./practice.ts";

// Root may enter and read everything.
const setpriv = "setpriv";
const asOther = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
const canRun =
  process.getuid?.() === 0 &&
  spawnSync(setpriv, [...asOther, process.execPath, ralphBin, "--version"]).status === 0;

let project: Practice;
afterEach(() => project?.remove());

/** The default suite closes the first of these. */
const closed: readonly string[] = variants(
  [
    "src/base.txt",
    ".",
    ".git/refs .git",
    ".git/HEAD .git/config",
    ".ralph",
    "~/.gitconfig ~/config",
    "src",
    ".git/refs/heads",
    ".git/objects/?? .git/objects",
    ".git/info .git/logs",
    ".ralph/*",
    ".ralph/logs/* .ralph/tmp/*",
    "~/state/ralph",
  ],
  6,
);

test.runIf(canRun)(
  "LOOP-18 TRUST-12: what an agent closes to its own user is opened and reported, and the run goes on",
  { timeout: 120_000 },
  async () => {
    project = practice({ "src/base.txt": "ok\n" });
    const steps = closed.map((places, at) => [
      `t-${at}`,
      [
        {
          write: { "src/{id}.txt": "x" },
          run: [["sh", "-c", `touch ~/.gitconfig; echo {id} >> src/base.txt; chmod 000 ${places}`]],
          say: "<task-done>{id}</task-done>",
        },
      ],
    ]);
    await project.useWorker(Object.fromEntries(steps), 'verify: ["true"]\nlimits: { maxAttempts: 1 }\n');
    await project.addTasks(closed.map((_, at) => ({ id: `t-${at}`, title: `t-${at}` })));
    execFileSync("chown", ["-R", "65534:65534", dirname(project.dir)]);
    const path = `${dirname(process.execPath)}:/usr/bin:/bin:/root/not-ours`;
    const argv = [...asOther, process.execPath, ralphBin, "run", "--json"];
    const ran = spawnSync(setpriv, argv, {
      cwd: project.dir,
      env: { ...project.env, PATH: path },
      encoding: "utf8",
    });
    expect(ran.stderr).toBe("");
    const events = ran.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RunEvent);
    const finished = events.filter(({ type }) => type === "iteration.finished");
    expect(finished.map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual(
      closed.map((_, at) => `t-${at} done`),
    );
    for (const [at, places] of closed.entries())
      expect(String(finished[at]?.["warnings"]), places).toMatch(/opened .*, which the agent had closed/);
    expect(ran.status).toBe(0);
  },
);
