import { expect, test } from "vitest";
import { tempSettings } from "../../test/temp-settings.ts";

test("AGENT-4: `sandbox` is a level or a mapping, whose other fields have defaults", async () => {
  const { load } = tempSettings();
  const settingOf = async (project: string) => (await load({ project })).settings.sandbox;
  const plain = { level: "auto", network: "on", read: [], write: [], verification: true, prefix: null };
  expect(await settingOf("")).toEqual(plain);
  expect(await settingOf("sandbox: strict")).toEqual({ ...plain, level: "strict" });
  expect(await settingOf("sandbox: { prefix: docker }")).toEqual({ ...plain, prefix: ["docker"] });
  const all = "{ level: strict, network: agent, read: ~/a, write: [b, c], verification: false }";
  expect(await settingOf(`sandbox: ${all}`)).toEqual({
    ...{ level: "strict", network: "agent", read: ["~/a"], write: ["b", "c"] },
    ...{ verification: false, prefix: null },
  });
});
