import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killRalph } from "./kill-ralph.ts";

/** A git that kills the ralph that calls it, once, when its arguments hold those of `dieAt`. */
export interface DeadlyGit {
  readonly path: string;
  /** Arguments, separated by spaces, as they stand side by side on git's command line. */
  dieAt(args: string): void;
  /** As `dieAt`, but once that git has done its work. */
  dieAfter(args: string): void;
  /** Whether the kill is still to come. */
  waits(): boolean;
  remove(): void;
}

export function deadlyGit(): DeadlyGit {
  const folder = mkdtempSync(join(tmpdir(), "ralph-tools-"));
  const real = "/usr/bin:/usr/local/bin:/bin";
  const file = join(folder, "die-at");
  const after = join(folder, "die-after");
  writeFileSync(
    join(folder, "git"),
    `#!/bin/sh
if [ -f "${after}" ]; then
  case " $* " in *" $(cat "${after}") "*) rm "${after}"; PATH="${real}" git "$@"; ${killRalph}; exit 1;; esac
fi
if [ -f "${file}" ]; then
  case " $* " in *" $(cat "${file}") "*) rm "${file}"; ${killRalph}; exit 1;; esac
fi
PATH="${real}:$PATH" exec "$(PATH="${real}:$PATH" command -v git)" "$@"
`,
  );
  chmodSync(join(folder, "git"), 0o755);
  return {
    path: `${folder}:${process.env["PATH"]}`,
    dieAt: (args) => writeFileSync(file, args),
    dieAfter: (args) => writeFileSync(after, args),
    waits: () => existsSync(file) || existsSync(after),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
