import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { openRecordActions } from "../../../memory/record-actions.ts";
import { safeJson, safeLine } from "../../../trust/safe-text.ts";
import { type CommandSpec, type Invocation, type Session, withProject } from "../../shell/command.ts";

/** A record has a few kilobytes. */
const maxBytes = 1_000_000;

/** `ralph learnings import` (LEARN-3). */
export const command: CommandSpec = {
  description:
    "Imports record files (learning-*.yaml) of another project or tool. The learnings made of them are quarantined until `ralph memory approve`, because agents follow what they read; until then, nothing of them is used. --approve skips the quarantine for files that you trust.",
  examples: [
    "ralph learnings import ../other/.ralph/learnings",
    "ralph learnings import learning-UX13-20260117-090000.yaml --approve",
  ],
  arguments: [{ name: "<files...>", description: "record files, or folders with record files" }],
  options: [{ flags: "--approve", description: "trust the files and skip the quarantine" }],
  run: async (session, { args, options }) => {
    const files = await readFiles(session, args["files"]);
    const approved = options["approve"] === true;
    return withProject(session, { create: true }, async (project) => {
      const actions = openRecordActions({ db: project.db, now: () => session.clock.now() });
      const report = await actions.import(files, { approved });
      const { imported, unchanged, learnings, quarantined, problems } = report;
      if (imported + unchanged === 0 && problems[0]) {
        const { file, problem } = problems[0];
        throw new RalphError(
          "RALPH_LEARNINGS_FILE",
          `${safeLine(file, 200)} is not a record: ${safeLine(problem, 300)}`,
          { hint: "use a file such as those in .ralph/learnings" },
        );
      }
      if (session.json) session.out(safeJson({ success: true, ...report }));
      else
        session.out(
          safe`imported ${count(imported, "record")} with ${count(learnings, "new learning")}; ${unchanged} already known`,
        );
      for (const { file, problem } of problems)
        session.note(safe`warning: ${safeLine(file, 200)}: ${safeLine(problem, 300)}`);
      if (quarantined > 0)
        session.note(
          safe`hint: ${quarantined} quarantined; run \`ralph memory list --status quarantined\` to review`,
        );
    });
  },
};

interface NamedFile {
  readonly name: string;
  readonly text: string;
}

/** Reads the given files and the `learning-*.yaml` of the given folders, in the order of their names. */
async function readFiles(session: Session, named: Invocation["args"][string]): Promise<readonly NamedFile[]> {
  const files: NamedFile[] = [];
  for (const given of Array.isArray(named) ? named : [named ?? ""]) {
    const path = resolve(session.cwd, String(given));
    const found = await stat(path).catch((cause: unknown) => {
      throw unreadable(String(given), cause);
    });
    if (!found.isDirectory()) {
      files.push(await read(String(given), path));
      continue;
    }
    const names = (await readdir(path)).filter((name) => /^learning-.*\.ya?ml$/.test(name)).sort();
    for (const name of names) files.push(await read(join(String(given), name), join(path, name)));
  }
  if (files.length > 0) return files;
  throw new RalphError("RALPH_LEARNINGS_FILE", "found no record file", {
    hint: "name files, or a folder with files such as learning-t-1-20260117-090000.yaml",
  });
}

async function read(name: string, path: string): Promise<NamedFile> {
  try {
    const facts = await stat(path);
    // Reading a pipe or device could wait forever.
    if (!facts.isFile()) throw new Error("it is not a regular file");
    if (facts.size > maxBytes) throw new Error("it is larger than 1 MB");
    return { name, text: await readFile(path, "utf8") };
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

function unreadable(name: string, cause: unknown): RalphError {
  return new RalphError("RALPH_LEARNINGS_FILE", `cannot read ${name}: ${messageOf(cause)}`, {
    hint: "check the path",
    cause,
  });
}
