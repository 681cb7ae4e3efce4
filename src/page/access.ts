import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { HonoRequest, MiddlewareHandler } from "hono";

/** How long a link can be used. */
const codeMs = 60_000;

/** Who may use the page: whoever exchanged a link's code for a token, once, within a minute. */
export interface Access {
  /** Returns a code for a new link; earlier ones end. */
  newCode(): string;
  /** Returns a token for the code of a link; undefined when it was used, is too old or was never given. */
  exchange(code: string): string | undefined;
  knows(token: string): boolean;
}

export function createAccess(now: () => number): Access {
  let code: { readonly text: string; readonly until: number } | undefined;
  const tokens: string[] = [];
  return {
    newCode: () => {
      code = { text: randomBytes(16).toString("hex"), until: now() + codeMs };
      return code.text;
    },
    exchange: (typed) => {
      if (code === undefined || now() > code.until || !isSame(code.text, typed)) return undefined;
      code = undefined;
      const token = randomBytes(32).toString("hex");
      tokens.push(token);
      return token;
    },
    knows: (typed) => tokens.some((token) => isSame(token, typed)),
  };
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const headers: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** Paths that need no token: the empty page, its own files, and the exchange of a code. */
const open: ReadonlySet<string> = new Set(["/", "/page.css", "/page.js", "/idiomorph.js", "/session"]);

/** Refuses requests that our page did not send: by the name that the browser asked, the origin of a write, the token. */
export function guard(access: Access, port: () => number): MiddlewareHandler {
  return async (c, next) => {
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const refusal = refusalOf(c.req, access, port());
    if (refusal) return c.text(refusal.why, refusal.status);
    await next();
    return undefined;
  };
}

function refusalOf(
  request: HonoRequest,
  access: Access,
  port: number,
): { readonly status: 401 | 403 | 415; readonly why: string } | null {
  const { method, path } = request;
  const header = (name: string): string | undefined => request.header(name);
  const host = header("host") ?? "";
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return { status: 403, why: "unknown host" };
  if (method !== "GET") {
    const isOurs = header("origin") === `http://${host}` && header("sec-fetch-site") === "same-origin";
    if (!isOurs) return { status: 403, why: "not from this page" };
    if (header("content-type") !== "application/json") return { status: 415, why: "JSON only" };
  }
  const isKnown = open.has(path) || access.knows(header("x-ralph-token") ?? "");
  return isKnown ? null : { status: 401, why: "no token" };
}
