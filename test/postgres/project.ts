import { onTestFinished } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";

/** A project, as on a machine of its own, whose agent runs `body` with the task's id in `$id`, and whose store is at `url`. */
export async function projectOn(url: string, body: string): Promise<Practice> {
  const made = practice({
    "agent.sh": `id=$(cat | grep -om1 't-[0-9]*' | head -1)\n${body}\necho "<task-done>$id</task-done>"\n`,
    "check.sh": "exit 0\n",
    ".gitignore": ".ralph/\n",
  });
  onTestFinished(() => made.remove());
  useStore(made, url);
  made.write(
    ".ralph/config.yaml",
    "agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\n",
  );
  await made.approveConfig();
  return made;
}

export function useStore({ env }: Practice, url: string): void {
  Object.assign(env, { RALPH_STORE_URL: url });
}
