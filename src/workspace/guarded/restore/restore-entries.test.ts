import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  runScript,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../../test/temp-workspace.ts";
import { variants } from "../../../../test/test-size.ts";
import { type Guard, guard, plantedSince, type RestoredFile, restoreGuardedFiles } from "../../guard.ts";
import { configValues } from "../config/config-values.ts";
import { startTheSame } from "../config/starting-values.ts";

afterEach(removeTempRepositories);

interface Guarded extends TempRepository {
  readonly config: () => string;
  readonly planted: () => readonly string[];
  readonly restore: () => Promise<readonly RestoredFile[]>;
}

async function guarded(repository: TempRepository = tempRepository()): Promise<Guarded> {
  repository.write(".ralph/config.yaml", "verify: [npm test]\n");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  const keepIn = tempFolder();
  return {
    ...repository,
    config: () => repository.read(".git/config"),
    planted: () => plantedSince(ws, before),
    restore: () => restoreGuardedFiles(ws, before, keepIn),
  };
}

/** A home for settings that a person's git needs, such as for clones of local repositories. */
function asPerson(dir: string, script: string): void {
  runScript(dir, script, { ...gitEnv, HOME: tempFolder() });
}

const everyday = [
  "git remote add up https://example.com/x.git; git remote add old ../old",
  "git init -q --bare ../bare.git; git remote add origin ../bare.git; git push -q -u origin main; git fetch -q",
  "git config color.ui false; git config color.diff.new 'green bold'",
  "git config fetch.prune true; git config pull.rebase merges; git config push.default current",
  "git config advice.detachedHead false; git config rerere.enabled true; git config log.date iso",
  "git init -q ../inner; git -C ../inner commit -q --allow-empty -m x; git -c protocol.file.allow=always submodule --quiet add ../inner lib",
  "git config lfs.repositoryformatversion 0; git config lfs.https://example.com/x.git/info/lfs.access basic",
];

test.each(everyday)("LOOP-18: a person's everyday settings of the repository stay: %s", async (script) => {
  const made = await guarded(repositoryAt(prepared()));
  asPerson(made.dir, script);
  const changed = made.config();
  expect(made.planted()).toEqual([]);
  expect(await made.restore()).toEqual([]);
  expect(made.config()).toBe(changed);
});

/** A repository with room beside it. */
function prepared(): string {
  const dir = join(tempFolder(), "project");
  mkdirSync(dir);
  const made = repositoryAt(dir);
  made.git("init", "--quiet", "--initial-branch=main", "--template=");
  made.write("a.txt", "a\n");
  made.git("add", "a.txt");
  made.git("commit", "--quiet", "-m", "first");
  return dir;
}

test("LOOP-18: of a changed configuration only what starts programs is taken back, and a copy is kept", async () => {
  const repository = tempRepository();
  repository.git("config", "core.hooksPath", ".husky");
  repository.git("remote", "add", "origin", "../old");
  repository.git("remote", "add", "gone", "../gone");
  const made = await guarded(repository);
  const script = [
    "git remote set-url origin '../\"new\" ;x'; git remote remove gone; git remote add up ../up",
    "git config alias.st status; git config core.editor nano; git config core.hooksPath /evil",
    "git config user.email new@example.com",
  ];
  runScript(made.dir, script.join("\n"));
  const changed = made.config();
  expect(made.planted()).toEqual([".git/config"]);
  const [restored, ...more] = await made.restore();
  expect([restored?.name, more]).toEqual([".git/config", []]);
  expect(readFileSync(restored?.copy ?? "", "utf8")).toBe(changed);
  const git = (key: string): string => made.git("config", "--default", "", "--get", key);
  const keys =
    "core.hookspath alias.st core.editor remote.origin.url remote.gone.url remote.up.url user.email";
  expect(keys.split(" ").map(git)).toEqual([...[".husky", "", "", "../old", "", "../up", ""]]);
  expect(made.git("config", "remote.up.fetch")).toBe("+refs/heads/*:refs/remotes/up/*");
  expect([made.planted(), await made.restore()]).toEqual([[], []]);
});

const attacks = [
  "core.hooksPath /evil",
  "core.fsmonitor evil",
  "core.pager evil",
  "core.worktree ../x",
  "core.bare true",
  "core.fileMode false",
  "filter.p.clean evil",
  "alias.x !evil",
  "include.path ../evil",
  "includeIf.gitdir:/.path ../evil",
  "url.evil:.insteadOf https:",
  "remote.o.uploadpack evil",
  "remote.o.vcs evil",
  "credential.helper evil",
  "status.showUntrackedFiles no",
  "submodule.lib.ignore all",
  "submodule.lib.update !evil",
  // Values at which git refuses to work.
  "push.default evil",
  "advice.statusHints evil",
  "color.ui evil",
  "user.name .",
  "remote.o.fetch a:b:c",
  "remote.o.fetch +refs/heads/a..b:refs/x",
  "branch.main.merge refs/heads/main/",
  // Who commits, and where a push goes.
  "user.name Other",
  "remote.o.pushurl ../elsewhere",
  "branch.autoSetupMerge evil",
];

test.each(variants(attacks, 16))(
  "LOOP-18: what starts programs or hides changes is taken back: %s",
  async (setting) => {
    const made = await guarded();
    const before = made.config();
    const at = setting.indexOf(" ");
    made.git("config", setting.slice(0, at), setting.slice(at + 1));
    expect(made.planted()).toEqual([".git/config"]);
    expect((await made.restore()).map(({ name }) => name)).toEqual([".git/config"]);
    expect(made.config()).toBe(before);
  },
);

const odd = [
  "[[\n",
  "evil\n",
  '[user]\n\tname = "Ann\n',
  '[user]\n\tname = a\\q\n[remote "x"]\n\turl = a\n',
  '[remote "x"]\n\turl\n',
  '[remote "x"] url = a\n[core] fsmonitor = evil\n',
  "\u0000[user]\n\tname = x\n",
];

test.each(odd)(
  "LOOP-18: git works after an agent wrote this at the end of its configuration: %j",
  async (text) => {
    const made = await guarded();
    const before = made.config();
    appendFileSync(join(made.dir, ".git/config"), text);
    expect((await made.restore()).map(({ name }) => name)).toEqual([".git/config"]);
    expect(startTheSame(made.config(), before)).toBe(true);
    expect(made.git("status", "--short")).toBe("?? .ralph/");
    expect(await made.restore()).toEqual([]);
  },
);

const piece = fc.constantFrom(
  ...'[core]|[user]|[remote "x"]|[branch "a]b"]|\n|hooksPath = evil|name = a|url = "a;b"|merge = refs/heads/a|\\\n|"|#|;| |=|\t|]|[|url'.split(
    "|",
  ),
);

test("LOOP-18: whatever an agent writes to a configuration, git reads what is left and starts the same", async () => {
  const own = '[core]\n\thooksPath = .husky\n[remote "x"]\n\turl = old\n';
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
  const repository = tempRepository();
  appendFileSync(join(repository.dir, ".git/config"), own);
  const made = await guarded(repository);
  const before = made.config();
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async (added, isFirst) => {
      writeFileSync(join(made.dir, ".git/config"), isFirst ? `${added}\n${before}` : `${before}${added}`);
      await made.restore();
      const left = made.config();
      expect(startTheSame(left, before)).toBe(true);
      expect(made.git("config", "core.hooksPath")).toBe(".husky");
      expect(made.git("config", "--local", "--list").split("\n").length).toBe(configValues(left).length);
      expect(await made.restore()).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("LOOP-18: a person's settings of a submodule and of a linked work tree stay, without what starts programs", async () => {
  const dir = prepared();
  asPerson(
    dir,
    `${everyday[5]}; git config extensions.worktreeConfig true; git worktree add -q ../wt -b other`,
  );
  asPerson(dir, "git config --worktree color.ui auto; git -C ../wt config --worktree log.date iso");
  const made = await guarded(repositoryAt(dir));
  const script = [
    "git -C lib remote add up ../up; git -C lib config core.fsmonitor evil",
    "git -C ../wt config --worktree log.date short; git -C ../wt config --worktree core.fsmonitor evil",
    "git config --worktree color.ui never",
  ];
  asPerson(dir, script.join("\n"));
  const names = [".git/modules/lib/config", ".git/worktrees/wt/config.worktree"];
  expect((await made.restore()).map(({ name }) => name).toSorted()).toEqual(names);
  const text = names.map((name) => made.read(name)).join("\n");
  expect(text).not.toContain("evil");
  expect(text).toContain('[remote "up"]');
  expect(text).toContain("short");
  expect(made.read(".git/config.worktree")).toContain("never");
});

test("LOOP-18: a copy is kept of a person's new hook and of their edit of ralph's settings", async () => {
  const repository = tempRepository();
  repository.write(".git/hooks/commit-msg", "#!/bin/sh\n");
  repository.write(".git/info/exclude", "");
  const made = await guarded(repository);
  const hook = "#!/bin/sh\nnpm test\n";
  made.write(".git/hooks/pre-commit", hook);
  chmodSync(join(made.dir, ".git/hooks/pre-commit"), 0o755);
  made.write(".ralph/config.yaml", "verify: [make]\n");
  made.write(".git/info/exclude", "*.swp\n");
  appendFileSync(join(made.dir, ".git/hooks/commit-msg"), "exit 0\n");
  const restored = await made.restore();
  const copies = restored.map(({ name, copy }) => [name, copy && readFileSync(copy, "utf8")]);
  expect(Object.fromEntries(copies)).toEqual({
    ".git/hooks/pre-commit": hook,
    ".git/hooks/commit-msg": "#!/bin/sh\nexit 0\n",
    ".git/info/exclude": "*.swp\n",
    ".ralph/config.yaml": "verify: [make]\n",
  });
});
