/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that point git to another repository, index or work tree than that of its folder. */
const gitPointers =
  /^GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|DIR|INDEX_FILE|NAMESPACE|OBJECT_DIRECTORY|PREFIX|QUARANTINE_PATH|WORK_TREE)$/;
const sensitiveName =
  /API_?KEY|CREDENTIAL|PASSWORD|SECRET|TOKEN|(?:^|_)(?:AUTH|CREDS?|KEYS?|PASS|PASSPHRASE|PASSWD|PAT|PWD)(?:_|$)/i;
/** Names that look sensitive, but whose values are paths or names. */
const harmlessName = /^(?:OLD)?PWD$|_(?:DIR|FILE|ID|NAME|PATH|SOCK|TTL|TYPE)$|^TOKENIZERS_/i;

/** `RALPH_*` variables that are not settings: those of an iteration (IF-1), of the screen, and the address of a server. */
export const ownVariables: ReadonlySet<string> = new Set([
  ...["RALPH_TASK_ID", "RALPH_RUN_ID", "RALPH_ITERATION", "RALPH_ATTEMPT", "RALPH_MODEL"],
  "RALPH_EFFORT",
  ...["RALPH_PROMPT_FILE", "RALPH_JOURNAL", "RALPH_MARKER", "RALPH_NO_PROGRESS"],
  ...["RALPH_SOCKET", "RALPH_NONCE", "RALPH_ROOT", "RALPH_STORE_URL"],
]);

/** Returns the value of one variable; undefined when it is unset. */
export function readEnv(name: string, env: Environment = process.env): string | undefined {
  return env[name];
}

/** Returns the address of the store's server, which no file of a project holds (FLEET-3); undefined: the store is a file. */
export function storeUrl(env: Environment = process.env): string | undefined {
  return env["RALPH_STORE_URL"] || undefined;
}

/**
 * Returns the environment that agents, verification and git inherit: this process's without git's location variables and
 * without `RALPH_*`, which would leak an outer iteration's identity or a person's settings into an inner run.
 */
export function childEnvironment(env: Environment = process.env): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || gitPointers.test(name) || name.startsWith("RALPH_")) continue;
    kept[name] = value;
  }
  return kept;
}

/** Returns the names of the `RALPH_*` variables that are set; each may be a setting. */
export function ralphVariables(env: Environment = process.env): readonly string[] {
  return Object.keys(env).filter((name) => name.startsWith("RALPH_") && env[name]);
}

/** Returns true when a `RALPH_*` variable exists, even an empty one. */
export function hasRalphVariables(env: Environment = process.env): boolean {
  return Object.keys(env).some((name) => name.startsWith("RALPH_"));
}

/** Returns the values of variables with names like those of secrets, for `registerSecrets`. */
export function sensitiveValues(env: Environment = process.env): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && sensitiveName.test(name) && !harmlessName.test(name) ? [value] : [],
  );
}

/** Returns true when a stream takes colour, by NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and its terminal. */
export function wantsColour(isTerminal: boolean, env: Environment = process.env): boolean {
  if (env["NO_COLOR"]) return false;
  const force = env["FORCE_COLOR"] || env["CLICOLOR_FORCE"];
  if (force) return force !== "0" && force !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}

/** Returns true inside `npm run` and `npx`, which start programs that are not on the user's path. */
export function isRunByNpm(env: Environment = process.env): boolean {
  return Boolean(env["npm_lifecycle_event"]);
}

/** Returns true when a shell started this program by `nohup`: shells such as bash and zsh note a command's program in `_`. */
export function isRunByNohup(env: Environment = process.env): boolean {
  return /(?:^|\/)nohup$/.test(env["_"] ?? "");
}

/** Returns true when a status line may be redrawn: not on a dumb terminal, and not in CI, where it would fill the log. */
export function wantsProgress(env: Environment = process.env): boolean {
  return !env["RALPH_NO_PROGRESS"] && env["TERM"] !== "dumb" && !env["CI"];
}
