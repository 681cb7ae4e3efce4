import { runTool } from "../process/run-tool.ts";
import { git, gitLines, gitRead, lastLines } from "./git/git.ts";
import type { Workspace } from "./git/workspace.ts";
import { pushRefs } from "./remote.ts";

const requestMs = 2 * 60_000;

/** Returns the remote that branches are pushed to, by git's settings, else `origin`, else the first; null: there is none. */
export async function pushRemote(ws: Workspace): Promise<string | null> {
  const remotes = await gitLines(ws, ["remote"]);
  const { stdout } = await gitRead(ws, ["config", "remote.pushDefault"], { accept: "any" });
  const wanted = [stdout.trim(), "origin"].find((name) => remotes.includes(name));
  return wanted ?? remotes[0] ?? null;
}

/** Returns true where the remote is known to have the branch. */
export async function isPushed(ws: Workspace, remote: string, branch: string): Promise<boolean> {
  const args = ["rev-parse", "--verify", "--quiet", `refs/remotes/${remote}/${branch}`];
  return (await gitRead(ws, args, { accept: "any" })).code === 0;
}

/** Notes, with the branch, that it was made for a pull request and what it merges into; git deletes the note with the branch. */
export async function noteBase(ws: Workspace, branch: string, base: string | null): Promise<void> {
  await git(ws, ["config", "--local", baseKey(branch), base ?? ""], { accept: "any" });
}

/** Returns what a branch that was made for a pull request merges into; null: unknown; undefined: it was made otherwise. */
export async function notedBase(ws: Workspace, branch: string): Promise<string | null | undefined> {
  const { code, stdout } = await gitRead(ws, ["config", "--local", baseKey(branch)], { accept: "any" });
  return code === 0 ? stdout.trim() || null : undefined;
}

const baseKey = (branch: string): string => `branch.${branch}.ralph-base`;

/** Pushes a branch under its own name, never by force. Returns why it could not, as a clause; null: it is pushed. */
export async function pushBranch(ws: Workspace, remote: string, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const pushed = await pushRefs(ws, remote, [`${ref}:${ref}`]);
  return pushed.state === "done" ? null : pushed.why;
}

interface Request {
  readonly remote: string;
  readonly branch: string;
  /** The branch to merge into; null: the remote's default. */
  readonly base: string | null;
  readonly title: string;
  readonly body: string;
  /** The file that holds `body`. */
  readonly bodyFile: string;
}

/** `missing`: neither gh nor glab is installed. */
type Requested =
  | { readonly state: "created" | "updated"; readonly url: string }
  | { readonly state: "failed"; readonly why: string }
  | { readonly state: "missing" };

/** Reports whether the remote's address names GitLab. */
export async function isGitlab(ws: Workspace, remote: string): Promise<boolean> {
  const { stdout } = await gitRead(ws, ["remote", "get-url", remote], { accept: "any" });
  return /gitlab/i.test(stdout);
}

/** Opens a pull request by `gh`, or a merge request by `glab`; updates the body of an open one. */
export async function requestPull(ws: Workspace, request: Request): Promise<Requested> {
  const programs = (await isGitlab(ws, request.remote)) ? [byGlab, byGh] : [byGh, byGlab];
  for (const ask of programs) {
    const answer = await ask(ws, request);
    if (answer.state !== "missing") return answer;
  }
  return { state: "missing" };
}

async function byGh(ws: Workspace, { branch, base, title, bodyFile }: Request): Promise<Requested> {
  const fields = ["--json", "url", "--jq", ".[0].url // empty"];
  const open = await run(ws, ["gh", "pr", "list", "--head", branch, "--state", "open", ...fields]);
  if (open === "missing") return { state: "missing" };
  if ("why" in open) return { state: "failed", why: open.why };
  const url = open.out;
  const words =
    url === ""
      ? ["create", "--head", branch, "--title", title, ...(base === null ? [] : ["--base", base])]
      : ["edit", url];
  const done = await run(ws, ["gh", "pr", ...words, "--body-file", bodyFile]);
  return ended(done, url === "" ? "created" : "updated");
}

/** glab takes the text of a description only. */
async function byGlab(ws: Workspace, { branch, base, title, body }: Request): Promise<Requested> {
  const known = await run(ws, ["glab", "mr", "update", branch, "--description", body]);
  if (known === "missing") return { state: "missing" };
  if ("out" in known) return ended(known, "updated");
  const target = base === null ? [] : ["--target-branch", base];
  const words = ["create", "--source-branch", branch, "--title", title, "--description", body, "--yes"];
  return ended(await run(ws, ["glab", "mr", ...words, ...target]), "created");
}

type Answer = "missing" | { readonly out: string } | { readonly why: string };

function ended(answer: Answer, state: "created" | "updated"): Requested {
  if (answer === "missing") return { state: "missing" };
  if ("why" in answer) return { state: "failed", why: answer.why };
  return { state, url: /https?:\/\/\S+/.exec(answer.out)?.[0] ?? answer.out };
}

async function run(ws: Workspace, argv: readonly [string, ...string[]]): Promise<Answer> {
  const env = { ...ws.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" };
  const { spawnError, exitCode, stdout, stderr } = await runTool(argv, {
    ...{ cwd: ws.topLevel, env, timeoutMs: requestMs },
  });
  if (spawnError !== null) return "missing";
  if (exitCode === 0) return { out: stdout.trim() };
  return { why: lastLines(stderr || stdout, 3).replaceAll(/\s*\n\s*/g, " ") || `exit code ${exitCode}` };
}
