import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fromMarkdown } from "mdast-util-from-markdown";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command as report } from "../../src/cli/commands/view/report.ts";
import { startTimeOf, thisOwner } from "../../src/process/identity.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Practice } from "../e2e/practice.ts";
import { runCommand } from "../run-command.ts";
import { chromiumPath, launchOptions } from "./chromium.ts";
import { type OpenPage, openPage } from "./open-page.ts";
import { recordedRun } from "./recorded-run.ts";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const hostile = `<img src=x onerror="document.title='owned'"></pre><script>document.title='owned'</script>'"\`{{x}}\${y} &lt; \u202eabc`;

test.runIf(chromiumPath === null)("no chromium here: the tests of the page in a browser are skipped", () => {
  expect(chromiumPath).toBeNull();
});

describe.skipIf(chromiumPath === null)("UX-3: the page in a browser", () => {
  let browser: Browser;
  let project: Practice;
  let served: OpenPage;
  let page: Page;
  /** The browser's complaints, and requests to other places. */
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch(launchOptions());
    project = await recordedRun({ tasks: 40 });
    served = await openPage(project);
    page = await open(served.link);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.end();
    project?.remove();
  });

  async function open(link: string): Promise<Page> {
    const opened = await browser.newPage();
    opened.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("favicon")) faults.push(message.text());
    });
    opened.on("pageerror", (error) => faults.push(String(error)));
    opened.on("request", (request) => {
      if (!request.url().startsWith(served.origin)) faults.push(request.url());
    });
    await opened.goto(link);
    await opened.getByText("run-0123456789").first().waitFor();
    await opened.locator("#history table").waitFor();
    return opened;
  }

  const axeFinds = async (one: Page): Promise<readonly string[]> => {
    await one.evaluate(axe);
    const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const found = await one.evaluate(
      (tags) =>
        (
          globalThis as unknown as {
            axe: { run(o: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
          }
        ).axe.run({ runOnly: tags }),
      rules,
    );
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  };

  test.each([
    ["What do I have to do next?", [], /t-40 [\s\S]*same error twice[\s\S]*ralph task retry t-40/],
    ["What did it cost?", [], /39\/40 done\s+\$4\.\d\d of \$10\.00\s+\$0\.\d+ per verified task/],
    ["Which model cost what?", ["nav >> text=Models and cost"], /haiku\s+40\s+26\s+\$3\.20/],
    ["What failed?", ["nav >> text=Attempts"], /✗ failed t-40 #2 .*\n.*verification failed: npm test/],
    ["Why did it fail?", ["#a-t-40-2 summary"], /expected 80, got 120[\s\S]*Changed: src\/cart\.ts/],
    [
      "What was it told?",
      ["#a-t-40-2 summary", "#a-t-40-2 button"],
      /# Learnings\s+- prices are integers, in cents/,
    ],
    [
      "Which memory was shown?",
      ["#a-t-40-2 summary"],
      /“prices are integers, in cents” \(shown 7, passed 5\)/,
    ],
    ["Which memory helped?", ["nav >> text=Memory"], /helpful first[\s\S]*?l-000000 prices[^\t]*\t7\t5\t4\n/],
    ["Does memory help at all?", ["nav >> text=Memory"], /lift: not enough: 0 of \d+ trials/],
  ])("a person new to it asks: %s", async (_, clicks, answer) => {
    await page.reload();
    await page.locator("#history table").waitFor();
    for (const target of clicks) await page.locator(target).click();
    expect(clicks.length).toBeLessThanOrEqual(3);
    // The visible text: without what is still folded.
    await expect.poll(() => page.evaluate("document.querySelector('main').innerText")).toMatch(answer);
  });

  test("what is open and typed stays with its learning while rows change their order", async () => {
    await page.locator("#a-t-40-2 summary").click();
    const rows = page.locator("#memory tbody tr");
    await rows.nth(1).locator("summary").click();
    await rows.nth(1).getByRole("textbox").fill("a draft");
    const db = await openStore({ path: `${project.dir}/.ralph/progress.db` });
    await db.transaction((tx) => tx.run("UPDATE learnings SET said_helpful = 9 WHERE id = 'l-000002'"));
    await db.close();
    await project.ralph("message", "use the parser");
    await expect.poll(() => rows.first().textContent()).toContain("l-000002");
    expect(await page.locator("#memory [data-id=l-000001] input").inputValue()).toBe("a draft");
    expect(await page.locator("#memory details[open]").count()).toBe(1);
    expect(await page.locator("#a-t-40-2").getAttribute("open")).not.toBeNull();
  });

  test("search, edit and forget act as their commands do, by the keyboard alone", async () => {
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("cents");
    await page.keyboard.press("Enter");
    await page.locator("#found").getByText("prices are integers").waitFor();
    await page.locator("#memory table").last().getByRole("button", { name: "forget l-000002" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("archived").waitFor();
    await page.locator("#memory").getByRole("button", { name: "restore l-000002" }).waitFor();
    expect(await project.json("memory", "get", "l-000002")).toMatchObject({ memory: { status: "pruned" } });
    await page.getByRole("button", { name: "retry t-40" }).click();
    await page.locator("#waits").getByText("Nothing waits for you.").waitFor();
  });

  test("a reload and a lost connection lose and double nothing", async () => {
    await page.reload();
    await page.locator("#history table").waitFor();
    expect(await page.locator("#attempts details").count()).toBe(54);
    expect(page.url()).not.toMatch(/#[0-9a-f]{32}/);
    served.process.kill("SIGSTOP");
    await project.ralph("task", "skip", "t-40");
    served.process.kill("SIGCONT");
    await page.locator("#waits").getByText("t-40").first().waitFor({ timeout: 3000 });
    expect(await page.locator("#attempts details").count()).toBe(54);
  });

  test.each(["light", "dark"] as const)(
    "axe finds nothing in %s, from 360 to 1,920 pixels",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      for (const width of [360, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect(
          await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
          `${width}`,
        ).toBeLessThanOrEqual(0);
      }
      expect(await axeFinds(page)).toEqual([]);
    },
  );

  test("markup in every field is text, in the page and in the report", async () => {
    const evil = await recordedRun({ tasks: 4, text: hostile });
    const own = await openPage(evil);
    try {
      served = { ...served, origin: own.origin };
      const opened = await open(own.link);
      for (const summary of await opened.locator("#attempts summary").all()) await summary.click();
      expect(await opened.title()).toBe("ralph");
      expect(await opened.locator("img, main script").count()).toBe(0);
      expect(await opened.locator("#attempts pre").first().textContent()).toContain("<img src=x onerror=");
      await runCommand(report, ["--html", "report.html"], { cwd: evil.dir });
      served = { ...served, origin: "file://" };
      await opened.goto(`file://${evil.dir}/report.html`);
      expect(await opened.title()).toMatch(/^ralph: /);
      expect(await opened.locator("img, script").count()).toBe(0);
      expect(await axeFinds(opened)).toEqual([]);
      const { out } = await runCommand(report, ["--md"], { cwd: evil.dir });
      const kinds = JSON.stringify(fromMarkdown(out)).match(/"type":"\w+"/g);
      expect(kinds?.filter((kind) => /html|link|image|break/i.test(kind))).toEqual([]);
    } finally {
      await own.end();
      evil.remove();
    }
  });

  test("a run that is paused, limited, resumed and killed is right within a second", async () => {
    const victim = spawn("sleep", ["100"]);
    const startTime = startTimeOf(victim.pid ?? 0) ?? "";
    const running = await recordedRun({
      tasks: 4,
      owner: { ...thisOwner(), pid: victim.pid ?? 0, startTime },
    });
    const own = await openPage(running);
    const db = await openStore({ path: `${running.dir}/.ralph/progress.db` });
    const change = (sql: string, ...values: string[]) => db.transaction((tx) => tx.run(sql, values));
    const soon = new Date(Date.now() + 600_000).toISOString();
    const changes = [
      [/▶ running/, () => {}],
      [/‖ pauses after this iteration/, () => running.ralph("pause")],
      [/‖ paused/, () => change("UPDATE runs SET paused_at = ?", soon)],
      [/▶ running/, () => change("UPDATE runs SET paused_at = NULL, control = NULL")],
      [
        /⏳ claude rate limit until \d\d:\d\d UTC/,
        () =>
          change(
            `INSERT INTO interruptions (id, task_id, run_id, agent, kind, message, started_at, duration_ms, wait_until)
             VALUES ('x-1', 't-1', 'run-0123456789', 'claude', 'rate_limit', 'limited', ?, 1, ?)`,
            new Date().toISOString(),
            soon,
          ),
      ],
      [/✗ killed/, () => void victim.kill("SIGKILL")],
    ] as const;
    try {
      served = { ...served, origin: own.origin };
      const opened = await open(own.link);
      const state = () => opened.locator("#state").textContent();
      for (const [shown, make] of changes) {
        await make();
        await expect.poll(state, { timeout: 1500, interval: 20 }).toMatch(shown);
      }
      expect(await opened.locator("#waits").textContent()).toMatch(/the run was killed[\s\S]*ralph run/);
      await opened.close();
    } finally {
      await db.close();
      await own.end();
      running.remove();
    }
  });

  test("the browser reported nothing, and nothing was requested elsewhere", () => {
    expect(faults).toEqual([]);
  });
});
