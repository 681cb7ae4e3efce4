import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { askRun } from "./client.ts";
import { throughFiles } from "./leave-file.ts";
import { decodeAnswer, encodeRequest, type RunRequest } from "./protocol.ts";
import { openService, type Service } from "./server.ts";

const root = "/project";
const say = (word: string): RunRequest => ({ kind: "command", words: [word], cwd: root, input: null });

function newFolder(name = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "ralph-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

interface Opened extends Service {
  readonly folder: string;
  readonly asked: RunRequest[];
}

/** A service that answers each request with its words. */
async function open(folder = newFolder(), delayMs = 0): Promise<Opened> {
  const asked: RunRequest[] = [];
  mkdirSync(folder, { recursive: true });
  const service = await openService({
    ...{ folder, root },
    answer: async (request) => {
      asked.push(request);
      await after(delayMs);
      if (request.kind === "tool") return { code: 1, stdout: request.name, stderr: "" };
      return { code: 0, stdout: request.words.join(" "), stderr: "noted" };
    },
  });
  onTestFinished(() => service.close());
  return { ...service, folder, asked };
}

/** Connects and sends bytes; returns the socket once they are written. */
async function send({ address }: Service, bytes: string | Buffer): Promise<Socket> {
  const socket = connect(address.socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

test("TRUST-9: several clients at once get their own answers, through a socket that only the user may use", async () => {
  const service = await open();
  expect(statSync(service.address.socket).mode & 0o777).toBe(0o600);
  const words = Array.from({ length: 30 }, (_, n) => `word-${n}`);
  const answers = await Promise.all(words.map((word) => askRun(service.address, say(word))));
  expect(answers).toEqual(words.map((word) => ({ code: 0, stdout: word, stderr: "noted" })));
  const call: RunRequest = { kind: "tool", name: "note_add", given: { type: "tip" }, agent: null };
  expect(await askRun(service.address, call)).toMatchObject({ code: 1, stdout: "note_add" });
  expect(service.asked.at(-1)).toEqual(call);
});

test("TRUST-9: without the nonce nothing is executed, and a run that has ended says so", async () => {
  const service = await open();
  const forged = { ...service.address, nonce: "0".repeat(32) };
  expect(await askRun(forged, say("x"))).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("not one of"),
  });
  expect(service.asked).toEqual([]);
  await service.close();
  expect(existsSync(dirname(service.address.socket))).toBe(false);
  await expect(askRun(service.address, say("x"))).rejects.toMatchObject({ code: "RALPH_RUN_GONE" });
});

test("TRUST-9: the end of an iteration waits for the request under way and refuses those behind it", async () => {
  const service = await open(newFolder(), 200);
  const both = [askRun(service.address, say("first")), askRun(service.address, say("second"))];
  while (service.asked.length === 0) await after(5);
  await service.close();
  const answers = await Promise.all(both);
  expect(answers.map(({ code }) => code)).toEqual([0, 5]);
  expect(service.asked).toHaveLength(1);
});

test("TRUST-9: a run that does not answer in time is said to be silent, through a socket and through files", async () => {
  const service = await open(newFolder(), 400);
  const { socket, nonce } = service.address;
  await expect(askRun(service.address, say("slow"), 100)).rejects.toMatchObject({
    code: "RALPH_RUN_SILENT",
    message: "the run did not answer within 0.1 seconds",
  });
  expect(await throughFiles(socket, encodeRequest(say("slow"), nonce), 100)).toBeUndefined();
});

test("TRUST-9: where the path is too long for a socket, it is in a short folder, which is removed", async () => {
  const service = await open(newFolder("long/".repeat(20)));
  expect(service.folders).toEqual([dirname(service.address.socket)]);
  expect(statSync(dirname(service.address.socket)).mode & 0o777).toBe(0o700);
  expect(await askRun(service.address, say("x"))).toMatchObject({ stdout: "x" });
  await service.close();
  expect(existsSync(dirname(service.address.socket))).toBe(false);
});

test("TRUST-9: where an agent's sandbox forbids sockets, a request is left and answered as a file", async () => {
  const service = await open();
  const { socket, nonce } = service.address;
  const answer = await throughFiles(socket, encodeRequest(say("filed"), nonce), 5000);
  expect(decodeAnswer(answer ?? "")).toEqual({ code: 0, stdout: "filed", stderr: "noted" });
  const forged = await throughFiles(socket, encodeRequest(say("forged"), "1"), 5000);
  expect(decodeAnswer(forged ?? "")).toMatchObject({ code: 5 });
  expect(readdirSync(dirname(socket))).toEqual(["socket"]);
  // Neither a link, a folder nor a file beyond the limit is read.
  const folder = dirname(socket);
  symlinkSync("/etc/passwd", join(folder, `${"a".repeat(16)}.request`));
  mkdirSync(join(folder, `${"b".repeat(16)}.request`));
  writeFileSync(join(folder, `${"c".repeat(16)}.request`), Buffer.alloc(2 * 1024 * 1024, "x"));
  rmSync(join(folder, `${"b".repeat(16)}.request`), { recursive: true });
  const later = await throughFiles(socket, encodeRequest(say("later"), nonce), 5000);
  expect(decodeAnswer(later ?? "")).toMatchObject({ stdout: "later" });
  expect(service.asked.map((request) => request.kind === "command" && request.words[0])).toEqual([
    "filed",
    "later",
  ]);
});

test("TRUST-12: an agent that puts a file in place of the folder, or closes it, ends no run", async () => {
  const replaced = await open();
  rmSync(replaced.folder, { recursive: true });
  writeFileSync(replaced.folder, "");
  await after(250);
  await replaced.close();

  const closed = await open(newFolder("iteration"));
  chmodSync(closed.folder, 0o000);
  await after(250);
  await closed.close();
  chmodSync(closed.folder, 0o700);
});

test("TRUST-12: neither a long, a broken or half a request nor a thousand connections stop the service", async () => {
  const service = await open();
  const before = process.memoryUsage().rss;
  const long = await send(service, Buffer.alloc(4 * 1024 * 1024, "x"));
  for (let n = 0; n < 24 && !long.destroyed; n++) {
    long.write(Buffer.alloc(4 * 1024 * 1024, "x"));
    await after(1);
  }
  expect(await answerTo(long)).toContain("longer than 1024 KiB");
  for (const line of ["hello\n", "{}\n", "[[[\n", "\n", `${"[".repeat(100_000)}\n`, "\u0000\uffff\n"])
    expect(decodeAnswer(await answerTo(await send(service, line)))).toMatchObject({ code: 5 });
  const half = await send(service, '{"kind":"command"');
  const many = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const socket = connect(service.address.socket);
      socket.on("error", () => undefined);
      await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
      return socket;
    }),
  );
  for (const socket of [half, ...many]) socket.destroy();
  for (let n = 0; n < 100; n++) {
    const answer = await askRun(service.address, say("still here")).catch(() => undefined);
    if (answer?.stdout === "still here") break;
    await after(20);
  }
  expect(service.asked).toHaveLength(1);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
});
