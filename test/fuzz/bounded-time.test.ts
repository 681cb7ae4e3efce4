import { expect, test } from "vitest";
import { parsers } from "./parsers.ts";
import { growsTooFast, worstInputs } from "./search.ts";

// The long form: npm run test:fuzz.
const isLong = process.env["RALPH_TEST_FUZZ"] !== undefined;
/** Characters of the texts that are searched, and of those whose growth is measured. */
const searched = isLong ? 20_000 : 1000;
const measured = isLong ? 250_000 : 20_000;

test.each(Object.entries(parsers))(
  "TRUST-12: %s: the worst input that a search over shapes finds takes time in proportion to its length",
  async (_, parse) => {
    const worst = await worstInputs(parse, {
      length: searched,
      partners: isLong ? 20 : 1,
      every: isLong ? 1 : 12,
    });
    const grown = [];
    for (const one of worst.slice(0, isLong ? 12 : 1)) grown.push(await growsTooFast(parse, one, measured));
    expect(grown.filter((why) => why !== undefined)).toEqual([]);
  },
  isLong ? 1_200_000 : 60_000,
);
