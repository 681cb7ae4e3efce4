import { afterEach, expect, test } from "vitest";
import {
  agent,
  bytesOf,
  type CommitBytes,
  canSign,
  commitBytes,
  commitSigned,
  emptyCommits,
  utf8,
} from "../../../test/commit-bytes.ts";
import {
  gitEnv,
  removeTempRepositories,
  type TempRepository,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { type TakenOut, takeOut } from "./take-out.ts";

afterEach(removeTempRepositories);

const keptAs = "refs/ralph/rollback/test";

interface Case {
  readonly repository: TempRepository;
  /** The commit of the start. */
  readonly base: string;
  run(): Promise<TakenOut>;
}

/** A person edits `mine.txt`, whose entry was that of the commit; what follows is an agent's. */
async function withEdit(): Promise<Case> {
  const repository = tempRepository({ "mine.txt": "committed\n" });
  const base = repository.git("rev-parse", "HEAD");
  const entry = `100644 ${repository.git("rev-parse", "HEAD:mine.txt")}`;
  repository.write("mine.txt", "a person's edit\n");
  repository.write("work.txt", "work\n");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const paths = new Set(["mine.txt"]);
  return {
    repository,
    base,
    run: () => takeOut(ws, { base, paths, staged: { "mine.txt": entry }, keptAs }),
  };
}

const signature = `gpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----\n`;
const all = ["commit", "--quiet", "--all", "-m", "own"] as const;

const refusals: readonly (readonly [what: string, commit: (made: TempRepository) => void, why: RegExp])[] = [
  ["is before a signed one", beforeSigned, /^a commit is signed$/],
  ["is signed in SHA-256", signedInSha256, /^a commit is signed$/],
  [
    "a remote-tracking branch has",
    (made) => withRef(made, "refs/remotes/origin/main"),
    /^origin\/main has it/,
  ],
  ["another branch has", (made) => withRef(made, "refs/heads/side"), /^side has it too$/],
  [
    "a branch like one of ralph's has",
    (made) => withRef(made, "refs/heads/ralph/x"),
    /^ralph\/x has it too$/,
  ],
  ["an annotated tag has", (made) => withTag(made), /^v9 has it too$/],
  ["a ref of another program has", (made) => withRef(made, "refs/keep/x"), /^refs\/keep\/x has it too$/],
  ["has a message in Latin-1", inLatin1, /^a commit's message or author is not UTF-8$/],
  [
    "has an author in Latin-1",
    (made) => commitBytes(made, { author: `Zo\xeb <zoe@example.com> 1700000000 +0100` }),
    /^a commit's message or author is not UTF-8$/,
  ],
  ["is before 200 others", beforeMany, /^it is followed by more than 200 commits$/],
  ["is under a merge", underMerge, /^it is part of a merge/],
  ["is under a merge of what was there before", underOldMerge, /^it is part of a merge/],
  ["replaces the commit of the start", replacingBase, /not on top of where the task began$/],
  ["is followed by a merge in progress", beforeOperation, /^a git merge is in progress$/],
];

function beforeSigned(made: TempRepository): void {
  made.git(...all);
  made.write("work.txt", "more\n");
  commitBytes(made, { header: signature });
}

function signedInSha256(made: TempRepository): void {
  commitBytes(made, { header: signature.replace("gpgsig", "gpgsig-sha256") });
}

/** The commit is below what the ref names. */
function withRef(made: TempRepository, ref: string): void {
  made.git(...all);
  made.git("commit", "--quiet", "--allow-empty", "-m", "second");
  made.git("update-ref", ref, "HEAD");
}

function withTag(made: TempRepository): void {
  made.git(...all);
  made.git("tag", "-a", "-m", "nine", "v9");
}

function inLatin1(made: TempRepository): void {
  commitBytes(made, { header: "encoding ISO-8859-1\n", message: "caf\xe9\n" });
}

function beforeMany(made: TempRepository): void {
  made.git(...all);
  emptyCommits(made, 200);
}

function underMerge(made: TempRepository): void {
  made.git("branch", "side");
  made.git(...all);
  const side = made.git("commit-tree", "-p", "side", "-m", "side", "side^{tree}");
  made.git("branch", "--quiet", "-D", "side");
  made.git("merge", "--quiet", "--no-ff", "-m", "merged", side);
}

function underOldMerge(made: TempRepository): void {
  const base = made.git("rev-parse", "HEAD");
  made.git(...all);
  made.git(
    "update-ref",
    "HEAD",
    made.git("commit-tree", "-p", "HEAD", "-p", base, "-m", "old", "HEAD^{tree}"),
  );
}

function replacingBase(made: TempRepository): void {
  made.git("commit", "--quiet", "--all", "--amend", "-m", "own");
}

function beforeOperation(made: TempRepository): void {
  made.git(...all);
  const side = made.git("commit-tree", "-p", "HEAD", "-m", "side", "HEAD^{tree}");
  made.git("merge", "--quiet", "--no-ff", "--no-commit", side);
}

async function expectRefused({ repository, run }: Case, why: RegExp): Promise<void> {
  const { git } = repository;
  const state = (): string => `${git("show-ref", "--head")}\n${git("ls-files", "--stage")}`;
  const before = state();
  const { paths, refused } = await run();
  expect(paths).toEqual(["mine.txt"]);
  expect(refused).toMatch(why);
  // Also no ref to a copy: nothing was replaced.
  expect(state()).toBe(before);
  expect(repository.read("mine.txt")).toBe("a person's edit\n");
}

test.each(variants(refusals, 6))("LOOP-9: a commit that %s stays as it is", async (_, commit, why) => {
  const made = await withEdit();
  commit(made.repository);
  await expectRefused(made, why);
});

test.skipIf(!canSign)("LOOP-9: a commit with a genuine signature stays as it is", async () => {
  const made = await withEdit();
  made.repository.git("add", "work.txt");
  commitSigned(made.repository);
  expect(bytesOf(made.repository, "HEAD")).toContain("BEGIN SSH SIGNATURE");
  await expectRefused(made, /^a commit is signed$/);
});

test.skipIf(!canSign)("LOOP-9: a signed commit of a person's file alone is left out", async () => {
  const made = await withEdit();
  commitSigned(made.repository);
  expect(await made.run()).toEqual({ paths: ["mine.txt"], refused: null });
  expect(made.repository.git("rev-parse", "HEAD")).toBe(made.base);
  expect(made.repository.git("status", "--porcelain")).toBe("M mine.txt\n?? work.txt");
});

test.each<[string, CommitBytes]>(
  variants(
    [
      ["zones of 45 minutes", { author: `${agent} +0545`, committer: `${agent} -0330` }],
      ["a time before 1970 and no zone", { author: `Agent <agent@example.com> -1 -0000` }],
      [
        "names of other alphabets",
        { author: `${utf8("Zoë O'Neil 李 \u2028gpgsig")} <zoe@example.com> 1 +0000` },
      ],
      ["an empty name", { author: " <> 1700000000 +0000" }],
      ["no line feed at the end", { message: "own" }],
      ["no message", { message: "" }],
      [
        "another encoding's name and bytes that are UTF-8",
        { header: "encoding ISO-8859-1\n", message: utf8("é\n") },
      ],
      [
        "a signature's name in the message",
        { message: "own\n\ngpgsig is a header\ntree $& $1\nparent $'\n" },
      ],
      ["headers of other programs", { header: "HG:extra rebase\n more\n" }],
      ["carriage returns and a replacement character", { message: utf8("own\r\n\r\n\uFFFD\uFEFF\r\n") }],
    ],
    4,
  ),
)("LOOP-9: a commit with %s keeps these bytes when a person's file is taken out", async (_, bytes) => {
  const made = await withEdit();
  const { repository, base } = made;
  const { git } = repository;
  commitBytes(repository, bytes);
  const before = bytesOf(repository, "HEAD");
  expect(await made.run()).toEqual({ paths: ["mine.txt"], refused: null });
  expect(git("diff", "--name-only", base, "HEAD")).toBe("work.txt");
  expect(git("status", "--porcelain")).toBe("M mine.txt");
  expect(bytesOf(repository, keptAs)).toBe(before);
  const tree = git("rev-parse", "HEAD^{tree}");
  expect(bytesOf(repository, "HEAD")).toBe(before.replace(/^tree .*/, `tree ${tree}`));
});

test("LOOP-9: the commits before that of a person's file stay; those after it are on top of the new one", async () => {
  const { repository, base, run } = await withEdit();
  const { git } = repository;
  const commits = ["first", "second", "third"].map((name) => {
    repository.write(`${name}.txt`, name);
    git("add", `${name}.txt`);
    git("commit", "--quiet", ...(name === "second" ? ["--all"] : []), "-m", name);
    return git("rev-parse", "HEAD");
  });
  expect(await run()).toEqual({ paths: ["mine.txt"], refused: null });
  const after = git("rev-list", "--reverse", `${base}..HEAD`).split("\n");
  expect(after.map((hash) => commits.includes(hash))).toEqual([true, false, false]);
  expect(git("log", "--reverse", "--format=%s", "--name-only", `${base}..HEAD`).split(/\n+/)).toEqual(
    ["first", "second", "third"].flatMap((name) => [name, `${name}.txt`]),
  );
});

test("LOOP-9: refs of ralph and the stash do not keep a person's file in a commit", async () => {
  const made = await withEdit();
  const { git } = made.repository;
  git(...all);
  git("update-ref", "refs/ralph/salvage/t-1-1", "HEAD");
  made.repository.write("work.txt", "stashed\n");
  git("add", "work.txt");
  git("stash", "push", "--quiet");
  expect(await made.run()).toEqual({ paths: ["mine.txt"], refused: null });
  expect(git("rev-parse", "HEAD")).toBe(made.base);
});
