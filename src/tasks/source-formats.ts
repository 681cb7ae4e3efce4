import { RalphError } from "../base/errors.ts";
import { markdown } from "./import/markdown.ts";
import { tasksYaml } from "./import/tasks-yaml.ts";
import type { ImportFormat } from "./imported-task.ts";

/** Every format that tasks can be imported from. */
const sourceFormats: readonly ImportFormat[] = [tasksYaml, markdown];

/** The format named, else the one that the file's name tells. Errors: RALPH_IMPORT_FORMAT. */
export function formatFor(path: string, name?: string): ImportFormat {
  const file = path.toLowerCase();
  const format = sourceFormats.find((known) =>
    name === undefined ? known.endings.some((ending) => file.endsWith(ending)) : known.name === name,
  );
  if (format) return format;
  const what =
    name === undefined ? `the format of ${path} is not known by its name` : `there is no format ${name}`;
  const names = sourceFormats.map((known) => known.name).join(", ");
  throw new RalphError("RALPH_IMPORT_FORMAT", `cannot import: ${what}`, { hint: `Give one of: ${names}.` });
}
