import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempRepository } from "../../../test/temp-repository.ts";
import { tempSettings } from "../../../test/temp-settings.ts";
import { hivemindOf, normalisedRemote } from "./hivemind-of.ts";

test.each([
  "git@github.com:me/shop.git",
  "ssh://git@github.com:22/me/shop",
  "https://me:token@GitHub.com/me/shop.git/",
  "https://github.com/me/shop",
])("HIVE-2: %s is one project in every notation", (remote) => {
  expect(normalisedRemote(remote)).toBe("github.com/me/shop");
});

async function originAt(root: string) {
  const loaded = await tempSettings().load({});
  const settings = hivemindOf({ root, loaded: { ...loaded, projectFile: null } });
  return settings?.project();
}

test("HIVE-2: worktrees are one project, a clone of the same remote too, and no path is in its id", async () => {
  const repository = tempRepository();
  onTestFinished(() => repository.remove("."));
  const other = join(repository.dir, "..", `${Date.now()}-worktree`);
  repository.git("worktree", "add", "-q", other);
  const own = await originAt(repository.dir);
  expect(own?.id).toMatch(/^[0-9a-f]{16}$/);
  expect(await originAt(other)).toMatchObject({ id: own?.id, name: own?.name });
  repository.git("worktree", "remove", "--force", other);

  repository.git("remote", "add", "origin", "git@git.example.org:team/shop.git");
  const clone = tempRepository();
  onTestFinished(() => clone.remove("."));
  clone.git("remote", "add", "upstream", "https://git.example.org/team/shop");
  const known = await originAt(repository.dir);
  expect(known).toMatchObject({ name: "shop" });
  expect(known?.privateTexts).toContain("git.example.org");
  expect((await originAt(clone.dir))?.id).toBe(known?.id);
  expect(known?.id).not.toBe(own?.id);
});
