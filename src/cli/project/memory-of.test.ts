import { expect, test } from "vitest";
import { holdoutShare } from "./memory-of.ts";

test.each([
  [null, 20, 0],
  [null, 21, 0.1],
  [0, 21, 0],
  [0.5, 3, 0.5],
])(
  "LEARN-6: with the share %s and %s open tasks, %s of the iterations measure memory",
  (chosen, open, share) => {
    expect(holdoutShare(chosen, { pending: open - 1, in_progress: 1 })).toBe(share);
  },
);
