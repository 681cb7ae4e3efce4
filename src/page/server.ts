import { setTimeout as after } from "node:timers/promises";
import { type ServerType, serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import idiomorph from "idiomorph/dist/idiomorph.min.js?raw";
import { isObject, parseJson } from "../base/json.ts";
import { type SafeText, safe } from "../base/safe-text.ts";
import { safeText } from "../trust/safe-text.ts";
import { type Asked, wordsOf } from "../view/actions.ts";
import type { MemoryLine, ViewModel } from "../view/model.ts";
import { createAccess, guard } from "./access.ts";
import client from "./client.js?raw";
import { html } from "./html.ts";
import style from "./page.css?raw";
import { type Drawing, drawMemoryLines, drawSection, sections } from "./sections.ts";

/** Provides what the page shows and does. */
export interface PageSource {
  read(): Promise<ViewModel>;
  /** Searches memory as `ralph memory find` does. */
  find(query: string): Promise<readonly MemoryLine[]>;
  /** Returns a prompt as it was sent; null: it is no longer kept. */
  prompt(taskId: string, attempt: number): Promise<SafeText | null>;
  /** Executes a command of ralph in this process and returns what it printed. */
  execute(words: readonly string[]): Promise<{ readonly code: number; readonly text: SafeText }>;
}

/** A page that is served. */
export interface ServedPage {
  /** Returns an address that signs one tab in, once, within a minute. */
  newLink(): SafeText;
  close(): void;
}

const pollMs = 500;
const maxStreams = 16;
const maxBody = 64 * 1024;

/** Serves the page on the loopback interface, at a random port. */
export async function servePage(
  source: PageSource,
  { readOnly, now }: { readonly readOnly: boolean; readonly now: () => number },
): Promise<ServedPage> {
  const access = createAccess(now);
  let port = 0;
  const drawing: Drawing = { live: true, acts: !readOnly };
  const app = new Hono();
  app.use(guard(access, () => port));
  app.use(bodyLimit({ maxSize: maxBody, onError: (c) => c.text("too large", 413) }));
  const file = (path: string, type: string, text: string) =>
    app.get(path, (c) => c.body(text, 200, { "content-type": `${type}; charset=utf-8` }));
  file("/", "text/html", shell());
  file("/page.css", "text/css", style);
  file("/page.js", "text/javascript", client);
  file("/idiomorph.js", "text/javascript", idiomorph);
  app.post("/session", async (c) => {
    const token = access.exchange((await bodyOf(c))("code"));
    return token === undefined ? c.text("used or too old", 401) : c.json({ token });
  });
  app.get("/events", followSections(source, drawing));
  app.get("/find", async (c) =>
    c.html(
      drawMemoryLines(await source.find(c.req.query("q") ?? ""), { ...drawing, place: safe`found-` }).markup,
    ),
  );
  app.get("/prompt", async (c) => {
    const prompt = await source.prompt(c.req.query("task") ?? "", Number(c.req.query("attempt")));
    return c.html(
      prompt === null
        ? "<p>This prompt is no longer kept.</p>"
        : html`<pre tabindex="0">${prompt}</pre>`.markup,
    );
  });
  app.post("/act", async (c) => {
    const field = await bodyOf(c);
    const asked: Asked = { name: field("name"), id: field("id"), text: field("text") };
    const words = readOnly ? undefined : wordsOf(asked);
    if (words === undefined) return c.text("refused", 403);
    const { code, text } = await source.execute(words);
    return c.json({ text }, code === 0 ? 200 : 422);
  });
  app.onError((error, c) => c.text(safeText(error.message), 500));
  const server = await listen(app);
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    newLink: () => safe`http://127.0.0.1:${port}/#${safeText(access.newCode())}`,
    close: () => {
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
    },
  };
}

function listen(app: Hono): Promise<ServerType> {
  return new Promise((resolve) => {
    // A client that sends slowly is ended; one that reads slowly waits for itself.
    const serverOptions = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 };
    const place = { hostname: "127.0.0.1", port: 0 };
    const server = serve({ fetch: app.fetch, ...place, serverOptions }, () => resolve(server));
    if ("maxConnections" in server) server.maxConnections = 64;
  });
}

async function bodyOf(c: Context): Promise<(name: string) => string> {
  const body = parseJson(await c.req.text());
  return (name) => {
    const value = isObject(body) && Object.hasOwn(body, name) ? body[name] : "";
    return typeof value === "string" ? value : "";
  };
}

/** Sends every section, and from then on those that changed: whoever connects again misses and doubles nothing. */
function followSections(source: PageSource, drawing: Drawing): (c: Context) => Response | Promise<Response> {
  let streams = 0;
  return (c) => {
    if (streams >= maxStreams) return c.text("too many pages are open", 503);
    streams += 1;
    return streamSSE(c, async (stream) => {
      const changesTo = sectionChanges(drawing);
      let isOpen = true;
      stream.onAbort(() => {
        isOpen = false;
      });
      try {
        while (isOpen) {
          for (const change of changesTo(await source.read()))
            await stream.writeSSE({ event: "section", data: JSON.stringify(change) });
          await after(pollMs);
        }
      } finally {
        streams -= 1;
      }
    });
  };
}

/** Returns a function that draws the sections of a model that are not as they were in the one before. */
function sectionChanges(
  drawing: Drawing,
): (model: ViewModel) => readonly { readonly id: string; readonly html: string }[] {
  const drawn = new Map<string, string>();
  let last: ViewModel | undefined;
  return (model) => {
    const before = last;
    last = model;
    return sections
      .filter(({ of }) => before === undefined || of(before) !== of(model))
      .map((section) => ({ id: section.id, html: drawSection(section, model, drawing).markup }))
      .filter(({ id, html: markup }) => {
        const isNew = drawn.get(id) !== markup;
        drawn.set(id, markup);
        return isNew;
      });
  };
}

/** The page before its first section: it says nothing about the project. */
function shell(): string {
  const links = sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`);
  const places = sections.map(
    ({ id, title }) =>
      html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2></section>`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>ralph</title>
<link rel="stylesheet" href="/page.css"><script src="/idiomorph.js" defer></script><script src="/page.js" type="module"></script></head>
<body><header><h1>ralph</h1><nav aria-label="Sections">${links}</nav></header><p id="live" role="status" aria-live="polite"></p><main>${places}</main></body></html>
`.markup;
}
