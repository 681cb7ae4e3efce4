import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { Invocation, Session } from "./command.ts";

interface ExportedFile {
  readonly file: string;
  readonly text: string;
  /** The code of the error when it exists. */
  readonly code: RalphError["code"];
}

/** Writes a file for a person; `--force` replaces an existing one. */
export async function writeExport(
  { cwd }: Session,
  { options }: Pick<Invocation, "options">,
  { file, text, code }: ExportedFile,
): Promise<void> {
  const path = resolve(cwd, file);
  if (options["force"] !== true) await refuseExisting(path, { file, code });
  const { writeFileSafely } = await import("../../trust/safe-file.ts");
  await writeFileSafely(path, text, { root: dirname(path) });
}

/** @throws RalphError with `code` when there is something at `path` */
async function refuseExisting(
  path: string,
  { file, code }: Pick<ExportedFile, "file" | "code">,
): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new RalphError(code, `${file} already exists`, { hint: "use --force to replace it" });
}
