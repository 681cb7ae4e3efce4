import { fixable } from "../../../base/errors.ts";

/** The result of one check of the machine or the project. */
export interface Check {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint: string | null;
}

type Finding = Pick<Check, "check" | "detail">;

/** The hint of a check that finds something that is not approved. */
export const approveHint = "review with `ralph trust show`, then run `ralph trust approve`";

export function passed(finding: Finding): Check {
  return { ...finding, status: "ok", hint: null };
}

export function warned(finding: Finding, hint: string): Check {
  return { ...finding, status: "warn", hint };
}

export function failed(finding: Finding, hint: string): Check {
  return { ...finding, status: "fail", hint };
}

/** Returns a failed check for an error that a user can fix. Throws every other one. */
export function errorCheck(check: string, error: unknown): Check {
  const { message, hint } = fixable(error);
  return { check, status: "fail", detail: message, hint: hint ?? null };
}
