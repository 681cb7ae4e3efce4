import { execFileSync, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { afterEach, expect, test } from "vitest";
import { jsonLines, type Practice, practice, ralphBin } from "./practice.ts";

// Root may enter and read everything.
const setpriv = "setpriv";
const asOther = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
const canRun =
  process.getuid?.() === 0 &&
  spawnSync(setpriv, [...asOther, process.execPath, ralphBin, "--version"]).status === 0;

let project: Practice;
afterEach(() => project?.remove());

const closed: readonly string[] = ["src/base.txt", "src"];

test.runIf(canRun)(
  "LOOP-9: files and folders of the work tree that a test closed to its own user are opened and named",
  { timeout: 120_000 },
  async () => {
    project = practice({ "src/base.txt": "ok\n" });
    const steps = closed.map((places, at) => [
      `t-${at}`,
      [
        {
          write: { "src/{id}.txt": "x" },
          run: [["sh", "-c", `echo {id} >> src/base.txt; chmod 000 ${places}`]],
          say: "<task-done>{id}</task-done>",
        },
      ],
    ]);
    await project.useWorker(
      Object.fromEntries(steps),
      'sandbox: "off"\nverify: ["true"]\nlimits: { maxAttempts: 1 }\n',
    );
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
    const events = jsonLines(ran.stdout);
    const finished = events.filter(({ type }) => type === "iteration.finished");
    expect(finished.map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual(
      closed.map((_, at) => `t-${at} done`),
    );
    for (const [at, places] of closed.entries())
      expect(String(finished[at]?.["warnings"]), places).toMatch(/opened .*, which was closed to its owner/);
    expect(ran.status).toBe(0);
  },
);
