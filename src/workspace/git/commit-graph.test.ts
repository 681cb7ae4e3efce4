import { createHash } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { status } from "./status.ts";

afterEach(removeTempRepositories);

/** Writes a commit graph in which the only commit has another tree. */
function forge(dir: string, tree: string): void {
  const path = join(dir, ".git/objects/info/commit-graph");
  const graph = readFileSync(path).subarray(0, -20);
  const chunk = graph.indexOf("CDAT");
  graph.write(tree, Number(graph.readBigUInt64BE(chunk + 4)), "hex");
  chmodSync(path, 0o644);
  writeFileSync(path, Buffer.concat([graph, createHash("sha1").update(graph).digest()]));
}

test("LOOP-18: a commit graph in which the agent gave the last commit another tree hides no change", async () => {
  const { dir, git, write } = tempRepository();
  write("check.sh", "npm test\n");
  git("add", "-A");
  git("commit", "-q", "--amend", "-m", "start");
  const ws = await openRunWorkspace(dir, gitEnv);
  write("check.sh", "exit 0\n");
  git("add", "check.sh");
  git("commit-graph", "write", "--reachable");
  forge(dir, git("write-tree"));
  // As git shows it to a person.
  expect(git("status", "--porcelain")).toBe("");
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
});
