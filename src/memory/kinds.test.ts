import { expect, test } from "vitest";
import { loadKindsForPeople, loadKindsWithFind } from "./kinds.ts";

test("`ralph memory find` loads all kinds with `find`, and no others", async () => {
  const names = (kinds: Awaited<ReturnType<typeof loadKindsWithFind>>) => kinds.map(({ name }) => name);
  const found = await loadKindsWithFind();
  expect(names(found)).toEqual(names((await loadKindsForPeople()).filter(({ find }) => find !== undefined)));
  expect(found.length).toBeGreaterThan(1);
});
