import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { redact } from "../../src/trust/redact.ts";
import type { Finding } from "./finding.ts";

/** Their examples are addresses with passwords. */
const withPasswords = /(^|[/\\])pg-(?:connection-string|pool)[/\\]/;

/** README and CHANGELOG files of the installed packages: text without secrets. At most two changed lines per MB. */
export function checkBenign(): Finding {
  const modules = join(import.meta.dirname, "..", "..", "node_modules");
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).filter(
    (path) => /(^|[/\\])(readme|changelog|history)(\.\w+)?$/i.test(path) && !withPasswords.test(path),
  );
  let characters = 0;
  const changed: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(modules, file), "utf8");
    characters += text.length;
    for (const line of text.split("\n")) if (redact(line) !== line) changed.push(`${file}: ${line}`);
  }
  return {
    passed: files.length > 0 && changed.length <= Math.max(2, (2 * characters) / 1e6),
    figures: `${changed.length} lines changed in ${(characters / 1e6).toFixed(1)} MB, ${files.length} files`,
    details: changed,
  };
}
