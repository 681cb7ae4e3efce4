import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after, setImmediate } from "node:timers/promises";
import { makeFolders } from "../base/careful-files.ts";
import { messageOf, RalphError } from "../base/errors.ts";
import {
  answerMs,
  decodeRequest,
  maxAnswerBytes,
  maxRequestBytes,
  type RunAddress,
  type RunAnswer,
  type RunRequest,
} from "./protocol.ts";
import { takeFiles } from "./take-files.ts";

/** Node cuts a longer path of a socket without an error; 108 bytes are the limit of Linux, 104 of macOS. */
const maxPathBytes = 100;
const maxClients = 64;
/** Milliseconds in which a client sends its request. */
const requestMs = 5000;
/** Milliseconds that the end of an iteration waits for the request that is under way. */
const closeMs = 2000;

/** A socket at which the agent of one iteration reaches its run. */
export interface Service {
  readonly address: RunAddress;
  /** Folders outside the iteration's own that the agent needs to reach it. */
  readonly folders: readonly string[];
  /** Ends the clients, lets the request under way finish, and removes the files. */
  close(): Promise<void>;
}

interface ServiceSetup {
  /** The iteration's own folder. */
  readonly folder: string;
  readonly root: string;
  /** Executes a request; throws only for a bug. Called for one request after another. */
  readonly answer: (request: RunRequest) => Promise<RunAnswer>;
}

/**
 * Opens the socket of an iteration. Requests that are too long, slow, malformed or without the nonce get an answer that says so;
 * nothing that a client sends can end the run or keep it busy.
 *
 * @throws RalphError `RALPH_RUN_SOCKET`
 */
export async function openService({ folder, root, answer }: ServiceSetup): Promise<Service> {
  const nonce = randomBytes(16).toString("hex");
  const clients = new Set<Socket>();
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  // One at a time: each may write the store, and none takes long.
  const respond = async (line: string): Promise<string> => {
    const request = decodeRequest(line, nonce);
    if (request === undefined) return encode(refusal("the request is not one of this iteration's agent"));
    const answered = last.then(async () => (isClosed ? refusal("the iteration has ended") : answer(request)));
    last = answered.catch(() => undefined);
    return encode(await answered.catch((error: unknown) => refusal(`bug in ralph: ${messageOf(error)}`)));
  };
  const server = createServer((socket) => {
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
    serveClient(socket, respond);
  });
  server.maxConnections = maxClients;
  // A client is not accepted where the process has too many open files.
  server.on("error", () => undefined);
  const place = await listen(server, folder, nonce);
  const files = place.files === null ? null : takeFiles(place.files, respond);
  return {
    address: { socket: place.socket, nonce, root },
    folders: place.folders,
    close: async () => {
      isClosed = true;
      server.close();
      files?.stop();
      await Promise.race([last, after(closeMs, undefined, { ref: false })]);
      // The answer to the last request is written once its promise is settled.
      await setImmediate();
      for (const client of clients) client.destroySoon();
      removeLeftovers(place.created);
    },
  };
}

function removeLeftovers(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  } catch {
    // The agent may have closed it, or put a file in place of it.
  }
}

/** Reads one line of a client and writes the answer. */
function serveClient(socket: Socket, respond: (line: string) => Promise<string>): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (text: string): void => {
    socket.removeAllListeners("data");
    // Further input is dropped, and so is a client that does not read its answer.
    socket.resume();
    socket.setTimeout(answerMs, () => socket.destroy());
    socket.end(text);
  };
  const deadline = setTimeout(() => socket.destroy(), requestMs).unref();
  socket.once("close", () => clearTimeout(deadline));
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    const at = chunk.indexOf(10);
    bytes += at < 0 ? chunk.length : at;
    if (bytes > maxRequestBytes) {
      end(encode(refusal(`the request is longer than ${maxRequestBytes / 1024} KiB`)));
      return;
    }
    chunks.push(at < 0 ? chunk : chunk.subarray(0, at));
    if (at < 0) return;
    clearTimeout(deadline);
    socket.removeAllListeners("data");
    socket.resume();
    void respond(Buffer.concat(chunks).toString("utf8")).then(end);
  });
}

interface Place {
  readonly socket: string;
  /** The folder for requests as files; null: none. */
  readonly files: string | null;
  /** Those beyond the folder of the iteration. */
  readonly folders: readonly string[];
  readonly created: readonly string[];
}

async function listen(server: Server, folder: string, nonce: string): Promise<Place> {
  if (process.platform === "win32") {
    const socket = `\\\\.\\pipe\\ralph-${nonce.slice(0, 16)}`;
    await listening(server, socket);
    return { socket, files: null, folders: [], created: [] };
  }
  const own = join(folder, "run");
  try {
    if (Buffer.byteLength(join(own, "socket")) <= maxPathBytes) {
      makeFolders(own);
      await listening(server, join(own, "socket"));
      return { socket: join(own, "socket"), files: own, folders: [], created: [own] };
    }
  } catch {
    // Some file systems have no sockets.
  }
  try {
    const short = mkdtempSync(join(shortest(), "ralph-"));
    await listening(server, join(short, "socket"));
    return { socket: join(short, "socket"), files: short, folders: [short], created: [short] };
  } catch (error) {
    throw new RalphError("RALPH_RUN_SOCKET", `cannot open a socket for the agent: ${messageOf(error)}`, {
      hint: "check that you may write the folder for temporary files, or set TMPDIR to another",
      cause: error,
    });
  }
}

/** Returns the folder for temporary files, or `/tmp` where its path is too long. */
function shortest(): string {
  return Buffer.byteLength(join(tmpdir(), "ralph-123456/socket")) <= maxPathBytes ? tmpdir() : "/tmp";
}

async function listening(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  if (process.platform !== "win32") chmodSync(path, 0o600);
}

/** An answer that nothing was executed; exit code 5. */
function refusal(why: string): RunAnswer {
  return { code: 5, stdout: "", stderr: `error: ${why}\n` };
}

function encode(answer: RunAnswer): string {
  const text = `${JSON.stringify(answer)}\n`;
  if (Buffer.byteLength(text) <= maxAnswerBytes) return text;
  return encode(refusal("the output is longer than 8 MiB; ask for less of it"));
}
