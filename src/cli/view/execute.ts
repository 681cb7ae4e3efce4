import { resolve } from "node:path";
import type { SafeText } from "../../base/safe-text.ts";
import { safeText } from "../../trust/safe-text.ts";
import type { Invocation, Session, Surroundings } from "../shell/command.ts";

/** Executes a command line in this process, in the same project and with the same configuration, and returns what it printed. */
export async function executeHere(
  { around, cwd }: Session,
  { config }: Invocation["options"],
  words: readonly string[],
): Promise<{ readonly code: number; readonly text: SafeText }> {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const output = { write };
  const nothing = (async function* (): AsyncGenerator<never> {})();
  const place: Surroundings = { ...around, cwd, stdin: nothing, stdout: output, stderr: output };
  const chosen =
    config === false
      ? ["--no-config"]
      : typeof config === "string"
        ? ["--config", resolve(around.cwd, config)]
        : [];
  const code = await around.execute([...chosen, ...words], place);
  return { code, text: safeText(text).trim() };
}
