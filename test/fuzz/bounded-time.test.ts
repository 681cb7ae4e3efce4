import { expect, test } from "vitest";
import { parsers } from "./parsers.ts";
import { growsTooFast, worstInputs } from "./search.ts";

// Only in the long form (npm run test:fuzz): test/bounded-time.test.ts tries the worst inputs that were found so far.
const isLong = process.env["RALPH_TEST_FUZZ"] !== undefined;

test.runIf(isLong).each(Object.entries(parsers))(
  "TRUST-12: %s: the worst input that a search over shapes finds takes time in proportion to its length",
  async (_, parse) => {
    const worst = await worstInputs(parse, { length: 20_000, partners: 20 });
    const grown = [];
    for (const one of worst.slice(0, 12)) grown.push(await growsTooFast(parse, one, 250_000));
    expect(grown.filter((why) => why !== undefined)).toEqual([]);
  },
  1_200_000,
);
