import { expect, test } from "vitest";
import { limitText } from "./limit-text.ts";

const now = new Date(2026, 2, 3, 11, 57);
const at = (...[day, hour, minute]: readonly [number, number, number]) =>
  new Date(2026, 2, day, hour, minute).toISOString();
const limit = { agent: "claude", model: null, kind: "rate_limit" };

test.each([
  [
    { ...limit, until: at(3, 13, 0), resetAt: at(3, 13, 0) },
    "claude is rate-limited: resets in 1h 03m (13:00)",
  ],
  [
    { ...limit, model: "opus", until: at(5, 9, 5), resetAt: at(5, 9, 5) },
    "claude (opus) is rate-limited: resets in 45h 08m (Thu 09:05)",
  ],
  [
    { ...limit, until: at(3, 11, 58), resetAt: null },
    "claude is rate-limited: trying again in 1m 00s (11:58)",
  ],
  // A reset that is too far ahead to be waited for.
  [
    { ...limit, until: at(11, 11, 57), resetAt: at(30, 11, 57) },
    "claude is rate-limited: trying again in 192h 00m (Wed Mar 11 11:57)",
  ],
  [
    { ...limit, kind: "network", until: at(3, 11, 58), resetAt: null },
    "claude is unreachable: trying again in 1m 00s (11:58)",
  ],
  [
    { ...limit, kind: "overloaded", until: at(3, 11, 58), resetAt: null },
    "claude is overloaded: trying again in 1m 00s (11:58)",
  ],
])("LOOP-8: a limit as people read it: %#", (given, words) => {
  expect(limitText(given, now)).toBe(words);
});
