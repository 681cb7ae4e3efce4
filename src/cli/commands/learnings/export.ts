import { join, resolve } from "node:path";
import { makeFolders } from "../../../base/careful-files.ts";
import { RalphError, systemCode } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { refuseExisting } from "../../shell/write-export.ts";
import { withRecords } from "./with-records.ts";

/** `ralph learnings export`. */
export const command: CommandSpec = {
  description:
    "Writes every record as a YAML file, one per attempt. `ralph learnings import` reads the files in another project.",
  examples: ["ralph learnings export records/"],
  arguments: [{ name: "<folder>", description: "output folder, created if missing" }],
  options: [{ flags: "--force", description: "replace existing files" }],
  run: async (session, { args, options }) => {
    const named = String(args["folder"]);
    const folder = resolve(session.cwd, named);
    return withRecords(session, {}, async (actions) => {
      const files = await actions.files();
      if (options["force"] !== true) {
        for (const { name } of files)
          await refuseExisting(join(folder, name), { file: join(named, name), code: "RALPH_LEARNINGS_FILE" });
      }
      const { writeFileSafely, writeRefused } = await import("../../../trust/safe-file.ts");
      try {
        makeFolders(folder, 0o777);
      } catch (cause) {
        throw isFile(cause) ? notFolder(named) : writeRefused(named, cause);
      }
      for (const { name, text } of files)
        await writeFileSafely(join(folder, name), text, { root: folder, durable: false, tidy: false });
      if (session.json) session.out(storedJson({ success: true, folder: named, records: files.length }));
      session.note(safe`wrote ${count(files.length, "record")} to ${storedText(named)}`);
    });
  },
};

/** A file is in the place of the folder or of one above it. */
function isFile(cause: unknown): boolean {
  return ["EEXIST", "ENOTDIR"].includes(systemCode(cause) ?? "");
}

function notFolder(named: string): RalphError {
  return new RalphError("RALPH_LEARNINGS_FILE", `cannot write to ${named}: it is not a folder`, {
    hint: "name a folder, which is created if missing",
  });
}
