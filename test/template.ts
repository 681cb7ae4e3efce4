import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../src/base/hash.ts";

let ownFolder: string | undefined;

/** The folder of templates: one for all test files, or one for this process where no suite runs. */
function templateFolder(): string {
  const shared = process.env["TEST_TEMPLATES"];
  if (shared !== undefined) return shared;
  if (ownFolder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "ralph-templates-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    ownFolder = made;
  }
  return ownFolder;
}

/**
 * The folder that holds what `make` puts into an empty one. `make` is called once for each `key`, by whichever test file
 * is first; what it makes must depend on the key alone. Tests only read the folder.
 */
export function template(key: unknown, make: (folder: string) => void): string {
  const templates = templateFolder();
  const folder = join(templates, sha256(JSON.stringify(key)));
  if (existsSync(folder)) return folder;
  mkdirSync(templates, { recursive: true });
  const made = mkdtempSync(join(templates, "new-"));
  make(made);
  try {
    renameSync(made, folder);
  } catch {
    // Another test file was faster.
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

/** Fills `folder` with a copy of the template of `key`, which must hold no absolute path. */
export function copyTemplate(key: unknown, folder: string, make: (folder: string) => void): void {
  cpSync(template(key, make), folder, { recursive: true, verbatimSymlinks: true });
}
