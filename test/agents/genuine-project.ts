import { onTestFinished } from "vitest";
import type { Permission } from "../../src/base/shared-settings.ts";
import { type Practice, practice } from "../e2e/practice.ts";
import type { GenuineAgent } from "./genuine-agents.ts";
import { type ModelServer, type Script, startModelServer } from "./model-server/model-server.ts";

interface Setup {
  readonly script: Script;
  /** Null: the default. */
  readonly permission?: Permission | null;
  /** Further lines of the configuration. */
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** The command that verifies the task; by default that `out.txt` exists. */
  readonly verify?: string;
}

interface GenuineProject {
  readonly made: Practice;
  readonly server: ModelServer;
}

/** A project with the task `t-1`, to write `out.txt`, whose agent is a genuine program that talks to a scripted server. */
export async function genuineProject(
  agent: GenuineAgent,
  { script, permission = "shell", config = "", files = {}, verify = "test -e out.txt" }: Setup,
): Promise<GenuineProject> {
  const server = await startModelServer(script);
  const made = practice({ "README.md": "# practice\n", ...files });
  Object.assign(made.env, agent.prepare(made.home, server.url));
  onTestFinished(async () => {
    made.remove();
    await server.close();
  });
  made.write(
    ".ralph/config.yaml",
    `verifyBaseline: off\n${agent.config(permission)}verify: [${JSON.stringify(verify)}]\n${config}`,
  );
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "configure ralph");
  await made.approveConfig();
  await made.addTasks(["Write out.txt"]);
  return { made, server };
}
