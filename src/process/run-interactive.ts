import { type ChildProcess, spawn } from "node:child_process";
import { messageOf } from "../base/errors.ts";

/**
 * Runs a person's program, such as an editor, on the terminal of this process until it exits. Ctrl-C is the program's
 * meanwhile. Returns why it failed, or null. Never throws because of the program.
 */
export async function runInteractive(
  argv: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string | null> {
  const [program, ...args] = argv;
  const leaveToProgram = (): void => undefined;
  process.on("SIGINT", leaveToProgram);
  try {
    return await new Promise((resolve) => {
      let child: ChildProcess;
      try {
        child = spawn(program, args, { cwd, env, stdio: "inherit" });
      } catch (error) {
        resolve(messageOf(error));
        return;
      }
      child.once("error", (error) => resolve(messageOf(error)));
      child.once("exit", (code, signal) =>
        resolve(code === 0 ? null : signal === null ? `exit code ${code}` : `killed by ${signal}`),
      );
    });
  } finally {
    process.removeListener("SIGINT", leaveToProgram);
  }
}
