import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Practice, practice, ralphBin } from "./practice.ts";

let data = "";
let project: Practice;
const file = (): string => join(data, "ralph/hivemind.db");

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  project = practice({ "README.md": "# practice\n" }, { XDG_DATA_HOME: data });
  await project.useWorker({ "*": [{ write: { "{id}.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
  await project.addTasks(["Convert the dates of the ledger export"]);
  expect((await project.run()).code).toBe(0);
  expect(existsSync(file())).toBe(true);
  await project.addTasks([{ id: "t-2", title: "Convert the dates of the invoice export" }]);
});
afterEach(() => {
  project.remove();
  rmSync(data, { recursive: true, force: true });
});

const mounter = "unshare";
/** A file system of its own takes a mount: root, on Linux. */
const canMount = spawnSync(mounter, ["-m", "true"]).status === 0;

/** Runs the project and shows its status while the hivemind's folder is a file system that `prepare` leaves. */
function runOn(prepare: readonly string[]): { readonly code: number; readonly status: string } {
  const ralph = `"${process.execPath}" "${ralphBin}"`;
  const folder = join(data, "ralph");
  const script = [
    `cp -a ${folder} ${data}/kept`,
    `mount -t tmpfs -o size=400k tmpfs ${folder}`,
    `cp -a ${data}/kept/. ${folder}`,
    ...prepare.map((line) => line.replaceAll("FOLDER", folder)),
    `${ralph} run >/dev/null 2>&1; echo "code $?"`,
    `${ralph} status`,
  ].join("\n");
  const out = execFileSync(mounter, ["-m", "sh", "-c", script], {
    cwd: project.dir,
    env: project.env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return { code: Number(/^code (\d+)$/m.exec(out)?.[1]), status: out };
}

test.skipIf(!canMount)("HIVE-4: a full disk breaks no run; status says it, and nothing is lost", async () => {
  const { code, status } = runOn(["head -c 900000 /dev/zero > FOLDER/fill 2>/dev/null || true"]);
  expect(code).toBe(0);
  expect(status).toMatch(/hivemind .*1 record waiting[\s\S]*the disk is full/);
  await project.addTasks([{ id: "t-3", title: "Something else" }]);
  await project.run();
  expect(await project.json("status")).toMatchObject({ hivemind: { shared: 3, pending: 0 } });
});

test.skipIf(!canMount)("HIVE-4: a read-only hivemind breaks no run, and status says it", () => {
  const { code, status } = runOn(["mount -o remount,ro FOLDER"]);
  expect(code).toBe(0);
  expect(status).toMatch(/hivemind .*1 record waiting/);
  expect(status).toMatch(/hivemind .*(?:read-only|cannot be opened)/);
});

test("HIVE-4: after the file is deleted during a run, the same run creates a new one", async () => {
  const remove = ["sh", "-c", `rm -f '${file()}' '${file()}-wal' '${file()}-shm'`];
  project.setScript({ "*": [{ run: [remove], write: { "{id}.txt": "{id}\n" } }] });
  expect((await project.run()).code).toBe(0);
  expect(await project.json("status")).toMatchObject({ hivemind: { records: 1, pending: 0, problem: null } });
});
