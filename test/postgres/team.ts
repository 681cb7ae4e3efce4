import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Practice, practice } from "../e2e/practice.ts";
import { runGit } from "../git-shell.ts";
import { freePort } from "./server.ts";

/** A bare repository behind `git daemon` on 127.0.0.1, and clones of it with homes and states of their own. */
export interface Team {
  readonly bare: string;
  git(...args: string[]): string;
  /** A clone of a machine whose runs keep their store at `url`. */
  machine(url: string): Promise<Practice>;
  remove(): void;
}

const env = { PATH: `${process.env["PATH"]}`, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

/** Makes a team whose agents run this body with the task's id in `$id`, and claim to be done. */
export async function makeTeam(body: string, workers: number): Promise<Team> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-team-")));
  const bare = join(folder, "team.git");
  mkdirSync(bare);
  const git = (...args: string[]): string => runGit(args, { cwd: bare, env }).trimEnd();
  git("init", "-q", "--bare", "-b", "main");
  const port = await freePort();
  const serve = ["daemon", "--enable=receive-pack", "--export-all", "--listen=127.0.0.1", `--port=${port}`];
  const daemon = spawn("git", [...serve, `--base-path=${folder}`], { env, stdio: "ignore", detached: true });
  const machines: Practice[] = [];
  const address = `git://127.0.0.1:${port}/team.git`;
  await answers(address, daemon);
  return {
    ...{ bare, git },
    machine: async (url) => {
      const made = practice({
        "agent.sh": `id=$(cat | grep -om1 't-[0-9]*' | head -1)\n${body}\necho "<task-done>$id</task-done>"\n`,
        "check.sh": "exit 0\n",
        ".gitignore": ".ralph/\n",
      });
      machines.push(made);
      Object.assign(made.env, { RALPH_STORE_URL: url });
      made.git("remote", "add", "origin", address);
      if (machines.length === 1) made.git("push", "-q", "-u", "origin", "main");
      else {
        made.git("fetch", "-q", "origin");
        made.git("reset", "-q", "--hard", "origin/main");
      }
      made.write(
        ".ralph/config.yaml",
        `agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\nsandbox: off\nworkers: { count: ${workers}, remote: origin }\n`,
      );
      await made.approveConfig();
      return made;
    },
    remove: () => {
      if (daemon.pid !== undefined && daemon.exitCode === null) process.kill(-daemon.pid, "SIGKILL");
      for (const made of machines) made.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the tasks that landed, once for each of their commits. */
export function landedOn({ git }: Pick<Team, "git">): readonly string[] {
  const trailer = "--format=%(trailers:key=Ralph-Task,valueonly)";
  return git("log", trailer, "main").split("\n").filter(Boolean).toSorted();
}

async function answers(address: string, daemon: ChildProcess): Promise<void> {
  for (let n = 0; n < 200; n++) {
    try {
      runGit(["ls-remote", "-q", address], { cwd: "/", env });
      return;
    } catch {
      if (daemon.exitCode !== null) break;
      await sleep(50);
    }
  }
  throw new Error("git daemon does not answer");
}
