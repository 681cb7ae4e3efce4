// A module hook: a .md file is a module whose default is its text, as the build has it.
import { readFile } from "node:fs/promises";

export async function load(url, context, next) {
  if (!url.endsWith(".md")) return next(url, context);
  const text = await readFile(new URL(url), "utf8");
  return { format: "module", source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
}
