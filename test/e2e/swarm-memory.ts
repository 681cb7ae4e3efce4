import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Practice, practice } from "./practice.ts";

interface SharingProjects {
  /** The user's data folder, a new one for each test. */
  data(): string;
  /** Makes a project with a remote of this name. */
  project(name: string): Practice;
  /** Removes a project, made in another way, after the test. */
  keep(one: Practice): Practice;
}

/** Projects of a test file that share a hivemind, removed after each test. */
export function sharingProjects(): SharingProjects {
  let data = "";
  let made: Practice[] = [];
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  });
  afterEach(() => {
    for (const one of made) one.remove();
    made = [];
    rmSync(data, { recursive: true, force: true });
  });
  const keep = (one: Practice): Practice => {
    made.push(one);
    return one;
  };
  return {
    data: () => data,
    keep,
    project: (name) => {
      const one = keep(practice({ "README.md": "# x\n" }, { XDG_DATA_HOME: data }));
      one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
      return one;
    },
  };
}

export interface Result {
  readonly memory: { readonly id: string; readonly content: string; readonly metadata: { tags: string[] } };
  readonly score: number;
  readonly matchType: string;
}

/** A script for the JSON of `swarm memory`: takes its fields only, and believes exit codes. */
export async function swarm(one: Practice, ...args: string[]): Promise<Record<string, unknown>> {
  const words = ["memory", ...args, "--json"];
  const { code, stdout } = await one.answer(...words);
  const said = JSON.parse(stdout) as Record<string, unknown>;
  if (said["success"] === true && code === 0) return said;
  if (said["success"] === false && code === 1 && typeof said["error"] === "string") return said;
  throw new Error(`exit code ${code}: ${stdout}`);
}

export async function find(one: Practice, ...args: string[]): Promise<readonly Result[]> {
  return (await swarm(one, "find", ...args))["results"] as readonly Result[];
}
