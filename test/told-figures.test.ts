import { expect, test } from "vitest";
import { toldFigures } from "../bench/silence/told-figures.ts";

test("IF-4: what a task is told is right, only wrong, or nothing, and noise where no lesson fits", () => {
  const told = [
    { lang: "en", foreign: false, lines: [false, true] },
    { lang: "en", foreign: false, lines: [false] },
    { lang: "de", foreign: false, lines: [] },
    { lang: "de", foreign: true, lines: [false] },
  ];
  const [all, german] = toldFigures(told);
  const third = expect.closeTo(1 / 3);
  expect(all).toMatchObject({ tasks: 3, none: 1, right: third, wrongOnly: third, silent: third, noise: 1 });
  expect(all).toMatchObject({ rightLines: third, rightOfAll: 0.25 });
  expect(german).toMatchObject({ name: "de", tasks: 1, none: 1, right: 0, silent: 1, noise: 1 });
});
