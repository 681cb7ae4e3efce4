import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  makePipe,
  removeTempRepositories,
  tempFolder,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { type Guard, guard, plantedSince, restoreAfterCrash, restoreGuarded } from "../guard.ts";
import type { Workspace } from "../workspace.ts";

afterEach(removeTempRepositories);

interface Home {
  readonly ws: Workspace;
  readonly gitConfig: string;
}

async function home(): Promise<Home> {
  const folder = tempFolder();
  const ws = await openRunWorkspace(tempRepository().dir, { ...gitEnv, HOME: folder });
  return { ws, gitConfig: join(folder, ".gitconfig") };
}

/** As a killed ralph left it: the former text is not known. */
const stored = (before: Guard): Guard => JSON.parse(JSON.stringify(before));

const own = "[user]\n\tname = Ann\n";
const planted = '[filter "p"]\n\tclean = evil\n';

const writeFile = (path: string): void => writeFileSync(path, "in the way\n");

/** Fills the file up with comments. */
function pad(path: string, bytes: number): void {
  appendFileSync(path, `${"#".repeat(99)}\n`.repeat(bytes / 100));
}

test.each(variants([2_000_000, 20_000_000], 1))(
  "LOOP-18: what an agent plants in a configuration of git that it fills up to %i bytes is put back",
  async (bytes) => {
    const { ws, gitConfig } = await home();
    writeFileSync(gitConfig, own);
    const before = await guard(ws);
    expect(plantedSince(ws, before)).toEqual([]);
    appendFileSync(gitConfig, planted);
    pad(gitConfig, bytes);
    expect(plantedSince(ws, before)).toEqual(["~/.gitconfig"]);
    const keepIn = tempFolder();
    expect(await restoreGuarded(ws, before, keepIn)).toEqual(["~/.gitconfig"]);
    expect(readFileSync(gitConfig, "utf8")).toBe(own);
    expect(await restoreGuarded(ws, before, keepIn)).toEqual([]);
  },
);

test("LOOP-18: so is one that did not exist", async () => {
  const { ws, gitConfig } = await home();
  const before = await guard(ws);
  writeFileSync(gitConfig, planted);
  pad(gitConfig, 2_000_000);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual(["~/.gitconfig"]);
  expect(existsSync(gitConfig)).toBe(false);
});

test.each(variants([2_000_000, 70_000_000], 1))(
  "LOOP-18 LOOP-11: after a kill, a configuration of git of %i bytes keeps its beginning without what was planted, and all of it is kept",
  async (bytes) => {
    const { ws, gitConfig } = await home();
    writeFileSync(gitConfig, own);
    const before = stored(await guard(ws));
    appendFileSync(gitConfig, planted);
    pad(gitConfig, 1000);
    truncateSync(gitConfig, bytes);
    const keepIn = tempFolder();
    expect(plantedSince(ws, before)).toEqual(["~/.gitconfig"]);
    expect(await restoreAfterCrash(ws, before, keepIn)).toEqual(["~/.gitconfig"]);
    const text = readFileSync(gitConfig, "utf8");
    expect(text.startsWith(own)).toBe(true);
    expect(text).not.toContain("evil");
    expect(text.length).toBeLessThan(100_000);
    expect(await restoreAfterCrash(ws, before, keepIn)).toEqual([]);
    const kept = readKept(keepIn);
    expect(kept.length).toBe(bytes);
    expect(kept.subarray(0, 200).toString()).toContain("evil");
  },
);

test("LOOP-18: a large configuration of git that a person has is not touched", async () => {
  const { ws, gitConfig } = await home();
  writeFileSync(gitConfig, own);
  pad(gitConfig, 2_000_000);
  const before = await guard(ws);
  for (const one of [before, stored(before)]) {
    expect(plantedSince(ws, one)).toEqual([]);
    expect(await restoreGuarded(ws, one, tempFolder())).toEqual([]);
  }
});

function readKept(keepIn: string): Buffer {
  const [name] = readdirSync(keepIn, { recursive: true, encoding: "utf8" }).filter((one) =>
    one.endsWith(".gitconfig"),
  );
  return readFileSync(join(keepIn, name ?? ""));
}

test.each(
  variants(
    [
      ...[
        "[push]\n\tdefault = bogus\n",
        '[color "diff"]\n\tnew = nocolor\n',
        "[status]\n\tshowUntrackedFiles = x\n",
      ],
      ...["[log]\n\tdate = ISO\n", "[pack]\n\tpackSizeLimit = much\n"],
    ],
    2,
  ),
)("LOOP-18: a value that git refuses is taken out of the user's configuration: %j", async (text) => {
  const { ws, gitConfig } = await home();
  writeFileSync(gitConfig, own);
  const before = await guard(ws);
  appendFileSync(gitConfig, text);
  writeFileSync(join(ws.gitDir, "index"), "damaged");
  const keepIn = tempFolder();
  expect(await restoreGuarded(ws, before, keepIn)).toEqual(["~/.gitconfig"]);
  expect(readFileSync(gitConfig, "utf8")).toBe(own);
  expect(await restoreGuarded(ws, before, keepIn)).toEqual([]);
});

test("LOOP-18: a person's identity that is gone is put back", async () => {
  const { GIT_COMMITTER_NAME: _, GIT_COMMITTER_EMAIL: __, ...rest } = gitEnv;
  const HOME = tempFolder();
  const gitConfig = join(HOME, ".gitconfig");
  const identity = "[user]\n\tname = Ann\n\temail = ann@example.com\n";
  writeFileSync(gitConfig, identity);
  const ws = await openRunWorkspace(tempRepository().dir, { ...rest, HOME });
  const before = await guard(ws);
  writeFileSync(gitConfig, "[user]\n\tname = Ann\n\tuseConfigOnly = true\n");
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual(["~/.gitconfig"]);
  expect(readFileSync(gitConfig, "utf8")).toBe(identity);
});

test("LOOP-18: values that git accepts stay in the user's configuration", async () => {
  const { ws, gitConfig } = await home();
  writeFileSync(gitConfig, own);
  const before = await guard(ws);
  const now = `${own}\temail = a@example.com\n[color "diff"]\n\tnew = green bold\n[log]\n\tdate = format:%Y\n`;
  writeFileSync(gitConfig, now);
  const keepIn = tempFolder();
  expect(await restoreGuarded(ws, before, keepIn)).toEqual([]);
  expect(readFileSync(gitConfig, "utf8")).toBe(now);
  expect(readdirSync(keepIn)).toEqual([]);
});

test.each([
  ["a file in place of ~/.config/git", ".config/git", writeFile],
  ["a pipe in place of ~/.config/git", ".config/git", makePipe],
  ["a file in place of ~/.config", ".config", writeFile],
  ["a pipe in place of ~/.config", ".config", makePipe],
])("LOOP-18: %s is as if there were no configuration of git there", async (_, name, put) => {
  const { ws, gitConfig } = await home();
  const place = join(dirname(gitConfig), name);
  mkdirSync(dirname(place), { recursive: true });
  put(place);
  const before = await guard(ws);
  expect(plantedSince(ws, before)).toEqual([]);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([]);
});
