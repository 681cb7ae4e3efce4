import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { directories } from "../../config/directories.ts";
import { readEnv } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";
import { slug } from "../../trust/safe-name.ts";

interface JournalPlace {
  readonly root: string;
  /** The folder of all projects' journals. */
  readonly base: string;
  readonly folder: string;
  readonly change: string | null;
}

/** Returns where the journals of the project at `root` are: `<base>/<project>`, outside its repository (JOURNAL-2). */
export function journalSettings(root: string, { dir, change }: Settings["journal"]): JournalPlace {
  const state = directories().state;
  const base =
    dir === null
      ? state
      : resolve(
          root,
          dir.replace(/^~(?=\/)/, () => readEnv("HOME") || homedir()),
        );
  const own = projectName(root);
  return { root, base, folder: dir === null ? join(base, "ralph", own) : join(base, own), change };
}

function projectName(root: string): string {
  const real = realpathSync.native(root);
  return `${slug(basename(real)).slice(0, 48)}-${sha256(real).slice(0, 8)}`;
}
