import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import type { ContextStatus, JournalStatus } from "../../memory/kinds.ts";
import { storedText } from "../../trust/stored-text.ts";
import { utc } from "../../view/format.ts";

interface Ends {
  readonly succeededAt: string | null;
  readonly failedAt: string | null;
  readonly error: string | null;
  readonly skippedUntil: string | null;
}

/** Returns true if the last use failed. */
export function failedLast({ succeededAt, failedAt }: Ends): boolean {
  return failedAt !== null && failedAt > (succeededAt ?? "");
}

/** Describes the last success and the last error; "" while there was neither. */
export function healthText({ succeededAt, failedAt, error, skippedUntil }: Ends): SafeText {
  const until = skippedUntil === null ? "" : safe`, skipped until ${utc(skippedUntil)}`;
  return joinSafe(
    [
      ...(succeededAt === null ? [] : [safe`last success ${utc(succeededAt)}`]),
      ...(failedAt === null
        ? []
        : [safe`last error ${utc(failedAt)}: ${storedText(error ?? "unknown")}${until}`]),
    ],
    "; ",
  );
}

/** Describes the structured context; "" before it was used. */
export function contextText(status: ContextStatus): SafeText {
  const health = healthText(status);
  const stories = status.stories === 1 ? safe`1 story` : safe`${status.stories} stories`;
  return health === "" ? safe`` : safe`${stories}, ${count(status.failures, "failure")}; ${health}`;
}

/** Describes the journals; "" before one was used. */
export function journalText(status: JournalStatus): SafeText {
  const health = healthText(status);
  if (health === "") return safe``;
  return safe`${count(status.journals, "journal")}, ${count(status.bytes, "byte")}; ${health}`;
}
