import { expect, test } from "vitest";
import { resetTime } from "./reset-time.ts";

// Winter in Europe and America; 13:00 in Berlin, 17:30 in Kolkata, 09:00 in Recife, 07:00 in New York.
const winter = "2026-11-20T12:00:00Z";

test.each([
  ["Claude AI usage limit reached|1795198800", winter, "2026-11-20T18:20:00.000Z"],
  ["Claude AI usage limit reached|1795198800000", winter, "2026-11-20T18:20:00.000Z"],
  ["You've hit your 5-hour limit · resets 6:20pm (UTC)", winter, "2026-11-20T18:20:00.000Z"],
  ["You've hit your limit · resets 1:30am (Asia/Dhaka)", winter, "2026-11-20T19:30:00.000Z"],
  ["You've hit your limit · resets 3am (Europe/Berlin)", winter, "2026-11-21T02:00:00.000Z"],
  ["You've hit your limit · resets 5pm (Asia/Kolkata)", winter, "2026-11-21T11:30:00.000Z"],
  [
    "You've hit your weekly limit · resets Apr 23 at 4pm (America/Recife)",
    winter,
    "2027-04-23T19:00:00.000Z",
  ],
  [
    "You've hit your weekly limit · resets Dec 1 at 4:05pm (America/New_York)",
    winter,
    "2026-12-01T21:05:00.000Z",
  ],
  ["try again at Jul 23rd, 2027 4:15 AM (UTC)", winter, "2027-07-23T04:15:00.000Z"],
  ["resets 12am (UTC)", winter, "2026-11-21T00:00:00.000Z"],
  ["resets 12pm (UTC)", winter, "2026-11-21T12:00:00.000Z"],
  ["resets at 23:59 (UTC)", winter, "2026-11-20T23:59:00.000Z"],
  ["Rate limit reached. Please try again in 1h 30m.", winter, "2026-11-20T13:30:00.000Z"],
  ["Please retry after 20 seconds", winter, "2026-11-20T12:00:20.000Z"],
  // The clocks in Berlin went back an hour on 25 October 2026, and in New York went on an hour on 8 March 2026.
  ["resets 4am (Europe/Berlin)", "2026-10-24T21:00:00Z", "2026-10-25T03:00:00.000Z"],
  ["resets 4am (America/New_York)", "2026-03-08T04:00:00Z", "2026-03-08T08:00:00.000Z"],
])("LOOP-8: %s", (message, now, expected) => {
  expect(resetTime(message, new Date(now))).toBe(expected);
});

test("LOOP-8: without a zone it is the local one", () => {
  const now = new Date(2026, 10, 20, 12, 0);
  const reset = new Date(2026, 10, 20, 18, 29);
  expect(resetTime("You've hit your usage limit. Try again at 6:29 PM.", now)).toBe(reset.toISOString());
});

test.each([
  "Rate limit reached for requests",
  "try again 3 times",
  "resets 13pm (UTC)",
  "resets 6:20pm (Middle/Earth)",
  "",
])("no time is made up from: %s", (message) => {
  expect(resetTime(message, new Date(winter))).toBeNull();
});
