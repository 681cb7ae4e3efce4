import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { RalphError } from "../base/errors.ts";
import type { Owner } from "../base/owner.ts";
import { parseStat, readProc } from "./process-table.ts";

/** The kernel's fixed number of a machine's initial PID namespace. */
const firstNamespace = "pid:[4026531836]";

let self: Owner | undefined;

/** Identifies this process for a claim or a run. `host` includes the PID namespace if it is not the machine's initial one. */
export function thisOwner(): Owner {
  self ??= {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? "",
    bootId: readBootId(),
    host: readHost(),
  };
  return self;
}

/**
 * Checks whether `owner` still runs. False only when that is certain: a process on another host, or in another PID
 * namespace of this host (an agent's), cannot be observed, so it counts as alive until its lease expires.
 */
export function isAlive(owner: Owner): boolean {
  const here = thisOwner();
  if (owner.host !== here.host) return true;
  return owner.bootId === here.bootId && startTimeOf(owner.pid) === owner.startTime;
}

/** Returns the opaque start time of process `pid`; undefined if it is not running. */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") {
    const entry = parseStat(readProc(pid, "stat")?.toString("latin1") ?? "");
    return entry?.running ? entry.startTime : undefined;
  }
  if (process.platform === "win32") return isPid(pid) ? "" : undefined;
  return readOutput("ps", ["-o", "lstart=", "-p", String(pid)]) || undefined;
}

function isPid(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readBootId(): string {
  if (process.platform === "linux") return readBootIdFile();
  return process.platform === "darwin" ? readOutput("sysctl", ["-n", "kern.boottime"]) : "";
}

function readBootIdFile(): string {
  const path = "/proc/sys/kernel/random/boot_id";
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    throw new RalphError(
      "RALPH_ISOLATION_PROC",
      `${path} cannot be read, so ralph cannot identify its processes`,
      {
        hint: "mount /proc, or start ralph where it is mounted",
      },
    );
  }
}

function readHost(): string {
  if (process.platform !== "linux") return hostname();
  const namespace = readlinkSync("/proc/self/ns/pid");
  return namespace === firstNamespace ? hostname() : `${hostname()} ${namespace}`;
}

function readOutput(program: string, args: readonly string[]): string {
  const env = { LC_ALL: "C", PATH: "/bin:/usr/bin:/usr/sbin" };
  try {
    return execFileSync(program, args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}
