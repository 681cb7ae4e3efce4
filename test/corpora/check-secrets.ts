import { redact } from "../../src/trust/redact.ts";
import type { Finding } from "./finding.ts";

interface Case {
  readonly rule: string;
  readonly kind: "tp" | "fp";
  readonly text: string;
}

const wantedShare = 0.95;

/**
 * The share of harmless texts that redaction may change. 41 of the public set's 169 change today: the limit is the measured
 * figure, so that it can only fall.
 */
const harmlessShare = 41 / 169;

/**
 * Checks that redaction changes most texts with secrets and few of those without, and that redacting twice changes nothing else
 * than once.
 */
export function checkSecrets(content: string): Finding {
  const cases = content
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Case);
  const changed = cases.filter(({ text }) => redact(text) !== text);
  const restless = cases.filter(({ text }) => redact(redact(text)) !== redact(text));
  const of = (list: readonly Case[], kind: Case["kind"]): readonly Case[] =>
    list.filter((one) => one.kind === kind);
  const rules = (list: readonly Case[]): number => new Set(of(list, "tp").map(({ rule }) => rule)).size;
  const caught = of(changed, "tp").length;
  const all = of(cases, "tp").length;
  const share = `${((100 * caught) / Math.max(1, all)).toFixed(1)}%`;
  const missed = of(cases, "tp").filter((one) => !changed.includes(one));
  const harmed = of(changed, "fp");
  const harmless = of(cases, "fp").length;
  return {
    passed: caught >= wantedShare * all && harmed.length <= harmlessShare * harmless && restless.length === 0,
    figures:
      `${caught} of ${all} caught (${share}), ${rules(changed)} of ${rules(cases)} rules; ` +
      `${harmed.length} of ${harmless} others changed; ${restless.length} not idempotent`,
    details: [
      ...missed.map(({ rule, text }) => `missed, ${rule}: ${text}`),
      ...harmed.map(({ rule, text }) => `harmless but changed, ${rule}: ${text}`),
    ],
  };
}
