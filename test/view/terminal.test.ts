import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import xterm from "@xterm/headless";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { cells } from "../../src/base/text.ts";
import { openView } from "../../src/cli/view/open-view.ts";
import { startTimeOf, thisOwner } from "../../src/process/identity.ts";
import { openStore } from "../../src/store/open-store.ts";
import { drawFrame } from "../../src/ui/frame.ts";
import { openFullScreen } from "../../src/ui/screen.ts";
import { firstKeys, pressKey } from "../../src/ui/view-keys.ts";
import { type Practice, ralphStart, withTasks } from "../e2e/practice.ts";
import { hasScreen } from "../on-screen.ts";
import { recordedRun } from "./recorded-run.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

async function modelOf({ dir }: Practice) {
  const db = await openStore({ path: join(dir, ".ralph/progress.db") });
  const model = await openView({ clock: systemClock }, { db, root: dir }, { runId: null }).read();
  await db.close();
  return model;
}

/** The lines of an emulated terminal. */
function emulator(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  return {
    terminal,
    write: (text: string) => new Promise<void>((done) => terminal.write(text, done)),
    lines: () =>
      Array.from({ length: terminal.rows }, (_, at) => {
        const { active } = terminal.buffer;
        return active.getLine(active.baseY + at)?.translateToString(true) ?? "";
      }),
    isAlternate: () => terminal.buffer.active.type === "alternate",
  };
}

const sizes = [
  [80, 24],
  [300, 100],
  [40, 10],
  [20, 3],
  [1, 1],
] as const;
const typed = [
  "",
  "j",
  "j",
  "return",
  "k",
  "?",
  "/",
  "x",
  "backspace",
  "escape",
  "m",
  "h",
  "return",
  "a",
  "f",
  "down",
  "up",
  "p",
  "S",
  "q",
];
const hostile = `${"\u202eevil\u001b[2J 漢字漢字 <b>&\u0007 ".repeat(4)}x`;

test.each([
  ["", undefined],
  ["whatever its texts are", hostile],
])("UX-2: no frame is larger than the window, at any size and after any key %s", async (_, text) => {
  project = await recordedRun({ tasks: 12, ...(text === undefined ? {} : { text }) });
  const model = await modelOf(project);
  const states = [firstKeys];
  for (const name of typed)
    states.push(pressKey(states.at(-1) ?? firstKeys, { name, sequence: name }, model).state);
  const drawn = sizes.flatMap(([columns, rows]) =>
    states.map((state) => ({
      columns,
      rows,
      lines: drawFrame(model, { ...state, columns, rows, colour: false }),
    })),
  );
  expect(drawn.filter(({ lines, rows }) => lines.length !== rows)).toEqual([]);
  expect(drawn.filter(({ lines, columns }) => lines.some((line) => cells(line) > columns))).toEqual([]);
  expect(
    drawn.flatMap(({ lines }) => lines.filter((line) => /[\p{Cc}\p{Bidi_Control}]/u.test(line))),
  ).toEqual([]);
});

test("UX-2: only changed lines are written, and the previous screen is there again", async () => {
  project = await recordedRun({ tasks: 6 });
  const model = await modelOf(project);
  const { write, lines, isAlternate } = emulator(80, 24);
  await write("$ ralph watch\r\n");
  const written: string[] = [];
  const screen = openFullScreen((text) => void written.push(text));
  const input = { ...firstKeys, columns: 80, rows: 24, colour: false };
  screen.enter();
  screen.draw(drawFrame(model, input));
  await write(written.join(""));
  expect(isAlternate()).toBe(true);
  expect(lines()).toEqual(drawFrame(model, input).map((line) => line.trimEnd()));
  expect(lines()[0]).toMatch(
    /^■ ended: done {2}5\/6 done {2}\$0\.\d+ of \$10\.00 {2}\$0\.\d+ per verified task$/,
  );
  written.length = 0;
  screen.draw(drawFrame(model, { ...input, selected: 1 }));
  expect(written.join("").split("\u001b[2K")).toHaveLength(3);
  screen.leave();
  screen.leave();
  await write(written.join(""));
  expect(isAlternate()).toBe(false);
  expect(lines()[0]).toBe("$ ralph watch");
});

test("UX-2: each key asks for the command that the view names", async () => {
  project = await recordedRun({ tasks: 6 });
  const model = await modelOf(project);
  const after = (...names: string[]) => {
    let [state, request]: [typeof firstKeys, unknown] = [firstKeys, null];
    for (const name of names) ({ state, request } = pressKey(state, { name, sequence: name }, model));
    return { state, request };
  };
  expect(after("a").request).toMatchObject({ action: { name: "retry", id: "t-6" } });
  expect(after("f").request).toBeNull();
  expect(after("p").request).toMatchObject({ action: { name: "pause" } });
  expect(after("S").request).toMatchObject({ action: { name: "stop" } });
  expect(after("q").request).toEqual({ kind: "leave" });
  expect(after("m", "h", "i", "q", "return").request).toMatchObject({
    action: { name: "message" },
    text: "hiq",
  });
  expect(after("m", "h", "escape").request).toBeNull();
  expect(after("/", "c", "e", "n", "return").state).toMatchObject({ find: "cen", typing: null });
  const open = drawFrame(model, { ...after("j", "return").state, columns: 100, rows: 40, colour: false });
  expect(open.join("\n")).toContain("expected 80, got 120");
  expect(
    drawFrame(model, { ...after("?").state, columns: 80, rows: 24, colour: false }).join("\n"),
  ).toContain("ralph stop");
});

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");

/** `ralph ARGS` on a terminal of 24 lines of 80 columns, as an emulator shows it. */
function onTerminal({ dir, env }: Practice, args: readonly string[], more: Record<string, string> = {}) {
  const argv = [
    "-qec",
    `stty rows 24 cols 80; exec ${quoted([process.execPath, ...ralphStart, ...args])}`,
    "/dev/null",
  ];
  const child = spawn("script", argv, {
    cwd: dir,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh", ...more },
  });
  const shown = emulator(80, 24);
  let written = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written += text;
    void shown.write(text);
  });
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const until = async (pattern: RegExp): Promise<number> => {
    const from = Date.now();
    while (!pattern.test(shown.lines().join("\n"))) {
      if (Date.now() - from > 20_000) throw new Error(`not shown: ${pattern}\n${shown.lines().join("\n")}`);
      await sleep(20);
    }
    return Date.now() - from;
  };
  /** The process of ralph. */
  const pid = (): number =>
    Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ")[0]);
  const resize = (columns: number, rows: number): void => {
    shown.terminal.resize(columns, rows);
    spawnSync("stty", ["-F", `/proc/${pid()}/fd/0`, "rows", `${rows}`, "cols", `${columns}`]);
  };
  return {
    ...{ ...shown, until, ended, pid, resize, written: () => written },
    kill: (signal: NodeJS.Signals) => void process.kill(pid(), signal),
    type: (keys: string) => child.stdin.write(keys),
  };
}

test.runIf(hasScreen)(
  "UX-2: `ralph watch` shows within a second that the run was killed, acts, and restores the screen",
  async () => {
    const victim = spawn("sleep", ["100"]);
    const pid = victim.pid ?? 0;
    project = await recordedRun({
      tasks: 4,
      owner: { ...thisOwner(), pid, startTime: startTimeOf(pid) ?? "" },
    });
    const watch = onTerminal(project, ["watch"], { NO_COLOR: "1" });
    await watch.until(/▶ running/);
    victim.kill("SIGKILL");
    expect(await watch.until(/✗ killed/)).toBeLessThan(1500);
    watch.type("ja");
    await watch.until(/t-4.*pending|retr|first/);
    await expect.poll(async () => project?.json("task", "show", "t-4")).toMatchObject({ status: "pending" });
    watch.type("q");
    await watch.ended;
    expect(watch.isAlternate()).toBe(false);
    expect(watch.written()).not.toMatch(/\[[1-9]\d*m/);
  },
);

test.runIf(hasScreen).each(["SIGTERM", "SIGHUP", "SIGINT", "a crash"] as const)(
  "UX-2: the screen is restored at %s",
  async (end) => {
    project = await recordedRun({ tasks: 2 });
    project.write("../crash.cjs", 'process.on("SIGUSR2", () => { throw new Error("crashed"); });');
    const watch = onTerminal(project, ["watch"], { NODE_OPTIONS: `--require ${project.dir}/../crash.cjs` });
    await watch.until(/ended: done/);
    watch.kill(end === "a crash" ? "SIGUSR2" : end);
    await watch.ended;
    expect(watch.isAlternate()).toBe(false);
  },
);

const slow = { "*": [{ sleepMs: 3000, write: { "src/{id}.txt": "fine" } }] };

test.runIf(hasScreen)(
  "UX-2: `ralph run --watch` fits the window at any size, and after q the run continues in lines",
  async () => {
    project = await withTasks(slow, ["Add a cart"]);
    const run = onTerminal(project, ["run", "--watch"]);
    await run.until(/▶ running {2}0\/1 done[\s\S]*t-1 Add a cart {2}attempt 1/);
    expect(run.lines()[23]).toMatch(/^ j k move .* q leave$/);
    for (const [columns, rows] of [
      [300, 100],
      [40, 10],
    ] as const) {
      run.resize(columns, rows);
      await expect.poll(() => run.lines()[rows - 1]).toMatch(/^ j k move/);
    }
    run.resize(80, 24);
    run.type("q");
    await run.until(/▶ t-1 Add a cart/);
    expect(run.isAlternate()).toBe(false);
    await run.ended;
    expect(run.lines().join("\n")).toMatch(
      /✓ all tasks are done[\s\S]*ralph report run-\w+ --html report.html/,
    );
  },
);

test.runIf(hasScreen).each(["Ctrl-C", "SIGTERM", "SIGKILL"] as const)(
  "UX-2: `ralph run --watch` ends by %s as a run without it, which `ralph watch` shows within a second",
  async (end) => {
    project = await withTasks(slow, ["Add a cart"]);
    const run = onTerminal(project, ["run", "--watch"]);
    const watch = onTerminal(project, ["watch"]);
    await run.until(/▶ running/);
    await watch.until(/▶ running/);
    if (end === "Ctrl-C") run.type("\u0003");
    else run.kill(end);
    if (end === "SIGKILL") expect(await watch.until(/✗ killed[\s\S]*→ ralph run/)).toBeLessThan(1500);
    else {
      await run.until(/stopping: ending the agent|stopped by request/);
      await run.ended;
      expect(run.isAlternate()).toBe(false);
      expect(run.lines().join("\n")).toContain("■ stopped by request");
      await watch.until(/■ ended: stopped/);
    }
    watch.type("q");
    await watch.ended;
  },
);
