// Fails when a declared name, a user-facing string, a prompt text or the first line of a docstring in src/, or a line of the
// documentation, uses a word that has a standard replacement. Exceptions with their reasons: scripts/words-exceptions.json.
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

/** Words of a name (split at capitals) that have a standard replacement. */
const names = {
  tell: "report, publish, print",
  tells: "reports",
  told: "shown, reported",
  mend: "repair",
  mended: "repaired",
  tend: "maintain",
  tended: "maintained",
  desk: "actions",
  desks: "actions",
  wish: "control request",
  wishes: "control requests",
  heed: "watch",
  stray: "unexpected",
  strays: "unexpected ones",
  shelf: "partition",
  shelves: "partitions",
  nobodys: "empty state",
  hurry: "force stop",
  insist: "force stop",
  heart: "lease",
  patience: "max retries, max wait",
  showing: "impression",
  showings: "impressions",
  said: "stated",
  anew: "again, recreate",
  setback: "failure",
  echo: "restated",
};
/** Whole names that say nothing of the thing. */
const wholeNames = { made: "what was made: created, commit, recipe", outside: "what is there: untrusted, folders" };
/** Parts of a name, as written in it. */
const nameParts = [
  [/^(?:most|longest)[A-Z]/, "max…"],
  [/^(?:least|fewest)[A-Z]/, "min…"],
  [/inARow/i, "consecutive"],
  [/lookAhead/i, "prefetch"],
  [/putBack/i, "restore"],
  [/putAside/i, "salvage"],
  [/takeOver|handOver/i, "switch, open, import"],
  [/onTheWay/i, "later"],
];
/** Phrases of strings, prompts, docstrings and documentation. */
const phrases = [
  [/\b(?:ralph|log|status|summary|doctor|it|which|that|prompt|line|row|hint) tells\b/i, "say what it shows: shows, reports, prints"],
  [/\bis told\b|\bare told\b|\bwas told\b|\bbe told\b|\btold (?:of|about|that|once)\b/i, "is shown, is reported"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix, repair"],
  [/\btend(?:s|ed|ing)? (?:the|its|memory)\b/i, "maintain"],
  [/\bdesks?\b/i, "actions"],
  [/\bwish(?:es)?\b/i, "request"],
  [/\bstrays?\b/i, "unexpected"],
  [/\banew\b/i, "again, rebuild"],
  [/\bno more\b/i, "no longer"],
  [/\bis no (?:valid|whole|date|task|status|learning|number|format|file|folder|project|place|agent|model|duration)\b/i, "is not a …, invalid"],
  [/\bwhat becomes of\b|\bbecame of\b/i, "what happens to"],
  [/\bputs? (?:it|them|him)? ?away\b|\bput away\b/i, "archive"],
  [/\bputs? (?:it|them)? ?aside\b|\bput aside\b/i, "salvage"],
  [/\bgoes on where\b|\bgoes on by itself\b/i, "continues"],
  [/\bfor good\b/i, "permanently"],
  [/\bnot a byte\b/i, "no output"],
  [/\bthe like\b/i, "similar"],
  [/\bto be had\b/i, "available"],
  [/\bin vain\b/i, "without result"],
  [/\bshel(?:f|ves)\b/i, "partition"],
  [/\bgives? (?:a task|it) up\b/i, "mark as failed"],
  [/\bas it stands\b|\bhow it stands\b|\bstands in\b/i, "its status; is in"],
];
const firstLine = [[/^(?:What|Whether)\b/, "begin with a verb in the third person or a noun phrase"]];

const exceptions = JSON.parse(readFileSync("scripts/words-exceptions.json", "utf8"));
const found = [];

const used = new Set();

function report(path, line, text, why) {
  const exception = exceptions.find((one) => one.path === path && text.includes(one.text));
  if (exception) used.add(exception);
  else found.push(`${path}:${line}  ${JSON.stringify(text.slice(0, 90))}  use: ${why}`);
}

function checkText(path, line, text, rules) {
  for (const [pattern, why] of rules) if (pattern.test(text)) report(path, line, text.trim(), why);
}

function checkName(path, line, name) {
  if (Object.hasOwn(wholeNames, name)) report(path, line, name, wholeNames[name]);
  for (const word of name.split(/(?=[A-Z])|_/)) {
    const why = names[word.toLowerCase()];
    if (why) report(path, line, name, why);
  }
  for (const [pattern, why] of nameParts) if (pattern.test(name)) report(path, line, name, why);
}

function checkCode(path) {
  const text = readFileSync(path, "utf8");
  text.split("\n").forEach((line, at) => {
    const comment = /^\s*\/\/ (.*)/.exec(line)?.[1];
    const before = at === 0 ? "" : text.split("\n")[at - 1];
    if (comment && !/^\s*\/\//.test(before)) checkText(path, at + 1, comment, firstLine);
  });
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const lineOf = (at) => file.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node) => {
    if (node.name && ts.isIdentifier(node.name) && !ts.isPropertyAccessExpression(node) && !ts.isImportSpecifier(node)) {
      checkName(path, lineOf(node.name.getStart()), node.name.text);
    }
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && !ts.isImportDeclaration(node.parent)) checkText(path, lineOf(node.getStart()), node.text, phrases);
    for (const doc of node.jsDoc ?? []) {
      const line = doc.getText().replace(/^\/\*\*\s*\*?\s*/, "").split("\n")[0];
      checkText(path, lineOf(doc.getStart()), line, [...firstLine, ...phrases]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function checkProse(path) {
  readFileSync(path, "utf8").split("\n").forEach((line, at) => checkText(path, at + 1, line, phrases));
}

const tree = (folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`.replaceAll("\\", "/"));
for (const path of tree("src")) {
  if (/\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)) checkCode(path);
  else if (path.endsWith(".md")) checkProse(path);
}
for (const path of [...tree("docs").filter((one) => one.endsWith(".md")), "README.md", "AGENTS.md", "REVIEW.md", "CHANGELOG.md"]) checkProse(path);

const places = found.length;
for (const one of exceptions) {
  const where = `scripts/words-exceptions.json: ${JSON.stringify(one.text)} in ${one.path}`;
  if (typeof one.reason !== "string" || one.reason.trim() === "") found.push(`${where}: has no reason`);
  if (!used.has(one)) found.push(`${where}: matches nothing, remove it`);
}

if (found.length > 0) {
  process.stdout.write(`${found.join("\n")}\n${places} places use words that have a standard replacement\n`);
  process.exitCode = 1;
}
