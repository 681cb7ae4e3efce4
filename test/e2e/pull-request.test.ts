import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";
import { queryRun } from "./query.ts";

let project: Practice | undefined;
let bin = "";

afterEach(() => {
  project?.remove();
  rmSync(bin, { recursive: true, force: true });
});

const fakeGlab = `#!/bin/sh
here=$(dirname "$0")
echo "$1 $2 $3" >> "$here/calls"
[ "$2" = create ] && echo https://gitlab.invalid/merge_requests/1 > "$here/url"
cat "$here/url"
`;

/** Keeps the body and the calls, and knows one open pull request. */
const fakeGh = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/calls"
case "$2" in
list) cat "$here/url" 2>/dev/null; exit 0 ;;
create) echo https://example.invalid/pull/1 > "$here/url" ;;
esac
while [ $# -gt 1 ]; do [ "$1" = --body-file ] && cp "$2" "$here/body"; shift; done
cat "$here/url"
`;

async function withRemote({ gh = true, remote = true } = {}): Promise<Practice> {
  bin = mkdtempSync(join(tmpdir(), "ralph-gh-"));
  if (gh) writeFileSync(join(bin, "gh"), fakeGh, { mode: 0o755 });
  const made = practice({ "README.md": "# practice\n" }, { PATH: `${bin}:${process.env["PATH"]}` });
  // The programs are looked for in each run.
  project = { ...made, ralph: (...args) => queryRun(args, made) ?? made.start(...args) };
  await project.useWorker({ "*": [{ write: { "{id}.txt": "x" } }] }, 'verify: ["true"]\n');
  await project.addTasks(["Write [one] @all", "Write two"]);
  if (remote) {
    project.git("init", "-q", "--bare", "../remote.git");
    project.git("remote", "add", "origin", "../remote.git");
    project.git("push", "-q", "origin", "main");
  }
  return project;
}

const kept = (name: string): string => readFileSync(join(bin, name), "utf8");

test("UX-8: a run with tasks left pushes its branch and opens a pull request, and the next run updates its body", async () => {
  const made = await withRemote();
  const first = await made.ralph("run", "--pr", "--once");
  expect({ ...first, code: 3 }).toMatchObject({ code: first.code });
  expect(first.stderr).toContain("created the pull request https://example.invalid/pull/1");
  const branch = made.git("branch", "--show-current");
  expect(branch).toMatch(/^ralph\/run-/);
  expect(made.git("rev-parse", `refs/remotes/origin/${branch}`)).toBe(made.git("rev-parse", "HEAD"));
  expect(kept("calls")).toContain(
    `pr create --head ${branch} --title Write [one] @all --base main --body-file`,
  );
  expect(kept("body")).toMatch(
    /## Done\n\n- Write \\\[one\\\] @<!-- -->all \([0-9a-f]{9}\)\n\n## Verified by\n\n- `true`/,
  );
  expect(kept("body")).toContain("1 task is left");
  const second = await made.ralph("run", "--pr");
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr).toContain("updated the pull request https://example.invalid/pull/1");
  expect(made.git("branch", "--show-current")).toBe(branch);
  expect(kept("body")).toMatch(/Write two \([0-9a-f]{9}\)/);
  expect(kept("body")).toContain("@<!-- -->all");
  expect(kept("calls").match(/^pr create/gm)).toHaveLength(1);
});

test("UX-8: without a remote nothing begins; what cannot be pushed or opened stays on its branch, with the commands to type", async () => {
  const bare = await withRemote({ remote: false });
  const none = await bare.ralph("run", "--pr");
  expect(none.stderr).toMatch(/needs a remote to push to.*\nhint: run `git remote add/);
  expect([none.code, bare.git("branch", "--show-current")]).toEqual([2, "main"]);
  bare.remove();
  rmSync(bin, { recursive: true, force: true });

  const made = await withRemote({ gh: false });
  const hook = join(made.dir, "../remote.git/hooks/pre-receive");
  const refusals = [
    ["remote: error: GH006: Protected branch update failed", "the branch is protected there"],
    ["remote: Permission to a/b.git denied to c", "you may not push there"],
    ["", "neither gh nor glab is installed"],
  ] as const;
  const codes = [];
  for (const [at, [said, why]] of refusals.entries()) {
    writeFileSync(hook, `#!/bin/sh\n[ -z "${said}" ] || { echo "${said}" >&2; exit 1; }\n`);
    chmodSync(hook, 0o755);
    const { code, stderr } = await made.ralph(
      "run",
      "--pr",
      "--branch",
      "feature",
      ...(at === 0 ? ["--once"] : []),
    );
    codes.push(code);
    expect(stderr).toContain(why);
    const isPushed = said === "";
    const push = isPushed ? "" : "git push origin feature\n      ";
    expect(stderr).toContain(`hint: ${push}gh pr create --head feature --title 'Write`);
    expect(stderr.includes("The commits are on the branch here.")).toBe(!isPushed);
    expect(made.git("branch", "--show-current")).toBe("feature");
  }
  expect(codes).toEqual([3, 5, 5]);
  expect(made.commits()).toHaveLength(4);
  made.git("push", "-q", "--force", "origin", "main:feature");
  made.git("switch", "-q", "main");
  made.git("commit", "-q", "--allow-empty", "-m", "other");
  made.git("push", "-q", "--force", "origin", "main:feature");
  made.git("switch", "-q", "feature");
  const behind = await made.ralph("run", "--pr", "--branch", "feature");
  expect(behind.stderr).toContain("ralph never force-pushes");
  expect(existsSync(join(bin, "calls"))).toBe(false);
});

test("UX-8: a merge request where the remote is GitLab's; a program that refuses leaves the pushed branch and the command to type", async () => {
  const made = await withRemote({ gh: false, remote: false });
  writeFileSync(join(bin, "glab"), fakeGlab, { mode: 0o755 });
  made.git("init", "-q", "--bare", "../gitlab.git");
  made.git("remote", "add", "origin", "../gitlab.git");
  const run = async (...words: string[]): Promise<string> =>
    (await made.ralph("run", "--pr", ...words)).stderr;
  expect(await run("--once")).toContain("created the pull request https://gitlab.invalid/merge_requests/1");
  const branch = made.git("branch", "--show-current");
  expect(await run("--once")).toContain("updated the pull request https://gitlab.invalid/merge_requests/1");
  expect(kept("calls")).toBe(`mr update ${branch}\nmr create --source-branch\nmr update ${branch}\n`);
  writeFileSync(join(bin, "glab"), "#!/bin/sh\necho 'not logged in.' >&2\nexit 4\n", { mode: 0o755 });
  await made.addTasks([{ id: "t-3", title: "Write three" }]);
  const refused = await run();
  expect(refused).toContain(`pushed ${branch}, but no pull request: not logged in\n`);
  expect(refused).toContain(`hint: glab mr create --source-branch ${branch} --title 'Write`);
  expect(made.git("rev-parse", `refs/remotes/origin/${branch}`)).toBe(made.git("rev-parse", "HEAD"));
});

test("UX-8: a run with nothing to do creates no branch", async () => {
  const made = await withRemote();
  await made.ralph("run");
  for (const words of [[], ["--branch", "x"]]) {
    const none = await made.ralph("run", "--pr", ...words);
    expect(none.code).toBe(0);
    expect(none.stderr).toMatch(
      /no pull request: no task was ready, so (x|ralph\/run-\S+) was not created\n/,
    );
    expect(made.git("branch", "--format=%(refname:short)")).toBe("main");
  }
  expect(existsSync(join(bin, "calls"))).toBe(false);
});

test("UX-8: a later run stays on the branch that an earlier one named, with the same base", async () => {
  const made = await withRemote({ gh: false });
  await made.addTasks([{ id: "t-3", title: "Write three" }]);
  made.git("switch", "-q", "-c", "develop");
  await made.ralph("run", "--pr", "--branch", "x", "--once");
  for (const words of [["--once"], ["--branch", "x"]]) {
    const { stderr } = await made.ralph("run", "--pr", ...words);
    expect(stderr).toMatch(/gh pr create --head x .* --base 'develop'\n/);
    expect(made.git("branch", "--show-current")).toBe("x");
  }
  expect(made.git("branch", "--format=%(refname:short)").split("\n")).toEqual(["develop", "main", "x"]);
  expect(made.git("rev-list", "--count", "develop..refs/remotes/origin/x")).toBe("3");
});

test("UX-8: a branch that no run created is no later run's, unless named", async () => {
  const made = await withRemote();
  await made.ralph("run", "--pr", "--branch", "main", "--once");
  expect(made.git("branch", "--show-current")).toBe("main");
  await made.ralph("run", "--pr");
  expect(made.git("branch", "--show-current")).toMatch(/^ralph\/run-/);
});
