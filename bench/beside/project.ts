import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Practice, practice } from "../../test/e2e/practice.ts";
import { useAgent } from "../overhead/shell-loop.ts";

/** What the runs that are compared work on. */
export interface Setup {
  readonly tasks: number;
  /** How long each agent sleeps (ms). */
  readonly agentMs: number;
  /** Number of ignored files in `node_modules`. */
  readonly modules: number;
  /** The verification command. */
  readonly verify: string;
}

/** A repository of ralph with its dependencies and `dist/`. */
type Build = string;

const trackedFiles = 200;
const modulesPerPackage = 30;
const passingTest = 'require("node:test")("adds", () => require("node:assert").equal(1 + 1, 2));\n';

/** Runs `ralph` of one build in the project. Throws with its stderr when it fails. */
export function runBuild(build: Build, project: Practice, args: readonly string[]): void {
  const options = { cwd: project.dir, env: project.env, encoding: "utf8", maxBuffer: 1e8 } as const;
  const { status, stderr } = spawnSync(process.execPath, [join(build, "bin/ralph.js"), ...args], options);
  if (status !== 0) throw new Error(`${build}: ralph ${args.join(" ")} ended with ${status}: ${stderr}`);
}

/** Makes a project whose tasks and approvals `build` itself has written. `config` is added to its configuration. */
export function makeProject(build: Build, setup: Setup, config: string, timesFile: string): Practice {
  const manifest = { name: "practice", version: "1.0.0", scripts: { test: "node --test test/" } };
  const project = practice({
    "package.json": JSON.stringify(manifest),
    "test/adds.test.js": passingTest,
    ".gitignore": "node_modules\n",
    "src/base.txt": "x\n",
  });
  for (let n = 0; n < trackedFiles; n++) project.write(`files/f${n}.txt`, `file ${n}\n`.repeat(20));
  for (let n = 0; n < setup.modules; n++) {
    const folder = `node_modules/package-${Math.floor(n / modulesPerPackage)}/lib`;
    project.write(`${folder}/m${n}.js`, "module.exports = 1;\n");
  }
  useAgent(project, timesFile, setup.agentMs);
  const agent = "agent: command\nagents: { command: { argv: [sh, ../worker.sh] } }\n";
  project.write(".ralph/config.yaml", `${agent}verify: ["${setup.verify}"]\n${config}`);
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "project");
  for (let n = 0; n < setup.tasks; n++) runBuild(build, project, ["task", "add", `change file number ${n}`]);
  runBuild(build, project, ["trust", "approve", "--yes"]);
  return project;
}
