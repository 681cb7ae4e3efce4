import { looksRandom } from "../../src/trust/randomness.ts";
import { redact } from "../../src/trust/redact.ts";
import type { Finding } from "./finding.ts";

interface Case {
  readonly rule: string;
  readonly kind: "tp" | "fp";
  readonly text: string;
}

interface Redacted extends Case {
  readonly out: string;
}

const minGone = 0.99;
const maxHarmed = 0.05;
/** The share of all harmless texts that may change: 16 of the public set's 169 do (9.5%), of which 6 are also listed as secrets. */
const maxHarmedInAll = 0.1;

/**
 * Checks that redaction removes the whole secret from 99% of the texts with one, that it changes at most 5% of the harmless
 * texts, and that redacting twice is redacting once. No program can leave and find the same text: harmless texts that are also
 * listed with a secret are counted apart, equal ones once. How many changed texts have no counterpart, a secret of the set in the
 * same form, shows what a rule about the form could still gain.
 */
export function checkSecrets(content: string): Finding {
  const cases = content
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Case)
    .map((one): Redacted => ({ ...one, out: redact(one.text) }));
  const secrets = cases.filter(({ kind }) => kind === "tp");
  const harmless = cases.filter(({ kind }) => kind === "fp");
  const missed = secrets.filter(({ text, out }) => text === out);
  const partly = secrets.filter(({ text, out }) => text !== out && leftover(out) !== undefined);
  const harmed = harmless.filter(({ text, out }) => text !== out);
  const forms = secretForms(secrets);
  const alone = harmed.filter((one) => !removed(one).every((value) => hasForm(forms, value)));
  const listed = new Set(secrets.map(({ text }) => text));
  const rest = new Map(harmless.filter(({ text }) => !listed.has(text)).map((one) => [one.text, one.out]));
  const harmedRest = [...rest].filter(([text, out]) => text !== out);
  const restless = cases.filter(({ out }) => redact(out) !== out);
  const gone = secrets.length - missed.length - partly.length;
  const rules = (list: readonly Case[]): number => new Set(list.map(({ rule }) => rule)).size;
  const share = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)}%`;
  return {
    passed:
      gone >= minGone * secrets.length &&
      alone.length <= maxHarmed * harmless.length &&
      harmed.length <= maxHarmedInAll * harmless.length &&
      harmedRest.length <= maxHarmed * rest.size &&
      restless.length === 0,
    figures:
      `${gone} of ${secrets.length} secrets gone (${share(gone, secrets.length)}), ${missed.length} missed, ${partly.length} in part; ` +
      `${rules(secrets.filter((one) => !missed.includes(one)))} of ${rules(secrets)} rules; ` +
      `${harmed.length} of ${harmless.length} others changed (${share(harmed.length, harmless.length)}), ` +
      `${alone.length} without a secret of the same form (${share(alone.length, harmless.length)}); ` +
      `${harmless.filter(({ text }) => listed.has(text)).length} are also listed as secrets, ` +
      `${harmedRest.length} of the ${rest.size} distinct rest changed (${share(harmedRest.length, rest.size)}); ` +
      `${restless.length} not idempotent`,
    details: [
      ...missed.map(({ rule, text }) => `missed, ${rule}: ${text}`),
      ...partly.map(({ rule, out }) => `in part, ${rule}: ${leftover(out)} in ${out}`),
      ...alone.map(({ rule, text }) => `harmless but changed, ${rule}: ${text}`),
    ],
  };
}

/** Text that can be a part of a secret: text that continues a replaced value, or another long random word. */
function leftover(out: string): string | undefined {
  const rest = /\][\w+/=&%.-]{3,}|[A-Za-z0-9+/]{4,}(?=\[redacted:)/.exec(
    out.replace(/\[redacted:[a-z0-9-]+/g, "[redacted:"),
  )?.[0];
  if (rest !== undefined && /\d/.test(rest)) return rest;
  return out.split(/[^A-Za-z0-9+/_=-]+/).find((word) => looksRandom(word, 20));
}

interface Removed {
  readonly kind: string;
  readonly value: string;
}

/** The values that redaction replaced, in order. */
function removed({ text, out }: Redacted): readonly Removed[] {
  const [before = "", ...parts] = out.split(/\[redacted:([a-z0-9-]+)\]/);
  const values: Removed[] = [];
  let at = before.length;
  for (let part = 0; part < parts.length; part += 2) {
    const next = parts[part + 1] ?? "";
    const end = next === "" ? text.length : Math.max(at, text.indexOf(next, at));
    values.push({ kind: parts[part] ?? "", value: text.slice(at, end) });
    at = end + next.length;
  }
  return values;
}

const alphabets = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/];
type Forms = ReadonlyMap<string, readonly string[]>;

function secretForms(secrets: readonly Redacted[]): Forms {
  const forms = new Map<string, string[]>();
  for (const { kind, value } of secrets.flatMap(removed)) {
    const form = `${kind} ${value.length}`;
    forms.set(form, [...(forms.get(form) ?? []), value]);
  }
  return forms;
}

/** Checks whether a secret of the same kind and length uses at least the same alphabets. */
function hasForm(forms: Forms, { kind, value }: Removed): boolean {
  const used = alphabets.filter((alphabet) => alphabet.test(value));
  return (forms.get(`${kind} ${value.length}`) ?? []).some((secret) =>
    used.every((alphabet) => alphabet.test(secret)),
  );
}
