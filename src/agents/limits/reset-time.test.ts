import { expect, test } from "vitest";
import { epochTime, resetTime } from "./reset-time.ts";

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

test.each([
  // Without a zone it is the machine's own.
  ["Try again at 6:29 PM.", winter, "Asia/Kathmandu", "2026-11-20T12:44:00.000Z"],
  ["resets 5pm (Etc/Unknown)", winter, "Australia/Sydney", "2026-11-21T06:00:00.000Z"],
  ["resets 5pm (your local time)", winter, "Australia/Sydney", "2026-11-21T06:00:00.000Z"],
  ["resets 6:20pm, or upgrade", winter, "UTC", "2026-11-20T18:20:00.000Z"],
  [
    "5-hour limit reached ∙ resets 6:20pm\n /upgrade to increase your usage limit.",
    winter,
    "UTC",
    "2026-11-20T18:20:00.000Z",
  ],
  ["resets at 6:20pm. HTTP 429", winter, "UTC", "2026-11-20T18:20:00.000Z"],
  ["try again at 6:20 PM. https://x.y/z", winter, "UTC", "2026-11-20T18:20:00.000Z"],
  ["resets at 6:20pm and/or upgrade", winter, "UTC", "2026-11-20T18:20:00.000Z"],
  ["resets at 2026-11-21T15:00:00+02:00 HTTP 429", winter, "UTC", "2026-11-21T13:00:00.000Z"],
  ["resets 6:20pm tomorrow", winter, "UTC", "2026-11-20T18:20:00.000Z"],
  // A zone by its name, its letters or its offset, with or without brackets.
  ["resets 2:40pm Europe/Berlin", winter, "America/New_York", "2026-11-20T13:40:00.000Z"],
  ["resets 9pm GMT+8", winter, "America/New_York", "2026-11-20T13:00:00.000Z"],
  ["resets 9pm (UTC+5:30)", winter, "America/New_York", "2026-11-20T15:30:00.000Z"],
  ["resets 9:00 -03:00", winter, "UTC", "2026-11-21T12:00:00.000Z"],
  ["resets 3:30 PM PST", winter, "America/New_York", "2026-11-20T23:30:00.000Z"],
  ["resets 3pm (ET)", winter, "UTC", "2026-11-20T20:00:00.000Z"],
  ["resets Nov 22 at 3pm CET.", winter, "UTC", "2026-11-22T14:00:00.000Z"],
  ["resets Sunday at 3 p.m. Pacific time", winter, "UTC", "2026-11-22T23:00:00.000Z"],
  ["resets at 2026-11-21 06:00 JST", winter, "UTC", "2026-11-20T21:00:00.000Z"],
  ["resets at 12:00 midnight", winter, "America/New_York", "2026-11-21T05:00:00.000Z"],
  ["resets at midnight", winter, "America/New_York", "2026-11-21T05:00:00.000Z"],
  ["resets at 12 noon UTC", winter, "America/New_York", "2026-11-21T12:00:00.000Z"],
  // New York, 1 November 2026: 1:30 comes twice, at 5:30 and at 6:30 UTC.
  ["resets 1:30am", "2026-11-01T05:00:00Z", "America/New_York", "2026-11-01T05:30:00.000Z"],
  ["resets 1:30am", "2026-11-01T05:45:00Z", "America/New_York", "2026-11-01T06:30:00.000Z"],
  ["resets 1:30am", "2026-11-01T06:45:00Z", "America/New_York", "2026-11-02T06:30:00.000Z"],
  // New York, 8 March 2026: 2:30 never comes.
  ["resets 2:30am", "2026-03-08T06:45:00Z", "America/New_York", "2026-03-08T07:30:00.000Z"],
  ["resets 2:30am", "2026-03-08T07:45:00Z", "America/New_York", "2026-03-09T06:30:00.000Z"],
  // Over the new year, in both directions; 29 February.
  ["resets Jan 2 at 4pm", "2026-12-30T12:00:00Z", "UTC", "2027-01-02T16:00:00.000Z"],
  ["resets Dec 31 at 4pm", "2027-01-01T01:00:00Z", "UTC", "2026-12-31T16:00:00.000Z"],
  ["resets Feb 29 at 9am", "2028-02-25T12:00:00Z", "UTC", "2028-02-29T09:00:00.000Z"],
  ["resets Feb 29 at 9am", "2027-02-25T12:00:00Z", "UTC", "2028-02-29T09:00:00.000Z"],
  // Friday the 20th: the coming Sunday, today, the same day a week on.
  ["resets Sun 11:00 PM", winter, "UTC", "2026-11-22T23:00:00.000Z"],
  ["resets Friday at 3pm", winter, "UTC", "2026-11-20T15:00:00.000Z"],
  ["resets on Friday at 9am", winter, "UTC", "2026-11-27T09:00:00.000Z"],
  ["resets Thursday", winter, "UTC", "2026-11-26T00:00:00.000Z"],
  // Durations.
  ["resets in 1:30:00", winter, "America/New_York", "2026-11-20T13:30:00.000Z"],
  ["try again in 00:02:10.", winter, "America/New_York", "2026-11-20T12:02:10.000Z"],
  ["try again in 3 hours 20 minutes", winter, "UTC", "2026-11-20T15:20:00.000Z"],
  ["Come back in 3h 47m — your usage resets at midnight", winter, "UTC", "2026-11-20T15:47:00.000Z"],
  ["resets in 6d", winter, "UTC", "2026-11-26T12:00:00.000Z"],
  ["try again in 1 hour, 2 minutes and 3 seconds", winter, "UTC", "2026-11-20T13:02:03.000Z"],
  ["Please try again in 6ms", winter, "UTC", "2026-11-20T12:00:00.006Z"],
  ['"retryDelay": "47s"', winter, "UTC", "2026-11-20T12:00:47.000Z"],
  // Headers and fields.
  ["retry-after: 120", winter, "UTC", "2026-11-20T12:02:00.000Z"],
  ['{"retry_after":30}', winter, "UTC", "2026-11-20T12:00:30.000Z"],
  ["Retry-After: Fri, 20 Nov 2026 13:00:00 GMT", winter, "UTC", "2026-11-20T13:00:00.000Z"],
  ['{"resets_at":1795198800,"resets_in_seconds":9}', winter, "UTC", "2026-11-20T18:20:00.000Z"],
  ["resets at 2026-11-21T06:00:00Z", winter, "Asia/Kathmandu", "2026-11-21T06:00:00.000Z"],
  ["resets at 2026-11-21T06:00:00.123+05:45", winter, "UTC", "2026-11-21T00:15:00.000Z"],
  ["regain access on 2026-12-01 at 00:00 UTC", winter, "Asia/Kathmandu", "2026-12-01T00:00:00.000Z"],
  ["Your limit will reset at 2026-11-20 19:01:25", winter, "Asia/Kathmandu", "2026-11-20T13:16:25.000Z"],
])("LOOP-8: %s at %s in %s", (message, now, zone, expected) => {
  expect(resetTime(message, new Date(now), zone)).toBe(expected);
});

test("LOOP-8: the zone that holds when none is given is the machine's own", () => {
  const now = new Date(2026, 10, 20, 12, 0);
  const reset = new Date(2026, 10, 20, 18, 29);
  expect(resetTime("You've hit your usage limit. Try again at 6:29 PM.", now)).toBe(reset.toISOString());
});

test.each([
  "Rate limit reached for requests",
  "try again 3 times",
  "resets 13pm (UTC)",
  "resets 6:20pm (Middle/Earth)",
  "resets 3pm IST",
  "resets 3pm XYZ",
  "resets 3pm Berlin time",
  "resets 3pm GMT+25",
  "resets in 4:30",
  "resets 25:10",
  "resets Feb 31 at 9am",
  "try again at 10 de jul. de 2026, 11:52",
  "try again with a smaller model",
  "reset the 3 tests, then retry",
  "wait until satisfied",
  "|17951988001234567",
  "Try again Foo, 99 Bar 2024 99:99:99 GMT",
  "",
])("no time is made up from: %s", (message) => {
  expect(resetTime(message, new Date(winter), "UTC")).toBeNull();
});

test.each([
  [1795198800, "2026-11-20T18:20:00.000Z"],
  [1795198800000, "2026-11-20T18:20:00.000Z"],
  [1e300, null],
  [Number.NaN, null],
])("an epoch figure of %s", (figure, expected) => {
  expect(epochTime(figure)).toBe(expected);
});
