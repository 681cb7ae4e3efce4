import { expect, test } from "vitest";
import { safeText } from "../../trust/safe-text.ts";
import { splitLesson } from "./store/learning-text.ts";

test.each([278, 279, 280, 281])(
  "LEARN-1: a lesson of %i letters and emoji ends between characters",
  (letters) => {
    const { lesson } = splitLesson(safeText(`${"x".repeat(letters)}😀😀 and more`));
    expect(lesson.length).toBeLessThanOrEqual(280);
    expect(lesson.isWellFormed()).toBe(true);
    expect(lesson).toMatch(/^x+(?:😀)?…$/u);
  },
);
