import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { RalphError } from "../base/errors.ts";
import { type GitPlace, git, gitRead } from "./git/git.ts";
import { gitEnvironment } from "./git/git-environment.ts";

/**
 * Creates a git repository in `dir` on branch `main` with these files (relative path to content) as its first commit. If the
 * user has no identity, sets one in this repository only. `env` is the complete inherited environment. Throws
 * RALPH_GIT_EXISTS for an existing repository.
 */
export async function initRepository(
  dir: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(join(dir, ".git"), { recursive: true }).then((made) => {
    if (made === undefined) throw new RalphError("RALPH_GIT_EXISTS", `${dir} is already a git repository.`);
  });
  const place: GitPlace = { topLevel: await realpath(dir), env: gitEnvironment(env) };
  await git(place, ["init", "--quiet", "--initial-branch=main", "--template="]);
  const [identity] = await Promise.all([
    gitRead(place, ["var", "GIT_COMMITTER_IDENT"], { accept: "any" }),
    ...Object.entries(files).map(([path, text]) => writeBelow(place.topLevel, path, text)),
  ]);
  if (identity.code !== 0) {
    await git(place, ["config", "user.name", "Ralph"]);
    await git(place, ["config", "user.email", "ralph@localhost"]);
  }
  await git(place, ["add", "--all"]);
  const unsigned = ["-c", "commit.gpgSign=false", "commit", "--quiet", "--allow-empty"];
  await git(place, [...unsigned, "-F", "-"], { stdin: "First commit\n" });
}

async function writeBelow(top: string, path: string, text: string): Promise<void> {
  const full = join(top, path);
  if (relative(top, full).startsWith("..")) throw new Error(`outside of the repository: ${path}`);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text, { flag: "wx" });
}
