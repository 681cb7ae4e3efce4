import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { openView } from "../../src/cli/view/open-view.ts";
import { readWhole } from "../../src/cli/view/read-whole.ts";
import { servePage } from "../../src/page/server.ts";
import { openStore } from "../../src/store/open-store.ts";
import { drawFrame } from "../../src/ui/frame.ts";
import { firstKeys } from "../../src/ui/view-keys.ts";
import type { ViewModel } from "../../src/view/model.ts";
import { practice, ralphStart } from "../e2e/practice.ts";
import { chromiumPath, launchOptions } from "./chromium.ts";

const folder = join(import.meta.dirname, "../../docs/images");
/** `npm run docs:images` writes the images; the default suite compares that of the terminal. */
const writes = process.env["RALPH_TEST_IMAGES"] === "1";
const maxBytes = 200_000;

/** The view of `ralph demo` at its second attempt of the second task, and at its end. */
async function demoModels(): Promise<{ readonly during: ViewModel; readonly end: ViewModel }> {
  const { dir: cwd, env, remove } = practice();
  try {
    const child = spawn(process.execPath, [...ralphStart, "demo"], { cwd, env });
    const ended = new Promise<number | null>((done) => child.on("close", done));
    const root = await new Promise<string>((done) =>
      createInterface(child.stdout).once("line", (line) => done(/\S+ralph-demo-\w+/.exec(line)?.[0] ?? "")),
    );
    child.stdout.resume();
    const db = await openStore({ path: join(root, ".ralph/progress.db") });
    const project = { db, root } as Parameters<typeof readWhole>[1];
    const whole = () => readWhole({ clock: systemClock }, project);
    const { read } = openView({ clock: systemClock }, project, { runId: null, whole });
    let [end, during, isOver] = [await read(), await read(), false];
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      end = await read();
      if (end.slots[0]?.attempt === 2) during = end;
      await sleep(20);
    }
    end = await read();
    await db.close();
    return { during: pinned(during), end: pinned(end) };
  } finally {
    remove();
  }
}

/** Replaces what each demo has of its own: names, times and places. */
function pinned(model: ViewModel): ViewModel {
  const at = (index: number): string => new Date(Date.UTC(2026, 2, 1, 10, 0, 2 * index)).toISOString();
  const text = JSON.stringify(model)
    .replaceAll(/\S+(?=ralph-demo-\w+)/g, (before) => before.replace(/\/[^"']*$/, "/tmp/"))
    .replaceAll(/ralph-demo-\w+/g, "ralph-demo")
    .replaceAll(/run-[0-9a-f]{10}/g, "run-1a2b3c4d5e")
    .replaceAll(/"commit":"\w+"/g, '"commit":"28e871391"')
    .replaceAll(/\bl-[0-9a-f]{6}\b/g, "l-63b062")
    .replaceAll(/"startedAt":"[^"]+"/g, `"startedAt":"${at(0)}"`)
    .replaceAll(/"(elapsedMs|durationMs)":\d+/g, '"$1":1400')
    .replaceAll(/\d+(?:\.\d+)? m?s\b/g, "1.4 s");
  const fixed = JSON.parse(text) as ViewModel;
  const slots = fixed.slots.map((slot) => ({ ...slot, step: "verifying node --test" as typeof slot.step }));
  const attempts = fixed.attempts.map((one, index) => ({ ...one, at: at(index) }));
  return { ...fixed, now: at(9), slots, attempts };
}

const palette = {
  1: "#fff",
  2: "#9198a1",
  31: "#ff8182",
  32: "#56d364",
  33: "#e3b341",
  36: "#79c0ff",
} as const;
const [columns, rows, cell, line] = [80, 16, 8.43, 19] as const;

/** Draws the lines of a terminal, with the styles of `painter`. */
function terminalSvg(lines: readonly string[]): string {
  const escaped = (text: string): string =>
    text.replace(/[&<>]/g, (found) => ({ "&": "&amp;", "<": "&lt;" })[found] ?? "&gt;");
  const drawn = lines.map((text, row) => {
    const styled = escaped(text).replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: styles of a terminal
      /\u001b\[(\d+)m(.*?)\u001b\[0m/g,
      (_, code: keyof typeof palette, inner) => `<tspan fill="${palette[code]}">${inner}</tspan>`,
    );
    return `<text x="16" y="${30 + row * line}">${styled}</text>`;
  });
  const [width, height] = [Math.ceil(columns * cell) + 32, rows * line + 28];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="ralph run --watch">
<style>text{font:14px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${drawn.join("\n")}
</svg>
`;
}

/** Takes a picture of the page, with the failed attempt open. */
async function pagePng(model: ViewModel): Promise<Buffer> {
  const nothing = { find: async () => [], prompt: async () => null, execute: () => Promise.reject() };
  const page = await servePage({ ...nothing, read: async () => model }, { readOnly: false, now: Date.now });
  const browser = await chromium.launch(launchOptions());
  try {
    const tab = await browser.newPage({ viewport: { width: 1000, height: 1000 }, colorScheme: "light" });
    await tab.goto(page.newLink());
    await tab.locator("#history table").waitFor();
    await tab.locator("#attempts details").nth(1).locator("summary").click();
    await tab.evaluate("document.activeElement.blur()");
    return await tab.screenshot({ animations: "disabled" });
  } finally {
    await browser.close();
    page.close();
  }
}

test("UX-2, UX-3: the pictures of the documentation show the demo as it is (npm run docs:images)", async () => {
  const { during, end } = await demoModels();
  const svg = terminalSvg(drawFrame(during, { ...firstKeys, columns, rows, colour: true }));
  if (writes) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "terminal.svg"), svg);
    if (chromiumPath !== null) writeFileSync(join(folder, "page.png"), await pagePng(end));
  }
  expect(readFileSync(join(folder, "terminal.svg"), "utf8")).toBe(svg);
  for (const name of ["terminal.svg", "page.png"])
    expect(statSync(join(folder, name)).size, name).toBeLessThan(maxBytes);
});
