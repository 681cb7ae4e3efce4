import { safeText } from "../../../trust/safe-text.ts";
import type { ProjectOrigin } from "../hivemind-settings.ts";

const mail = /[\w.+%-]+@[\w-]+(?:\.[\w-]+)*/g;
const url = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s"'`<>()[\]{}]+/gi;
const address = /\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?/g;
/** Names of machines in private networks. */
const privateHost =
  /(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:internal|intranet|local|lan|corp|localdomain|home\.arpa)(?![\w-])/g;
/** Absolute paths with at least two names, of POSIX, Windows and the home folder. */
const posixPath = /(?<![\w.@/<>-])(?:~|file:\/\/)?(?:\/[^\s/:"'`<>()[\]{},;|]+){2,}\/?/g;
const homePath = /(?<![\w./-])~[\w.-]*\/[^\s:"'`<>()[\]{},;|]+/g;
const windowsPath = /\b[A-Za-z]:\\[^\s"'`<>|]+/g;

/** Minimum length of a private text: shorter ones occur in ordinary words. */
const minPrivateChars = 3;

/**
 * Returns text as it may leave the project: without secrets, e-mail addresses, hosts and absolute paths. Paths in the
 * project become relative to it. Names of hosts that are not in `privateTexts` and look like ordinary words stay.
 */
export function withoutPrivateData(text: string, origin: ProjectOrigin): string {
  let left: string = safeText(text);
  for (const root of [`file://${origin.root}`, origin.root]) {
    if (root.length > 1) left = left.replaceAll(`${root}/`, "").replaceAll(root, ".");
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
