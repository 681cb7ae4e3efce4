import { type OpenInput, watchVerification } from "../../outcome/verification-files.ts";
import type { Project } from "../shell/command.ts";

type Logged = Pick<Project, "root"> & { readonly log: Project["log"] | null };

/** Returns the changes to what verification reads that earlier runs noted, and whose files are still as these left them. */
export function changedInputs({ root, log }: Logged): readonly OpenInput[] {
  return watchVerification({ root, env: {} }).resume(log?.head.changedInputs(null).changes ?? []);
}

/** Accepts them: the next run takes the files for a person's. */
export function acceptInputs({ log }: Logged): void {
  log?.head.setChangedInputs([], log.head.changedInputs(null).mark);
}
