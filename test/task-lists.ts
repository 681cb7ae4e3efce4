import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Db } from "../src/store/port/db.ts";
import { type ImportReport, importTasks } from "../src/tasks/import-tasks.ts";
import { openTempStore } from "./temp-store.ts";

/** A project with an empty store and no lists, gone when the test ends. */
export interface ListProject {
  readonly root: string;
  readonly db: Db;
  /** Writes a file below the root and returns its path. */
  put(path: string, text: string | Uint8Array): Promise<string>;
  /** Imports a file of the project. */
  run(path: string, format?: string): Promise<ImportReport>;
}

export async function openListProject(now: () => Date): Promise<ListProject> {
  const root = await mkdtemp(join(tmpdir(), "ralph-lists-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const db = await openTempStore();
  return {
    root,
    db,
    put: async (path, text) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      return path;
    },
    run: (path, format) =>
      importTasks(db, { projectRoot: root, path, ...(format === undefined ? {} : { format }) }, now()),
  };
}

/** Returns a `tasks.yaml` with these entries. */
export const yamlList = (...entries: readonly string[]): string =>
  `tasks:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`;
