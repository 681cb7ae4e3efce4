import { redact } from "../../src/trust/redact.ts";
import type { Finding } from "./finding.ts";

interface Case {
  readonly rule: string;
  readonly kind: "tp" | "fp";
  readonly text: string;
}

const wantedShare = 0.95;

/** How many of the texts with secrets change, over how many rules, and how many without; and whether twice is once. */
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
  const share = `${((100 * caught) / all).toFixed(1)}%`;
  const missed = of(cases, "tp").filter((one) => !changed.includes(one));
  return {
    passed: caught / all >= wantedShare && restless.length === 0,
    figures:
      `${caught} of ${all} caught (${share}), ${rules(changed)} of ${rules(cases)} rules; ` +
      `${of(changed, "fp").length} of ${of(cases, "fp").length} others changed; ${restless.length} not idempotent`,
    details: missed.map(({ rule, text }) => `missed, ${rule}: ${text}`),
  };
}
