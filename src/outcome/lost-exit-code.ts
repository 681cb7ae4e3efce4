import { resolve } from "node:path";
import { findScript, readSmallFile } from "./package-script.ts";
import { type Pipeline, pipelinesOf } from "./shell-words.ts";

/** Why a command's exit code says nothing of its tests (LOOP-24). */
export interface LostExitCode {
  /** A clause: `` `|| true` makes every failure a pass ``. */
  readonly why: string;
  /** The form to write instead, as a clause; null: the command runs no test at all. */
  readonly fix: string | null;
}

/** The options of the shell that runs the lines. */
interface ShellOptions {
  readonly errexit: boolean;
  readonly pipefail: boolean;
}

/** Programs that run tests or other checks, and those that do so with one of the words after them. */
const checkers: readonly RegExp[] = [
  /^(?!npm ci)(?:npm|pnpm|yarn|bun)(?: -\S+)*(?: run(?:-script)?)?(?: -\S+)* (?:t|(?:tests?|lint|check|types?|type-?check|e2e|verify|ci)(?:[:.-]\S*)?)(?: |$)/,
  /^(?:pytest|py\.test|jest|vitest|mocha|ava|tap|tape|jasmine|karma|tox|nox|rspec|phpunit|pest|bats|ctest|prove|eslint|tsc|mypy|pyright|flake8|golangci-lint|shellcheck)(?: |$)/,
  /^(?:node|deno|bun|go|cargo|make|gmake|just|task|rake|mix|dotnet|swift|zig|mvnw?|gradlew?|flutter|dart|sbt|stack|cabal|composer|bazel|playwright|ruff|biome)(?: \S+)*? (?:--test|test|tests|check|verify|vet|lint|clippy|nextest)(?: |$)/,
  /^(?:node|deno|bun|tsx|python[\d.]*|ruby|perl|php|sh|bash)(?: \S+)*? \S*(?:[._]test|[._]spec|\btest_\w+|\btests?)\.\w+(?: |$)/,
];
/** Words that start another program. */
const starter =
  /^(?:(?:time|nohup|nice|exec|command|npx|bunx|uvx|env|sudo)|timeout(?: -\S+)* \S+|(?:uv|poetry|pdm|pipenv|rye) run|(?:bundle|npm|pnpm|yarn) exec|python[\d.]* -m)(?: -\S+)* /;
/** Programs that pass their input on, whatever it is. */
const filter =
  /^(?:tail|head|cat|tee|sort|uniq|wc|tr|sed|cut|nl|fold|fmt|less|more|column|ts|pv|col|logger|ccze|ansifilter|strip-ansi|pino-pretty|(?:e?grep|rg) (?:-\w*v|--invert-match)\S*)(?: |$)|^awk (?!.*exit)/;
const succeeds = /^(?:(?:true|:|echo|printf|date|sleep|clear)(?: |$)|(?:wait|exit 0|return 0)$)/;
const leaves = /(?:^|[\s;&|({])(?:exit|return)\s+(?!0(?:\D|$))\S|(?:^|[\s;&|({])false\b/;

interface Reading {
  /** Why a check's exit code is lost; null: none is, as far as the text says. */
  readonly why: string | null;
  /** Why the exit code is always 0, if nothing else decides it; null: it is not, or nothing is run. */
  readonly whyLast: string | null;
  readonly alwaysPasses: boolean;
  /** True: it runs a check whose exit code is not lost in it. */
  readonly checks: boolean;
  /** True: a pipe in it passes whatever its first commands return. */
  readonly pipes: boolean;
  /** The text in a form that loses nothing; "" for what does nothing. */
  readonly write: string;
}

const plain: ShellOptions = { errexit: false, pipefail: false };

/**
 * Returns why the exit code of `command`, or of a package script, shell script or make target that it runs, cannot tell that
 * a test fails, and what to do about it; null for any other form, and for one that is too complex to read.
 */
export async function lostExitCode(command: string, cwd: string): Promise<LostExitCode | null> {
  const own = readLines(command, plain);
  const lost = describeLost(own, "");
  if (lost) return lost;
  if (own?.alwaysPasses) return { why: "it always passes", fix: null };
  let folder = cwd;
  for (const words of (pipelinesOf(command) ?? []).flatMap(({ stages }) => stages)) {
    if (words[0] === "cd" && words[1] !== undefined) folder = resolve(folder, words[1]);
    for (const find of [lostInPackageScript, lostInShellScript, lostInMakeTarget]) {
      const found = await find(words, folder);
      if (found) return found;
    }
  }
  return null;
}

function describeLost(found: Reading | null, where: string): LostExitCode | null {
  const why = found?.why ?? found?.whyLast;
  return found && why ? { why: `${where}${why}`, fix: `write \`${found.write}\`${where && " there"}` } : null;
}

async function lostInPackageScript(words: readonly string[], cwd: string): Promise<LostExitCode | null> {
  const script = await findScript(words, cwd);
  if (script === undefined || "missing" in script) return null;
  return describeLost(readLines(script.text, plain), `in the script "${script.name}" of package.json, `);
}

const shell = /^(?:\S*\/)?(?:ba|da|z|k)?sh$/;

async function lostInShellScript(words: readonly string[], cwd: string): Promise<LostExitCode | null> {
  const [program = "", ...args] = words;
  const at = shell.test(program) ? args.findIndex((word) => !/^[-+]/.test(word)) : -1;
  const file = at < 0 ? program : (args[at] ?? "");
  if (!/[./]/.test(file)) return null;
  const text = (await readSmallFile(resolve(cwd, file))) ?? "";
  const [, started] = /^#!(.*[/ ](?:ba|da|z|k)?sh\b.*)/.exec(text) ?? [];
  if (at < 0 && started === undefined) return null;
  const found = readLines(text, optionsIn([...args.slice(0, at), ...(started ?? "").split(" ")]));
  const lost = describeLost(found, `in ${file}, `);
  const strict = found?.pipes ? "`set -eo pipefail`, and run it with bash" : "`set -e`";
  return lost && { ...lost, fix: lost.why.includes(", `||") ? "leave that out" : `begin it with ${strict}` };
}

async function lostInMakeTarget(words: readonly string[], cwd: string): Promise<LostExitCode | null> {
  const [program = "", ...args] = words;
  if (!/^g?make$/.test(program)) return null;
  const target = args.find((word) => /^\w[\w.-]*$/.test(word)) ?? "";
  const texts = await Promise.all(
    ["GNUmakefile", "makefile", "Makefile"].map((name) => readSmallFile(resolve(cwd, name))),
  );
  for (const line of recipeOf(texts.find((text) => text !== undefined) ?? "", target)) {
    const ignored = /^[@+]*-/.test(line);
    const found = readLines(`${line.replace(/^[@+-]+/, "")}${ignored ? " || true" : ""}`, plain);
    const where = `in the target "${target}" of the makefile${ignored ? ' ("-" is `|| true`)' : ""}, `;
    if (found?.why) return describeLost(found, where);
  }
  return null;
}

/** Returns the commands of `target`, or of the first one for "", where each line has a shell of its own. */
function recipeOf(text: string, target: string): readonly string[] {
  if (/^\.(?:ONESHELL|SHELLFLAGS)\b/m.test(text)) return [];
  const lines = text.replaceAll("\\\n", " ").split("\n");
  const at = lines.findIndex((line) => {
    const [names = ""] = /^\w[\w. -]*(?=:(?!=))/.exec(line) ?? [];
    return target === "" ? names !== "" : names.split(/\s+/).includes(target);
  });
  const rest = at < 0 ? [] : lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith("\t"));
  return rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim().replaceAll("$$", "$"));
}

function optionsIn(words: readonly string[]): ShellOptions {
  return {
    errexit: words.some((word) => /^-[a-z]*e[a-z]*$/.test(word) || word === "errexit"),
    pipefail: words.includes("pipefail"),
  };
}

/** Reads shell lines; null where they are too complex. */
function readLines(text: string, given: ShellOptions): Reading | null {
  const loop = given.errexit ? null : readLoop(text);
  if (loop) return loop;
  const pipelines = pipelinesOf(text);
  if (pipelines === null || pipelines.length === 0) return null;
  const own = optionsIn(pipelines.flatMap(({ stages: [words = []] }) => (words[0] === "set" ? words : [])));
  const options = { errexit: given.errexit || own.errexit, pipefail: given.pipefail || own.pipefail };
  const lists = listsOf(pipelines).map((list) => readList(list, options));
  const [why = null] = lists.flatMap((list, at) => list.why ?? passedOver(lists, at, options) ?? []);
  const last = lists.at(-1);
  const mayLeave = options.errexit && lists.length > 1;
  const alwaysPasses =
    last?.alwaysPasses === true && !mayLeave && !lists.some((list) => leaves.test(list.text));
  const isLast = lists.length > 1 ? `\`${last?.text}\` comes last and always passes` : null;
  const pipes = lists.some((list) => list.pipes);
  const write = lists.flatMap((list) => list.write || []).join(" && ");
  return {
    why,
    whyLast: alwaysPasses ? (last.whyLast ?? isLast) : null,
    alwaysPasses,
    checks: why === null && lists.some((list) => list.checks),
    pipes,
    write: pipes ? `bash -o pipefail -c '${write.replaceAll("'", "'\\''")}'` : write,
  };
}

const loopOver = /^(for\s+\w+\s+in\s[^;\n]+[;\n]\s*do\s+)([^;\n&|]+)([;\n]\s*done)$/;

/** Reads a loop over one command: only the last round's exit code counts. */
function readLoop(text: string): Reading | null {
  const [, head, body = "", tail] = loopOver.exec(text.trim()) ?? [];
  if (head === undefined) return null;
  const why = "only the last round of the loop counts";
  const write = `${head}${body.trim()} || exit 1${tail}`;
  return { ...passing, why, alwaysPasses: false, write };
}

const passing: Reading = {
  ...{ why: null, whyLast: null, alwaysPasses: true },
  ...{ checks: false, pipes: false, write: "" },
};

interface List extends Reading {
  readonly text: string;
  readonly inBackground: boolean;
}

/** Splits at `;`, `&` and line ends. */
function listsOf(pipelines: readonly Pipeline[]): readonly (readonly Pipeline[])[] {
  const lists: Pipeline[][] = [[]];
  for (const pipeline of pipelines) {
    lists.at(-1)?.push(pipeline);
    if (!["&&", "||"].includes(pipeline.then)) lists.push([]);
  }
  return lists.filter((list) => list.length > 0);
}

/** Reads pipelines joined by `&&` and `||`. */
function readList(pipelines: readonly Pipeline[], options: ShellOptions): List {
  let all = passing;
  let joint: Pipeline["then"] = "&&";
  let text = "";
  for (const pipeline of pipelines) {
    const one = readPipeline(pipeline, options);
    all = joint === "||" ? orElse(all, one, pipeline.text) : andThen(all, one);
    text += `${text === "" ? "" : ` ${joint} `}${pipeline.text}`;
    joint = pipeline.then;
  }
  return { ...all, text, inBackground: joint === "&" };
}

/** The findings of either of two parts. */
const ofBoth = (before: Reading, one: Reading): Pick<Reading, "why" | "checks" | "pipes"> => ({
  why: before.why ?? one.why,
  checks: before.checks || one.checks,
  pipes: before.pipes || one.pipes,
});

function andThen(before: Reading, one: Reading): Reading {
  const write = [before.write, one.write].filter((part) => part !== "").join(" && ");
  const alwaysPasses = before.alwaysPasses && one.alwaysPasses;
  return { ...one, ...ofBoth(before, one), alwaysPasses, write };
}

/** `text`: that of `one`, behind `||`. */
function orElse(before: Reading, one: Reading, text: string): Reading {
  const both = ofBoth(before, one);
  if (!one.alwaysPasses) return { ...before, ...both, write: `${before.write} || ${one.write}` };
  const swallowed = `\`|| ${text}\` makes every failure a pass`;
  const why = before.why ?? (before.checks ? swallowed : null);
  return { ...before, ...both, why, whyLast: swallowed, alwaysPasses: true, checks: false };
}

function readPipeline({ text, stages }: Pipeline, options: ShellOptions): Reading {
  const parts = stages.map((words) => words.join(" ").replace(starter, ""));
  const last = parts.at(-1) ?? "";
  const checks = parts.some((part) => checkers.some((checker) => checker.test(part)));
  const [words = []] = stages;
  if (stages.length > 1) {
    if (options.pipefail || !filter.test(last))
      return { ...passing, alwaysPasses: false, checks, write: text };
    const whyLast = `a pipe has the exit code of its last command, here \`${last}\``;
    return { ...passing, why: checks ? whyLast : null, whyLast, pipes: true, write: text };
  }
  const inside = readInside(words, options);
  if (inside) return { ...inside, pipes: false, write: inside.why || inside.whyLast ? inside.write : text };
  if (words[0] === "find" && words.includes("-exec") && words.includes("\\;")) {
    const whyLast = "`find -exec … \\;` passes whatever it runs";
    return { ...passing, whyLast, write: text.replace("\\;", "+") };
  }
  const isNothing = /^(?:true|:|wait|exit 0|return 0)$/.test(last);
  return { ...passing, alwaysPasses: succeeds.test(last), checks, write: isNothing ? "" : text };
}

/** Reads what a group or `sh -c TEXT` runs. */
function readInside(words: readonly string[], options: ShellOptions): Reading | null {
  const [first = ""] = words;
  const grouped = words.length === 1 ? /^[({]([\s\S]*)[)}]$/.exec(first)?.[1] : undefined;
  if (grouped !== undefined) return readLines(grouped, options);
  const line = lineOfShell(words);
  return line === undefined ? null : readLines(line, optionsIn(words));
}

/** Returns the text of `sh -c TEXT`. */
function lineOfShell(words: readonly string[]): string | undefined {
  const [program = "", ...args] = words;
  const at = args.findIndex((word) => /^-\w*c$/.test(word));
  return shell.test(program) && at >= 0
    ? args.slice(at + 1).find((word) => !word.startsWith("-") && word !== "pipefail")
    : undefined;
}

/** Returns why the exit code of a list of checks is lost by what comes after it; null: it is not. */
function passedOver(lists: readonly List[], at: number, { errexit }: ShellOptions): string | null {
  const list = lists[at];
  if (!list?.checks) return null;
  const after = lists.slice(at + 1).map(({ text }) => text);
  if (list.inBackground) {
    return after.some((text) => /\bwait\s+\S/.test(text))
      ? null
      : `\`&\` runs \`${list.text}\` where nothing reads its exit code`;
  }
  const [next] = after;
  if (errexit || next === undefined || leaves.test(list.text) || /\$\?|PIPESTATUS/.test(next)) return null;
  return `\`${next}\` runs after \`${list.text}\`, whatever its exit code`;
}
