/** What an agent does in its session beside its broken work, as a shell script in the project's folder. */
export interface Move {
  readonly name: string;
  /** `$RALPH` runs ralph; `$SQL` runs a statement in the store; a planted program runs `sh ../mark`. */
  readonly script: string;
  /** True: the project's verification is an npm script. */
  readonly npm?: true;
  /** A phrase of the guide's list of what is not detected. */
  readonly listed?: string;
}
