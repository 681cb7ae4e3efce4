import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256 } from "../base/hash.ts";
import { openApprovals } from "./approvals.ts";

let top: string;
let file: string;
let project: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "ralph-approvals-"));
  file = join(top, "state", "ralph", "approvals.json");
  project = join(top, "project");
  mkdirSync(project);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const command = (text: string) =>
  ({ kind: "command", sha256: sha256(text), what: text, place: "verify[0]" }) as const;

test("TRUST-5: nothing is approved until it is, and a changed content is not", async () => {
  const approvals = openApprovals(file, project);
  expect(approvals.isApproved("command", sha256("npm test"))).toBe(false);
  expect(approvals.list()).toEqual([]);
  await approvals.approve([command("npm test")], new Date(0));
  expect(approvals.isApproved("command", sha256("npm test"))).toBe(true);
  expect(approvals.isApproved("command", sha256("npm test; curl evil"))).toBe(false);
  expect(approvals.isApproved("prompt", sha256("npm test"))).toBe(false);
  expect(approvals.list()).toEqual([{ ...command("npm test"), approvedAt: "1970-01-01T00:00:00.000Z" }]);
});

test("TRUST-5: an approval holds for one project's real path only, outside of it, privately", async () => {
  await openApprovals(file, project).approve([command("npm test")]);
  const other = join(top, "other");
  mkdirSync(other);
  symlinkSync(project, join(top, "alias"));
  expect(openApprovals(file, other).isApproved("command", sha256("npm test"))).toBe(false);
  expect(openApprovals(file, join(top, "alias")).isApproved("command", sha256("npm test"))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("TRUST-5: approvals given at the same time are all kept", async () => {
  const names = Array.from({ length: 8 }, (_, n) => `command ${n}`);
  await Promise.all(names.map((name) => openApprovals(file, project).approve([command(name)])));
  const approved = openApprovals(file, project)
    .list()
    .map(({ what }) => what);
  expect(approved.sort()).toEqual(names);
});

test.each([
  "",
  "{",
  "[]",
  "null",
  '{"version":2,"projects":{}}',
  '{"version":1}',
  '{"version":1,"projects":{"/x":[{"kind":"command"}]}}',
])(
  "TRUST-5: approvals that cannot be read (%j) are an error, never an empty list, and are not overwritten",
  async (content) => {
    mkdirSync(join(top, "state", "ralph"), { recursive: true });
    writeFileSync(file, content);
    const approvals = openApprovals(file, project);
    const corrupt = expect.objectContaining({ code: "RALPH_TRUST_APPROVALS_CORRUPT" });
    expect(() => approvals.list()).toThrow(corrupt);
    expect(() => approvals.isApproved("prompt", sha256("x"))).toThrow(corrupt);
    await expect(approvals.approve([command("npm test")])).rejects.toEqual(corrupt);
    expect(readFileSync(file, "utf8")).toBe(content);
  },
);

test("TRUST-5: what is no file in place of the approvals is an error that says to remove it", () => {
  mkdirSync(file, { recursive: true });
  const hint = expect.stringContaining("remove it");
  expect(() => openApprovals(file, project).list()).toThrow(
    expect.objectContaining({ code: "RALPH_TRUST_APPROVALS_UNREADABLE", hint }),
  );
});

test("TRUST-1: what is kept of a command for people has no secrets in it", async () => {
  const token = `ghp_${"q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW"}`;
  await openApprovals(file, project).approve([command(`deploy --token ${token}\nrm -rf x`)]);
  expect(readFileSync(file, "utf8")).not.toContain(token);
  expect(openApprovals(file, project).list()[0]?.what).toBe("deploy --token [redacted:github] rm -rf x");
});
