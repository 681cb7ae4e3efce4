import { expect, test } from "vitest";
import { claimsDone, tempLoop } from "../../../test/temp-loop.ts";
import { variants } from "../../../test/test-size.ts";
import { commitsOf } from "../pending-commit-store.ts";
import { runLoop } from "../run-loop.ts";

test.each(
  variants(
    [
      ["an empty commit", "git commit -q --allow-empty"],
      ["a commit of other work", "echo other > done.txt; git add done.txt; git commit -q"],
    ],
    1,
  ),
)(
  "LOOP-21: %s of the agent with ralph's trailer is not taken for the commit of the verified work",
  async (_, commit) => {
    const forge = `${commit} -m "$(printf 'x\\n\\nRalph-Iteration: %s' "$RALPH_MARKER")"`;
    const { setup, repository } = await tempLoop(`${forge}; echo work > done.txt; ${claimsDone}`);
    const marker = /Ralph-Iteration: (i-\w+)/;
    expect(await runLoop(setup)).toMatchObject({ reason: "done" });
    const [own = "", last = "", ...more] = await commitsOf(setup.db, "t-1");
    expect(more).toEqual([]);
    expect(repository.git("rev-parse", "HEAD")).toBe(last);
    expect(repository.git("show", `${last}:done.txt`)).toBe("work");
    const messages = [own, last].map((hash) => repository.git("log", "-1", "--format=%B", hash));
    expect(messages[0]).toMatch(marker);
    expect(marker.exec(messages[1] ?? "")?.[1]).toBe(marker.exec(messages[0] ?? "")?.[1]);
  },
);
