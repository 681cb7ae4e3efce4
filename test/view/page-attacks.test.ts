import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccess } from "../../src/page/access.ts";
import type { Practice } from "../e2e/practice.ts";
import { type OpenPage, openPage } from "./open-page.ts";
import { recordedRun } from "./recorded-run.ts";

let project: Practice;
let page: OpenPage;
let token = "";

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As a program sends it: a browser would not let a page set these headers. */
function call(path: string, { method = "GET", headers = {}, body }: Call = {}) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
    (done, fail) => {
      const sent = request(`${page.origin}${path}`, { method, headers, agent: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part) => {
          text += part;
          if (text.includes('"id":"history"')) sent.destroy();
        });
        answer
          .on("error", () => undefined)
          .on("close", () => done({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
      });
      sent.on("error", (error) => (path === "/events" ? undefined : fail(error)));
      sent.end(body);
    },
  );
}

const ours = () => ({
  origin: page.origin,
  "sec-fetch-site": "same-origin",
  "content-type": "application/json",
});
const signIn = (link: string) =>
  call("/session", { method: "POST", headers: ours(), body: JSON.stringify({ code: link.split("#")[1] }) });
const act = (asked: object, headers: Readonly<Record<string, string>> = {}) =>
  call("/act", {
    method: "POST",
    headers: { ...ours(), "x-ralph-token": token, ...headers },
    body: JSON.stringify(asked),
  });

beforeAll(async () => {
  project = await recordedRun({ tasks: 4 });
  page = await openPage(project);
  token = JSON.parse((await signIn(page.link)).text).token;
});
afterAll(async () => {
  await page.end();
  project.remove();
});

test("UX-3: a link's code works once, and only the token of its tab reads anything", async () => {
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect((await signIn(page.link)).status).toBe(401);
  expect((await signIn(`#${"0".repeat(32)}`)).status).toBe(401);
  expect((await signIn(await page.another())).status).toBe(200);
  for (const path of ["/events", "/find?q=x", "/prompt?task=t-1&attempt=1", "/other"]) {
    expect((await call(path)).status, path).toBe(401);
    expect((await call(path, { headers: { "x-ralph-token": "0".repeat(64) } })).status, path).toBe(401);
  }
  const events = await call("/events", { headers: { "x-ralph-token": token } });
  expect(events).toMatchObject({ status: 200, text: expect.stringContaining("Task 1: prices") });
});

test("UX-3: a link's code is too late after a minute, and a newer link ends it", () => {
  let time = 0;
  const access = createAccess(() => time);
  const [early, last] = [access.newCode(), access.newCode()];
  expect(access.exchange(early)).toBeUndefined();
  time = 60_001;
  expect(access.exchange(last)).toBeUndefined();
  const inTime = access.newCode();
  time += 60_000;
  expect(access.exchange(inTime)).toMatch(/^[0-9a-f]{64}$/);
});

test("UX-3: the page before it is signed in says nothing of the project, and forbids what it does not need", async () => {
  const { text, headers } = await call("/");
  expect(text).not.toContain("prices");
  expect(headers).toMatchObject({
    "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  expect(Object.keys(headers).filter((name) => /cookie|access-control/.test(name))).toEqual([]);
});

test.each([
  ["another origin's fetch", { origin: "http://evil.example", "sec-fetch-site": "cross-site" }, 403],
  ["no origin", { origin: "" }, 403],
  ["a page of another port", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }, 403],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
  ["a rebound name", { host: "evil.example" }, 403],
  ["no token", { "x-ralph-token": "" }, 401],
])("UX-3: a write by %s is refused", async (_, headers, status) => {
  expect((await act({ name: "retry", id: "t-4" }, headers)).status).toBe(status);
  expect(await project.json("task", "show", "t-4")).toMatchObject({ status: "failed" });
});

test("UX-3: a read by a rebound name, of an image or an event source, is refused", async () => {
  const token_ = { "x-ralph-token": token };
  expect((await call("/events", { headers: { ...token_, host: "evil.example" } })).status).toBe(403);
  expect((await call("/", { headers: { host: `evil.example:${page.origin.split(":")[2]}` } })).status).toBe(
    403,
  );
  // Neither an image nor an EventSource can send the token.
  expect((await call("/events", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(401);
});

test("UX-3: a write does one of the commands that stand beside a button, and no other", async () => {
  const refused = [
    { name: "run", id: "" },
    { name: "constructor", id: "" },
    { name: "retry", id: "--help" },
    { name: "retry", id: "t-1; touch x" },
    { name: "message", id: "", text: "-" },
    { name: "edit", id: "l-000000", text: " " },
    { name: ["retry"], id: "t-4" },
  ];
  for (const asked of refused) expect((await act(asked)).status, JSON.stringify(asked)).toBe(403);
  expect((await act({ name: "retry", id: "t-99" })).status).toBe(422);
  expect((await act({ name: "message", id: "", text: "--now --remove m-1" })).status).toBe(200);
  expect(await project.json("message", "--list")).toMatchObject([{ text: "--now --remove m-1" }]);
  expect(await act({ name: "retry", id: "t-4" })).toMatchObject({
    status: 200,
    text: expect.stringContaining("t-4"),
  });
  expect(await project.json("task", "show", "t-4")).toMatchObject({ status: "pending" });
  expect((await act({ name: "forget", id: "l-000001" })).status).toBe(200);
  expect((await act({ name: "edit", id: "l-000002", text: "--detail x" })).status).toBe(200);
  expect(await project.json("memory", "get", "l-000002")).toMatchObject({ memory: { lesson: "--detail x" } });
});

test("UX-3: a large body, a slow client and a torn request do not keep the page from others", async () => {
  const body = JSON.stringify({ name: "message", id: "", text: "x".repeat(10_000_000) });
  const large = await act(JSON.parse(body)).catch((error: NodeJS.ErrnoException) => ({
    status: 413,
    text: error.code,
  }));
  expect(large.status).toBe(413);
  const { hostname, port } = new URL(page.origin);
  const slow = Array.from({ length: 20 }, () => connect(Number(port), hostname).on("error", () => undefined));
  for (const socket of slow) socket.write("POST /act HTTP/1.1\r\nHost: x\r\nContent-Le");
  expect((await call("/")).status).toBe(200);
  for (const socket of slow) socket.destroy();
});

test("UX-3: --read-only shows commands without buttons, and refuses every write", async () => {
  const reading = await openPage(project, "--read-only");
  const before = page;
  page = reading;
  try {
    const own = JSON.parse((await signIn(reading.link)).text).token;
    const events = await call("/events", { headers: { "x-ralph-token": own } });
    expect(events.text).not.toContain("data-action");
    expect((await act({ name: "message", id: "", text: "x" }, { "x-ralph-token": own })).status).toBe(403);
  } finally {
    page = before;
    await reading.end();
  }
});
