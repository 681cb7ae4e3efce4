import type { Ended, StateRepository } from "./state-repository.ts";

export interface Refused {
  readonly code: number;
  readonly error: string;
  readonly hint: RegExp;
}

/** A repository as a person may have left it, and what a run in it comes to. */
export interface State {
  readonly name: string;
  /**
   * Part of the default suite, in one repository with the other states of this word; `npm run test:git` runs every
   * state by itself.
   */
  readonly short?: "tree" | "index" | "linked" | "subfolder" | "refused";
  /** Makes the state; gives where the project lies then, if not in the top of the template's repository. */
  arrange(repo: StateRepository): StateRepository | undefined;
  /** The agent stashes: what it adds to the person's list is no difference. */
  readonly stashes?: true;
  readonly script?: Readonly<Record<string, readonly object[]>>;
  readonly config?: string;
  readonly flags?: readonly string[];
  /** Files that the agent writes beyond `src/`, relative to the folder that is looked at. */
  readonly agents?: RegExp;
  /** Folders of the person's to look at, relative to `base`; default: the work tree. */
  readonly folders?: readonly string[];
  /** Left out: one task done, one blocked, one done at its second attempt; exit code 4. */
  readonly refused?: Refused;
  /** False: the agent makes no sense of a kill here. */
  readonly kill?: false;
  check?(repo: StateRepository, ended: Ended): void;
}
