import { dirname } from "node:path";

/** A command line, or a text, in which `{id}` and `{attempt}` are filled in. */
type Text = string;

/** One session of the agent, in this order. */
interface Step {
  /** Fails with these words instead of all else; with `resetsIn` seconds, an event tells the reset's time. */
  readonly refuse?: {
    readonly words: string;
    readonly resetsIn?: number;
    readonly status?: number;
    readonly type?: string;
  };
  readonly sleepMs?: number;
  readonly write?: Readonly<Record<Text, Text>>;
  readonly append?: Readonly<Record<Text, Text>>;
  readonly remove?: readonly Text[];
  /** Command lines; with `loud` they share the agent's output. */
  readonly run?: readonly (readonly Text[])[];
  readonly loud?: boolean;
  /** Commits everything with this message. */
  readonly commit?: Text;
  /** Events of Claude Code's stream. */
  readonly events?: readonly unknown[];
  /** The last message; by default it says that the task is done. */
  readonly say?: Text;
  /** Dollars, told with the format `claude-stream-json`. */
  readonly cost?: number;
  readonly signal?: string;
  readonly exit?: number;
}

const settings = ["prompts", "starts", "calls", "format"] as const;

/**
 * The script of an agent: for each task, or for `*`, its steps at the first, second, … attempt, the last one serving
 * all later attempts. With `calls`, a file, the steps are those of the task's first, second, … session, counted there.
 * `prompts` is a folder that gets each prompt as `<task>-<attempt>.txt`; `starts` a file that gets a line for each session.
 * `format` is a stream format; without it the agent prints its last message as text.
 */
export type WorkerScript = Readonly<Record<string, unknown>>;

/**
 * Writes the scripted agent as a shell program: it really edits files, runs commands and commits, and takes a few
 * milliseconds where a program for Node takes a hundred.
 */
export function workerScript(script: WorkerScript): string {
  const text = (name: (typeof settings)[number]): string | undefined => {
    const value = script[name];
    return typeof value === "string" ? value : undefined;
  };
  const format = text("format") ?? "text";
  const tasks = Object.entries(script).filter(([name]) => !settings.some((one) => one === name));
  const [prompts, starts, calls] = [text("prompts"), text("starts"), text("calls")];
  return [
    "id=$RALPH_TASK_ID attempt=$RALPH_ATTEMPT n=$RALPH_ATTEMPT",
    // Claude Code gets its prompt as the first line of an input that stays open.
    'case " $* " in *" --input-format "*) input="head -n 1";; *) input=cat;; esac',
    ...keepPrompt(prompts),
    ...(starts === undefined ? [] : [`printf '%s %s\\n' "$id" "$attempt" >> ${quote(starts)}`]),
    ...(calls === undefined ? [] : countCalls(calls)),
    ...(format === "claude-stream-json" ? [say(initEvent)] : []),
    'case "$id" in',
    ...tasks.filter(([name]) => name !== "*").map(([name, steps]) => taskCase(quote(name), steps, format)),
    taskCase("*", script["*"] ?? [{}], format),
    "esac",
    "",
  ].join("\n");
}

const initEvent = JSON.stringify({ type: "system", subtype: "init", session_id: "s", model: "m" });

function keepPrompt(folder: string | undefined): readonly string[] {
  if (folder === undefined) return ["$input > /dev/null"];
  const name = `"$(printf %s "$id" | LC_ALL=C sed 's/[^A-Za-z0-9_.-]/_/g')-$attempt.txt"`;
  return [`mkdir -p ${quote(folder)}`, `$input > ${quote(folder)}/${name}`];
}

function countCalls(file: string): readonly string[] {
  return [`printf '%s\\n' "$id" >> ${quote(file)}`, `n=$(grep -cxF -e "$id" ${quote(file)})`];
}

function taskCase(pattern: string, steps: unknown, format: string): string {
  const all = steps as readonly Step[];
  const cases = all.map((step, index) => {
    const number = index === all.length - 1 ? "*" : `${index + 1}`;
    return `${number})\n${stepLines(step, format).join("\n")}\n;;`;
  });
  return `${pattern})\ncase $n in\n${cases.join("\n")}\nesac\n;;`;
}

function stepLines(step: Step, format: string): readonly string[] {
  if (step.refuse) return [...refusal(step.refuse, format), "exit 1"];
  const quiet = step.loud ? "</dev/null" : "</dev/null >/dev/null 2>&1";
  return [
    ...(step.sleepMs ? [`sleep ${step.sleepMs / 1000}`] : []),
    ...Object.entries(step.write ?? {}).map(([file, content]) => put(file, content, ">")),
    ...Object.entries(step.append ?? {}).map(([file, content]) => put(file, content, ">>")),
    ...(step.remove ?? []).map((file) => `rm -rf -- ${fill(file)} || exit 1`),
    ...(step.run ?? []).map((words) => `${words.map(fill).join(" ")} ${quiet} || exit 1`),
    ...(step.commit === undefined ? [] : commit(step.commit)),
    ...(step.events ?? []).map((event) => say(JSON.stringify(event))),
    ...lastMessage(step, format),
    ...(step.signal === undefined ? [] : [`kill -s ${step.signal.replace("SIG", "")} $$`]),
    `exit ${step.exit ?? 0}`,
  ];
}

function put(file: string, content: string, redirect: ">" | ">>"): string {
  const folder = fill(dirname(file));
  return `[ -d ${folder} ] || mkdir -p ${folder}; printf %s ${fill(content)} ${redirect} ${fill(file)} || exit 1`;
}

/** A session before this one may have committed the same work and been killed then. */
function commit(message: string): readonly string[] {
  return [
    "git add -A || exit 1",
    `[ -z "$(git diff --cached --name-only)" ] || git commit -q -m ${fill(message)} || exit 1`,
  ];
}

function lastMessage(step: Step, format: string): readonly string[] {
  const message = step.say ?? "Finished.\n\n<task-done>{id}</task-done>";
  const events = lastEvents[format]?.(message);
  if (events) return events.map((event) => say(JSON.stringify(event)));
  if (format !== "claude-stream-json") return [say(message)];
  return [say(result({ result: message, ...(step.cost ? { total_cost_usd: step.cost } : {}) }))];
}

/** The last events of a session, by format. It spends no tokens, as one that a limit refuses: no model is called. */
const lastEvents: Readonly<Record<string, (message: string) => readonly object[]>> = {
  "pi-json": (text) => [
    {
      type: "message_end",
      message: { role: "assistant", content: [{ type: "text", text }], stopReason: "stop" },
    },
    { type: "agent_end", messages: [] },
  ],
};

const result = (fields: object): string =>
  JSON.stringify({ type: "result", subtype: "success", is_error: false, ...fields });

function refusal(
  { words, resetsIn, status = 429, type = "five_hour" }: NonNullable<Step["refuse"]>,
  format: string,
): readonly string[] {
  if (format !== "claude-stream-json") return [`${say(`ERROR: ${words}`)} >&2`];
  const info = { status: "rejected", resetsAt: "AT", rateLimitType: type };
  const limit = JSON.stringify({ type: "rate_limit_event", rate_limit_info: info });
  const at = limit.replace('"AT"', "%s");
  const refused = say(result({ is_error: true, api_error_status: status, result: words }));
  if (!resetsIn) return [refused];
  return [`printf ${quote(`${at}\\n`)} $(($(date +%s) + 1 + ${resetsIn}))`, refused];
}

const say = (text: string): string => `printf '%s\\n' ${fill(text)}`;

/** A word of the shell with the task's id and attempt in their places. */
const fill = (text: string): string =>
  quote(text).replaceAll("{id}", `'"$id"'`).replaceAll("{attempt}", `'"$attempt"'`);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
