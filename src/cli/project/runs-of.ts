/** The texts that a project's commands lead to: package scripts and targets of make, by name. */
export interface Bodies {
  readonly scripts: Readonly<Record<string, string>>;
  readonly makefile: string;
}

/** Test runners and checkers that a command line can name. */
const tools = /\b(?:go test|go vet|cargo test|pytest|unittest|ruff check|mypy|bats)\b/g;
const scriptCalls =
  /\b(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:(?:run|run-script)\s+(?:-\S+\s+)*)?([\w:.-]+)|\b(?:run-[sp]|npm-run-all)((?:\s+[\w:.-]+)+)/g;
const makeCalls = /(?:\bmake|\$[({]MAKE[)}])((?:\s+[\w=.-]+)+)/g;

/** Returns what `text` calls by itself: `go test`, `script lint`, `target test`. */
export function callsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [tool] of text.matchAll(tools)) found.add(tool);
  for (const [, one, more = ""] of text.matchAll(scriptCalls))
    for (const name of one === undefined ? more.trim().split(/\s+/) : [one]) found.add(`script ${name}`);
  for (const [, names = ""] of text.matchAll(makeCalls))
    for (const name of names.trim().split(/\s+/)) found.add(`target ${name}`);
  return found;
}

/** Returns everything that a command leads to, through scripts and targets, and not what it calls itself. */
export function runsOf(command: string, bodies: Bodies): ReadonlySet<string> {
  const targets = makeTargets(bodies.makefile);
  const seen = new Set(callsOf(command));
  const found = new Set<string>();
  const open = [...seen];
  for (let call = open.pop(); call !== undefined; call = open.pop()) {
    for (const next of callsOf(bodyOf(call, bodies.scripts, targets))) {
      found.add(next);
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return found;
}

function bodyOf(call: string, scripts: Bodies["scripts"], targets: ReadonlyMap<string, string>): string {
  const [kind, name = ""] = call.split(" ");
  if (kind === "target") return targets.get(name) ?? "";
  if (kind !== "script") return "";
  return [scripts[`pre${name}`], scripts[name], scripts[`post${name}`]].filter((text) => text).join("\n");
}

/** Returns the recipe of each target of a makefile; what a target depends on is `make NAME` in it, and variables have their values. */
export function makeTargets(text: string): ReadonlyMap<string, string> {
  const variables = new Map(
    [...text.matchAll(/^(\w+)[ \t]*[:?]{0,2}=[ \t]*(.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  const filled = (line: string): string =>
    line.replace(/\$[({](\w+)[)}]/g, (whole, name: string) => variables.get(name) ?? whole);
  const targets = new Map<string, string>();
  const rules = /^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)([^\n=]*)\n?((?:\t.*(?:\n|$))*)/gm;
  for (const [, names = "", needs = "", recipe = ""] of text.replace(/\\\n[ \t]*/g, " ").matchAll(rules)) {
    const needed = needs.replace(/[|;#].*/, "").trim();
    const body = `${needed === "" ? "" : `make ${needed}`}\n${filled(recipe)}`;
    for (const name of names.split(/[ \t]+/)) targets.set(name, `${targets.get(name) ?? ""}\n${body}`);
  }
  return targets;
}
