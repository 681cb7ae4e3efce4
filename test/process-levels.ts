import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findBubblewrap, sandboxWords } from "../src/process/bubblewrap.ts";
import { namespacePrefix } from "../src/process/isolation-probe.ts";
import type { ProcessRequest } from "../src/process/run-process.ts";
import { findView, mountViews, type ViewMaker } from "../src/process/view.ts";

type Level = Pick<ProcessRequest, "isolation" | "sandbox">;

/** Every way in which this machine can run a process, by its name; in a sandbox, `folder` stays as it is. */
export async function processLevels(folder: string): Promise<readonly (readonly [string, Level])[]> {
  const levels: (readonly [string, Level])[] = [["process-group", { isolation: "process-group" }]];
  if (await namespacePrefix()) levels.push(["pid-namespace", { isolation: "pid-namespace" }]);
  const bubblewrap = await findBubblewrap();
  if (typeof bubblewrap !== "string") {
    const root = resolve(import.meta.dirname, "..");
    const system = ["usr", "etc", "opt", "bin", "sbin", "lib", "lib64"].map((name) => `/${name}`);
    const paths = [...system, root, folder].filter((path) => existsSync(path));
    const mounts = paths.map((path) => ({ kind: "write", path, from: path }) as const);
    const sandbox = sandboxWords(bubblewrap, { mounts, cwd: folder, network: true });
    levels.push(["sandbox", { isolation: "pid-namespace", sandbox }]);
  }
  const view = await findView();
  if (typeof view !== "string") {
    const sandbox = view.words([{ kind: "pin", path: folder }]);
    levels.push([`view by a ${view.name}`, { isolation: "pid-namespace", sandbox }]);
  }
  return levels;
}

/** Every way in which this machine can make views: the one that ralph takes, and mounts. */
export async function viewMakers(): Promise<readonly ViewMaker[]> {
  const made = [await findView(), await mountViews()];
  const makers = made.flatMap((one) => (typeof one === "string" ? [] : [one]));
  return makers.filter(({ name }, at) => makers.findIndex((one) => one.name === name) === at);
}
