import { contextStatus } from "../../../memory/kinds.ts";
import type { Reader } from "../../../store/port/db.ts";
import { contextText, failedLast } from "../../project/health-lines.ts";
import { type Check, passed, warned } from "./check.ts";

/** Checks that `.ralph-context.json` is written: its last success and error, and what it holds. */
export async function checkContext(db: Reader): Promise<Check> {
  const check = "structured context";
  const status = await contextStatus(db);
  const detail = contextText(status) || "not written yet";
  if (!failedLast(status)) return passed({ check, detail });
  return warned({ check, detail }, "make .ralph-context.json a regular file that you may write");
}
