import { spawnSync } from "node:child_process";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A way in which ralph makes its view here: for whom, and without which programs. */
export interface ViewWay {
  readonly name: string;
  /** The words before a command line. */
  readonly words: readonly string[];
  /** The words for it in the run's header and in `ralph doctor`. */
  readonly level: string;
  /** Whose the project is; null: this user's. */
  readonly owner: number | null;
}

const isRoot = process.getuid?.() === 0;
/** No user of the machine has it. */
const owner = 64_123;
const asUser = ["setpriv", `--reuid=${owner}`, `--regid=${owner}`, "--clear-groups", "--no-new-privs"];
const bubblewrap = ["/usr/bin/bwrap", "/bin/bwrap"].filter((path) => existsSync(path));
const byBubblewrap = "read-only view of ralph's files (bubblewrap)";
const byMounts = "read-only view of ralph's files (mount namespace)";
/** A system without bubblewrap: what covers it cannot be executed. */
const hidden = bubblewrap.map((path) => `mount --bind /dev/null ${path}; `).join("");
const without = ["unshare", "--mount", "sh", "-c", `${hidden}exec "$@"`, "sh"];

const here = bubblewrap.length > 0 ? byBubblewrap : byMounts;

const all: readonly ViewWay[] = isRoot
  ? [
      { name: "root", words: [], level: here, owner: null },
      { name: "root without bubblewrap", words: without, level: byMounts, owner: null },
      { name: "root, in another user's project", words: [], level: here, owner },
      ...(bubblewrap.length > 0
        ? [{ name: "a user with bubblewrap", words: asUser, level: byBubblewrap, owner }]
        : []),
      { name: "a user without bubblewrap", words: [...without, ...asUser], level: byMounts, owner },
    ]
  : [{ name: "this user", words: [], level: here, owner: null }];

/** The ways that this machine offers; of those that it does not, a sentence on stderr says so. */
export function viewWays(file: string): readonly ViewWay[] {
  return all.filter(({ name, words }) => {
    const trial = [...words, "unshare", ...(isRoot && words.length === 0 ? [] : ["--user"])];
    const [program = "", ...args] = [...trial, "--pid", "--fork", "--mount-proc", "test", "-r", file];
    const { status } = spawnSync(program, args, { stdio: "ignore" });
    if (status !== 0) process.stderr.write(`skipped: the tests of the read-only view as ${name}\n`);
    return status === 0;
  });
}

/** Gives a folder and all that is in it to the owner of the way's project. */
export function giveTo({ owner: user }: ViewWay, folder: string): void {
  if (user === null) return;
  chownSync(folder, user, user);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    spawnSync("chown", ["-h", `${user}:${user}`, join(folder, name)]);
  }
}
