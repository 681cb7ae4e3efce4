import { count } from "../../base/text.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { hivemindStatus } from "../../memory/hivemind-actions.ts";
import type { Reader } from "../../store/db.ts";
import { hivemindOf } from "../project/hivemind/hivemind-of.ts";
import { type Check, passed, warned } from "./check.ts";

interface CheckedProject {
  readonly root: string;
  readonly db: Reader;
  readonly loaded: LoadedSettings;
}

/** Checks that the memory that projects share can be used: its last success and error, and what it holds. */
export async function checkHivemind({ root, db, loaded }: CheckedProject): Promise<Check> {
  const check = "hivemind";
  const path = hivemindOf({ root, loaded })?.path ?? null;
  if (path === null) {
    if (loaded.settings.hivemind.store === "off") return passed({ check, detail: "off" });
    const detail = "not used: the configuration that names its file is not approved";
    return warned({ check, detail }, "review with `ralph trust show`, then run `ralph trust approve`");
  }
  const { records, projects, pending, problem, succeededAt, failedAt, error } = await hivemindStatus(
    db,
    path,
  );
  const waiting = pending > 0 ? `, ${count(pending, "record")} waiting` : "";
  if (problem !== null) {
    return warned(
      { check, detail: `${problem}${waiting}` },
      "check the file, or set `hivemind: { store: off }`; until then prompts lack what other projects learned",
    );
  }
  const last = succeededAt === null ? "" : `; last used ${succeededAt.slice(0, 16).replace("T", " ")} UTC`;
  const held = `${count(records ?? 0, "record")} of ${count(projects ?? 0, "project")}${waiting}${last}`;
  const failedLast = error !== null && failedAt !== null && failedAt > (succeededAt ?? "");
  if (!failedLast) return passed({ check, detail: held });
  return warned(
    { check, detail: `${held}; the last call failed: ${error}` },
    "run `ralph status` after the next run",
  );
}
