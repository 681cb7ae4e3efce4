import { createHash } from "node:crypto";
import type { Seal } from "../../store/db.ts";
import type { RalphEvent } from "../event.ts";
import { chainValue, isOfKey, splitChain } from "./chain.ts";
import { mayBeRecord } from "./line-form.ts";
import { parseLine } from "./log-line.ts";

/**
 * `sealed`: in the chain; `unverified`: in the chain, of an event that had no valid seal; `older`: before the first line that
 * this project's key chained; `torn`: no event, as a crash leaves a line; `bad`: changed, moved, or not ralph's.
 */
export interface LineVerdict {
  readonly state: "sealed" | "unverified" | "older" | "torn" | "bad";
  readonly event: RalphEvent | undefined;
  /** Why the line is bad or torn, or an older one questionable; null: nothing is wrong. */
  readonly fault: string | null;
  /** The fault is only that lines seem to be missing, which no longer matters after a snapshot. */
  readonly isGap?: boolean;
  /** The line confirms every byte before it, whatever was questionable there. */
  readonly confirmsAll: boolean;
}

const newline = 0x0a;

export interface LineVerifier {
  /** Takes the next line, or lines that are no records, as `streamLineBytes` reads them; undefined for one that is too long to read. */
  next(line: Buffer | undefined): LineVerdict;
}

/** Creates a verifier that is fed all lines of a log in order. Without a key it checks form and sequence only. */
export function createLineVerifier(seal: Seal | null): LineVerifier {
  const key = seal?.keyId == null ? null : seal;
  const hash = createHash("sha256");
  const sequence = createSequence();
  let previous: string | undefined;
  let isChained = false;

  const ownLine = (body: string, chain: string, event: RalphEvent | undefined): LineVerdict => {
    const follows = previous !== undefined && key !== null && chainValue(key, previous, body) === chain;
    // Copying the hash costs more than the code.
    const confirmsAll =
      !follows && key !== null && chainValue(key, hash.copy().digest("hex"), body) === chain;
    if (event && (follows || confirmsAll)) {
      const state = event["unverified"] === true ? "unverified" : "sealed";
      return { state, event, fault: null, confirmsAll };
    }
    const fault = event
      ? "it was changed, or a line before it was changed, moved or removed"
      : "it is not valid JSON";
    return { state: "bad", event, fault, confirmsAll: false };
  };

  const otherLine = (line: Buffer, event: RalphEvent | undefined, hasKey: boolean): LineVerdict => {
    const numbers = sequence.next(event);
    if (!isChained) {
      const fault = event ? numbers : faultOf(line);
      const isGap = event !== undefined;
      return { state: event ? "older" : "torn", event, fault, isGap, confirmsAll: false };
    }
    const foreign = hasKey ? ofOtherKey : withoutKey;
    return {
      state: event ? "bad" : "torn",
      event,
      fault: event ? foreign : faultOf(line),
      confirmsAll: false,
    };
  };

  return {
    next: (line) => {
      if (line === undefined) {
        previous = undefined;
        hash.update("\0");
        return { state: "bad", event: undefined, fault: "it is too long", confirmsAll: false };
      }
      // Lines that are no records are many, or one of 50 MB: they are not decoded.
      const text = mayBeRecord(line) ? line.toString("utf8") : "";
      const parts = splitChain(text);
      const event = parseLine(text);
      const own = parts !== undefined && isOfKey(key, parts.chain);
      const verdict = own
        ? ownLine(parts.body, parts.chain, event)
        : otherLine(line, event, parts !== undefined);
      previous = own ? parts.chain : undefined;
      isChained ||= own;
      if (key) hash.update(line).update("\n");
      return verdict;
    },
  };
}

const ofOtherKey =
  "it was written with another key than the project's here: by ralph on another machine, in another folder or in a container, or by another program";
const withoutKey =
  "it was not written with the project's key: by ralph without its state folder, or by another program";

function faultOf(line: Buffer): string {
  return line.length === 0 || line[0] === newline ? "it is empty" : "it is not valid JSON";
}

/** Checks the numbers of lines that no code protects. */
function createSequence(): { next(event: RalphEvent | undefined): string | null } {
  let last: number | undefined;
  let afterSnapshot = true;
  return {
    next: (event) => {
      if (event === undefined) return null;
      const { seq, type } = event;
      if (seq === undefined) {
        afterSnapshot ||= type === "store.snapshot";
        return null;
      }
      // 1 begins the history of a new store.
      const follows = last === undefined || seq === last + 1 || seq === 1 || afterSnapshot;
      const fault = follows ? null : `its number is ${seq} after ${last}`;
      last = seq;
      afterSnapshot = false;
      return fault;
    },
  };
}
