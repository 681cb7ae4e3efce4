import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindOfMessage, readLimit } from "../../src/agents/limits/error-kind.ts";
import { refusalIn } from "../../src/agents/limits/refusal-text.ts";

/** The words of an agent, where they stand in public, and their meaning. */
interface Message {
  readonly agent: string;
  readonly url: string;
  readonly text: string;
  readonly kind: string;
  readonly model?: string;
}
type Instant = string | null;
interface Instants {
  readonly zones: readonly string[];
  readonly nows: readonly string[];
  /** For each message, now and zone; one value where they agree. See `expected-instants.py`. */
  readonly instants: readonly (Instant | readonly (Instant | readonly Instant[])[])[];
}

const load = <T>(file: string): T => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as T;
const messages = load<readonly Message[]>("messages.json");
const { zones, nows, instants } = load<Instants>("instants.json");

function expected(message: number, now: number, zone: number): Instant {
  const row = instants[message];
  const cell = Array.isArray(row) ? row[now] : row;
  return (Array.isArray(cell) ? cell[zone] : cell) as Instant;
}

test("the table holds at least 30 real messages, each with where it stands", () => {
  expect(messages.length).toBeGreaterThanOrEqual(30);
  expect(messages.length).toBe(instants.length);
  for (const { url } of messages)
    expect(url).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/issues\/\d+$/);
});

test.each(messages.map((message, index) => [message.text.slice(0, 90), message, index] as const))(
  "LOOP-8: %s: its kind, and its instant in four zones around each clock change",
  (_, { text, kind, model = null }, index) => {
    const told = kindOfMessage(text) ?? "crash";
    for (const [n, now] of nows.entries()) {
      for (const [z, zone] of zones.entries()) {
        const limit = readLimit({ kind: told, message: text }, new Date(now), zone);
        const wanted = { kind, resetAt: expected(index, n, z), limitedModel: model };
        expect({ now, zone, ...limit }).toEqual({ now, zone, ...wanted });
      }
    }
  },
);

test.each(messages.map((message) => [message.text.slice(0, 90), message] as const))(
  "LOOP-8: %s: a final message of nothing else states it too",
  (_, { text, kind }) => {
    const now = new Date(nows[0] ?? "");
    const said = refusalIn({ stderr: "", finalMessage: text, isFinal: true, now });
    expect(said?.kind).toBe(kind);
    expect(said?.resetAt).toBe(
      readLimit({ kind: kindOfMessage(text) ?? "crash", message: text }, now).resetAt,
    );
  },
);
