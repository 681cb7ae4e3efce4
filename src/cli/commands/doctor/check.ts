import type { RalphError } from "../../../base/errors.ts";

/** The result of one check of the machine or the project. */
export interface Check {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** How to fix it. */
  readonly hint: string | null;
}

/** The name of a check and what it found. */
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
