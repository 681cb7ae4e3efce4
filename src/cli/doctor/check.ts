import type { RalphError } from "../../base/errors.ts";

/** What one look at the machine or the project found. */
export interface Check {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** How to mend it. */
  readonly hint: string | null;
}

/** What was looked at, and what was found. */
type Finding = Pick<Check, "check" | "detail">;

export function passed(finding: Finding): Check {
  return { ...finding, status: "ok", hint: null };
}

export function warned(finding: Finding, hint: string): Check {
  return { ...finding, status: "warn", hint };
}

export function failed(finding: Finding, hint: string): Check {
  return { ...finding, status: "fail", hint };
}

export function errorCheck(check: string, error: RalphError): Check {
  return { check, status: "fail", detail: error.message, hint: error.hint ?? null };
}
