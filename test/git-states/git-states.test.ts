import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStates } from "./file-states.ts";
import { refusedStates } from "./refused-states.ts";
import { repositoryStates } from "./repository-states.ts";
import { settingStates } from "./setting-states.ts";
import type { State } from "./state.ts";
import { type Ended, type StateRepository, stateRepositories } from "./state-repository.ts";
import { type UserData, userData } from "./user-data.ts";

// Every state, each also with a kill: npm run test:git. The default suite runs those marked short, several at once.
const whole = process.env["RALPH_TEST_GIT"] !== undefined;

const workedStates = [...fileStates, ...repositoryStates, ...settingStates];

const newRepository = stateRepositories();

/** The files that the agent writes in every state. */
const isWritten = /^src\/(?:(?:one|two|three|shared|old|keep|big|n-\d+)[.\w]*|-a "b"\n\.txt)$/;

function chosen(states: readonly State[]): readonly (readonly [string, State])[] {
  const run = states.filter(({ short }) => whole || short);
  const groups = new Set(run.map((state) => groupOf(state)));
  return [...groups].map((group) => atOnce(run.filter((state) => groupOf(state) === group)));
}

const groupOf = ({ short, name }: State): string => (whole || !short ? name : short);

/** One state of all of these: settings before the files that committing them would take along. */
function atOnce(states: readonly State[]): readonly [string, State] {
  const name = states.map((state) => state.name).join("; ");
  const inOrder = states.toSorted((a, b) => rank(a) - rank(b));
  const [only] = states;
  if (states.length === 1 && only) return [name, only];
  const flags = states.flatMap((state) => state.flags ?? []);
  const arrange = (repo: StateRepository): undefined => {
    for (const state of inOrder) state.arrange(repo);
  };
  const check = (repo: StateRepository, ended: Ended): void => {
    for (const state of states) state.check?.(repo, ended);
  };
  return [name, { name, flags, arrange, check }];
}

/** Stashing a tree comes before filling it. */
const rank = (state: State): number =>
  (settingStates.includes(state) ? 0 : 2) + (/^a stash/.test(state.name) ? -1 : 0);

interface Arranged {
  readonly repo: StateRepository;
  look(): UserData;
}

function arranged(state: State): Arranged {
  const begun = newRepository(state.script, state.config);
  const there = state.arrange(begun) ?? begun;
  const branch = there.tryGit("symbolic-ref", "HEAD");
  const folders = state.folders?.map((name) => join(there.base, name));
  const agents = (path: string): boolean =>
    !state.refused && (isWritten.test(path) || state.agents?.test(path) === true);
  return {
    repo: there,
    look: () => userData(there, { agents, branch, ...(folders ? { folders } : {}) }),
  };
}

function withoutNewStashes(now: UserData, before: UserData): UserData {
  return Object.fromEntries(
    Object.entries(now).filter(([name]) => !name.startsWith("stash ") || name in before),
  );
}

function expectWorked(there: StateRepository, { events, code, stderr }: Ended): void {
  // The project was made elsewhere and copied, which an agent could have done.
  const said = stderr.replace(/^warning: .* is a project inside of .*\n/, "");
  expect([said, events.at(-1)]).toEqual([
    "",
    expect.objectContaining({ reason: "stuck", tasks: { done: 2, failed: 0, blocked: 1, pending: 0 } }),
  ]);
  expect(code).toBe(4);
  const below =
    there.git("rev-parse", "--show-toplevel") === there.root
      ? ""
      : `${there.root.slice(there.top.length + 1)}/`;
  const commits = there.git(
    "log",
    "-2",
    "--no-show-signature",
    "--no-renames",
    "--name-status",
    "--format=%s",
  );
  const changed = (line: string): string => line.replace("\t", `\t${below}`);
  expect(commits.split("\n").filter(Boolean)).toEqual([
    "work t-3",
    changed("A\tsrc/three.txt"),
    "work t-1",
    ...["D\tsrc/old.txt", "A\tsrc/one.txt", "M\tsrc/shared.txt"]
      .map(changed)
      .sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1)),
  ]);
  const saved = there.git("for-each-ref", "--format=%(refname)", "refs/ralph/salvage");
  expect(saved).toMatch(/^refs\/ralph\/salvage\/t-2-\d$/);
  expect(there.git("ls-tree", "-r", "--name-only", saved, `${below}src/two.txt`)).not.toBe("");
  expect(there.git("show", `HEAD:${below}src/keep.txt`)).not.toBe("");
}

test.each(chosen(refusedStates))("LOOP-9: in %s no run begins, and not a byte changes", async (_, state) => {
  const { repo: there, look } = arranged(state);
  const before = look();
  const { code, events, stderr } = await there.run(...(state.flags ?? []));
  const error = JSON.parse(stderr || JSON.stringify(events.at(-1))) as {
    error: { code: string; hint: string };
  };
  expect([code, error.error?.code, error.error?.hint]).toEqual([
    state.refused?.code,
    state.refused?.error,
    expect.stringMatching(state.refused?.hint ?? /^$/),
  ]);
  expect(look()).toEqual(before);
});

test.each(chosen(workedStates))(
  "LOOP-9: with %s, work goes on and no byte of the person's differs",
  async (_, state) => {
    const { repo: there, look } = arranged(state);
    const before = look();
    const ended = await there.run("--max-attempts", "2", ...(state.flags ?? []));
    expectWorked(there, ended);
    expect(state.stashes ? withoutNewStashes(look(), before) : look()).toEqual(before);
    state.check?.(there, ended);
  },
  240_000,
);

test.each(whole ? chosen(workedStates.filter(({ kill }) => kill !== false)) : [])(
  "LOOP-9 LOOP-11: with %s, killed in the middle, the next run goes on and no byte differs",
  async (_, state) => {
    const { repo: there, look } = arranged(state);
    const before = look();
    const flags = ["--max-attempts", "2", ...(state.flags ?? [])];
    expect(await there.runAndKill(() => there.begun("t-2"), ...flags)).toBe(true);
    const ended = await there.run(...flags);
    expectWorked(there, ended);
    expect(state.stashes ? withoutNewStashes(look(), before) : look()).toEqual(before);
  },
  240_000,
);
