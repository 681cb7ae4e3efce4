import { safeText } from "../../trust/safe-text.ts";
import type { ProjectOrigin } from "../port/hivemind-settings.ts";

// Each repetition that can fail is bounded: an agent writes these texts.
const mail = /(?<![\w.+%-])[\w.+%-]{1,100}@[\w-]+(?:\.[\w-]+)*/g;
const url = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'`<>()[\]{}]+/gi;
const address = /\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?/g;
/** Names of machines in private networks. */
const privateHost =
  /(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.(?:internal|intranet|local|lan|corp|localdomain|home\.arpa)(?![\w-])/g;
/** Absolute paths with at least two names, of POSIX, Windows and the home folder. */
const posixPath = /(?<![\w.@/<>-])(?:~|file:\/\/)?(?:\/[^\s/:"'`<>()[\]{},;|]+){2,}\/?/g;
const homePath = /(?<![\w./-])~[\w.-]*\/[^\s:"'`<>()[\]{},;|]+/g;
const windowsPath = /\b[A-Za-z]:\\[^\s"'`<>|]+/g;

/** The characters that are searched: what is shared is far shorter. */
const maxChars = 20_000;
/** Minimum length of a private text; machines are called `vm` or `pc`. A single letter says nothing about them. */
const minPrivateChars = 2;

/**
 * Returns text as it may leave the project: without secrets, e-mail addresses, hosts and absolute paths, at most
 * 20,000 characters of it. Paths in the project become relative to it. Names of hosts that are not in `privateTexts` and
 * look like ordinary words stay.
 */
export function withoutPrivateData(text: string, origin: ProjectOrigin): string {
  // Cut after redaction, which needs whole texts.
  let left: string = safeText(text).slice(0, maxChars);
  // Shorter roots are none: outside a project there is no folder of its own.
  const roots = origin.root.length > 1 ? [`file://${origin.root}`, origin.root] : [];
  for (const root of roots) {
    left = left.replaceAll(`${root}/`, "").replaceAll(root, ".");
  }
  left = left
    .replace(url, (_, scheme: string) => `${scheme}<host>`)
    .replace(mail, "<email>")
    .replace(homePath, "<path>")
    .replace(posixPath, "<path>")
    .replace(windowsPath, "<path>")
    .replace(privateHost, "<host>")
    .replace(address, "<host>");
  for (const one of origin.privateTexts) {
    if (one.length >= minPrivateChars) left = left.replace(wholeWord(one), "<private>");
  }
  return left;
}

function wholeWord(word: string): RegExp {
  return new RegExp(`(?<![\\w-])${word.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&")}(?![\\w-])`, "gi");
}

/** A word that looks like code or like a file: `parseDate`, `max_size`, `run()`, `src/a`, `a.ts`, `` `x` ``. */
const identifier = /[a-z\d][A-Z]|\w_\w|\w\(\)|`|\w[/\\]\w|\w::\w|\b\w+\.[a-z]{1,5}\b/;

/** Reports whether a text names no path, identifier or host, so that it may be true elsewhere. */
export function isGeneral(text: string, origin: ProjectOrigin): boolean {
  if (identifier.test(text) || wholeWord(origin.name).test(text)) return false;
  return withoutPrivateData(text, origin) === safeText(text);
}
