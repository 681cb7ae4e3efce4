import type { SafeText } from "../../base/safe-text.ts";
import { storedJson } from "../../trust/stored-text.ts";
import type { Session } from "./command.ts";

/** Prints the result of a command: `json` with `--json`, else `text`. */
export function printResult({ json, out }: Session, value: unknown, text: SafeText): void {
  out(json ? storedJson(value) : text);
}
