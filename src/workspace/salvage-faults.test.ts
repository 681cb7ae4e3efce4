import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import {
  removeTempRepositories,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../test/temp-repository.ts";
import { beginTask, salvageRef as ref } from "../../test/temp-task.ts";
import { testSize } from "../../test/test-size.ts";
import type { Workspace } from "./git/workspace.ts";
import { dropSalvage, restoreSalvage } from "./salvage.ts";

afterEach(removeTempRepositories);

/** 1: every git call; 19: every nineteenth. */
const step = testSize("RALPH_TEST_VARIANTS", 19);

/** The work tree, for a git that is gone from its `number`th call on, as it is when ralph is killed there. */
function endingAt(ws: Workspace, number: number): { dying: Workspace; died(): boolean } {
  const bin = tempFolder();
  const git = ws.env["PATH"]?.split(":").find((folder) => existsSync(join(folder, "git")));
  // Without a process of its own besides git's.
  const count = `echo >> ${bin}/calls; n=0; while read -r _; do n=$((n + 1)); done < ${bin}/calls`;
  const script = `${count}; [ $n -ge ${number} ] && exit 99; exec ${git}/git "$@"`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const calls = (): number => readFileSync(join(bin, "calls"), "utf8").length;
  return {
    dying: { ...ws, program: join(bin, "git") },
    died: () => calls() >= number,
  };
}

test("LOOP-11: killed before one git call or another, salvage and restore end well when called again", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  repository.write("mine.txt", "mine");
  const { ws, git, write, remove, hashes, setAside } = await beginTask(repository);
  const before = hashes();
  const agentWorks = (): void => {
    write("a.txt", "agent");
    git("add", "--all");
    git("commit", "-qm", "agent");
    write("b.txt", "agent");
    remove("c.txt");
    write("new/x.txt", "agent");
  };
  agentWorks();
  const done = hashes();
  for (let number = 1; ; number += step) {
    const { dying, died } = endingAt(ws, number);
    await setAside(dying).catch(() => undefined);
    const saved = await setAside();
    expect([number, saved?.ref, hashes()]).toEqual([number, ref, before]);
    await restoreSalvage(dying, ref).catch(() => undefined);
    expect([number, await restoreSalvage(ws, ref)]).toEqual([number, { restored: true, conflicts: [] }]);
    expect([number, hashes()]).toEqual([number, done]);
    if (!died()) break;
    await setAside();
    await dropSalvage(ws, ref);
    agentWorks();
  }
  expect(git("status", "--porcelain").split("\n").sort()).toContain("?? mine.txt");
}, 600_000);

test("LOOP-9: salvage and restore together change nothing of what was done, whatever was done", async () => {
  const name = fc.constantFrom("a", "b", "d/x", "d/y", "d", "b/deep/z", "-f", " s p ", "ü\nñ", ":(top)q");
  const step = fc.record({
    path: name,
    kind: fc.constantFrom("write", "write", "remove", "link", "stage", "commit"),
    text: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const subject = await beginTask(tempRepository({ a: "a", b: "b", "d/x": "x", "d/y": "y" }));
      const start = subject.hashes();
      for (const { kind, path, text } of steps) apply(subject, kind, path, text);
      const done = subject.hashes();
      const saved = await subject.setAside();
      expect(subject.hashes()).toEqual(start);
      expect([subject.git("status", "--porcelain"), subject.git("rev-parse", "HEAD")]).toEqual([
        "",
        subject.baseline.head,
      ]);
      if (saved) expect(await restoreSalvage(subject.ws, ref)).toEqual({ restored: true, conflicts: [] });
      expect(subject.hashes()).toEqual(done);
    }),
    { numRuns: 4 },
  );
});

function apply({ dir, git }: TempRepository, kind: string, path: string, text: string): void {
  if (kind === "stage" || kind === "commit") git("add", "--all");
  if (kind === "commit") git("commit", "-q", "--allow-empty", "-m", "agent");
  if (kind === "stage" || kind === "commit") return;
  const full = join(dir, path);
  const top = join(dir, path.split("/")[0] ?? "");
  if (!lstatSync(top, { throwIfNoEntry: false })?.isDirectory()) rmSync(top, { force: true });
  rmSync(full, { recursive: true, force: true });
  if (kind === "remove") return;
  mkdirSync(dirname(full), { recursive: true });
  if (kind === "link") symlinkSync(`x${text.replaceAll("\0", "")}`, full);
  else writeFileSync(full, text);
}
