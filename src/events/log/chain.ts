import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { RalphError } from "../../base/errors.ts";
import type { RedactedText } from "../../base/safe-text.ts";
import type { Seal } from "../../store/db.ts";
import { asUnverified, unverifiedEnd, withChain } from "../redact-json.ts";
import type { LogEnd } from "./log-file.ts";

/** A line of the log without its chain value, and that value. */
export interface ChainedLine {
  readonly body: string;
  readonly chain: string;
}

const mark = ',"chain":"';
const pattern = /^[\w-]{8}\.[\w-]{22}$/;

/** Splits a line that ends with a chain value; undefined for any other line. */
export function splitChain(line: string): ChainedLine | undefined {
  const at = line.endsWith('"}') ? line.lastIndexOf(mark) : -1;
  if (at < 0) return undefined;
  const chain = line.slice(at + mark.length, -2);
  return pattern.test(chain) ? { body: `${line.slice(0, at)}}`, chain } : undefined;
}

/** Returns a line as it was before it was chained. */
export function unchained(line: string): string {
  const body = splitChain(line)?.body ?? line;
  return body.endsWith(unverifiedEnd) ? `${body.slice(0, -unverifiedEnd.length)}}` : body;
}

/** Returns true for a chain value that was, or claims to be, made with this key. */
export function isOfKey(seal: Seal | null, chain: string): boolean {
  const keyId = seal?.keyId ?? null;
  return keyId !== null && chain.startsWith(`${keyId}.`);
}

/**
 * Returns the chain value of a line. `previous` is that of the line before, or, after lines that are not chained with this key,
 * the SHA-256 of the file up to the line. Null without a key.
 */
export function chainValue(seal: Seal, previous: string, body: string): string | null {
  return seal.seal(`line\n${previous}\n${body}`);
}

/** A line to append, and whether the event has a valid seal. */
export interface NewLine {
  readonly text: RedactedText;
  readonly sealed: boolean;
}

/**
 * Chains `lines` to the log's end. Lines without a seal are left as they are while the log has no chain yet: an earlier version
 * recorded them. Without a key all lines are returned as they are.
 */
export function chainLines(
  seal: Seal | null,
  { file, end }: { readonly file: number; readonly end: LogEnd },
  lines: readonly NewLine[],
): readonly RedactedText[] {
  if (seal === null || seal.keyId === null) return lines.map(({ text }) => text);
  const tail = end.isComplete ? splitChain(end.tail) : undefined;
  let previous = tail && isOfKey(seal, tail.chain) ? tail.chain : null;
  const before: RedactedText[] = [];
  return lines.map(({ text, sealed }) => {
    if (previous === null && !sealed) {
      before.push(text);
      return text;
    }
    const body = sealed ? text : asUnverified(text);
    const chain = chainValue(seal, previous ?? prefixHash(file, end, before), body);
    if (chain === null) return text;
    previous = chain;
    return withChain(body, chain);
  });
}

/** Reading so many takes about a second. */
const maxHashed = 1024 * 1024 * 1024;

/** Returns the hash of the log and of `lines` after it, as they will be in the file. */
function prefixHash(file: number, end: LogEnd, lines: readonly string[]): string {
  if (end.size > maxHashed) {
    const what = `it has ${end.size} bytes, and its last line is not ralph's`;
    throw new RalphError("RALPH_STORE_PATH", `the event log cannot be continued: ${what}`, {
      hint: "run `ralph doctor --repair`, which leaves out what ralph did not write; no event is lost",
    });
  }
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(256 * 1024);
  for (let at = 0; at < end.size; ) {
    const length = readSync(file, buffer, 0, Math.min(buffer.length, end.size - at), at);
    if (length === 0) break;
    hash.update(buffer.subarray(0, length));
    at += length;
  }
  if (!end.isComplete) hash.update("\n");
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest("hex");
}
