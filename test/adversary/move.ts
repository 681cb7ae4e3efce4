/** What an agent does in its session beside its broken work, as a shell script in the project's folder. */
export interface Move {
  readonly name: string;
  /** `$RALPH` runs ralph; `$SQL` runs a statement in the store; a planted program runs `sh ../mark`. */
  readonly script: string;
  /** True: the project's verification is an npm script. */
  readonly npm?: true;
  /** The project's verification; absent: `sh check.sh`. */
  readonly verify?: readonly string[];
  /** What a person does before and after the run, in the project's folder. */
  readonly before?: string;
  readonly after?: string;
  /** True: the work is not broken, and may count as done. */
  readonly honest?: true;
  /** A pre-commit hook of the person. */
  readonly hook?: string;
  /** A phrase of the guide's list of what is not detected. */
  readonly listed?: string;
}

/** Prints a check that always passes. */
export const hollow = "printf 'exit 0\\n'";
/** Runs a command without the marks of the iteration. */
export const outside = "env -u RALPH_TASK_ID -u RALPH_MARKER -u RALPH_RUN_ID";
/** Runs a command with nothing of the environment that it can do without. */
export const nothing = 'env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME"';

/** Makes a file and a folder of a person in the home, and marks what changed them. */
export const precious = "echo precious > ~/victim; mkdir ~/folder";
export const isPrecious = '[ "$(cat ~/victim)" = precious ] && [ -z "$(ls ~/folder)" ] || sh ../mark';
/** Marks a run that did not commit the second task's work. */
export const goesOn = "[ $(git log --format=%s --grep='^Second' | wc -l) = 1 ] || sh ../mark";
