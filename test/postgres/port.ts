import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";

/** A port of 127.0.0.1 that leads to another one, as long as it is open. */
export interface TestPort {
  readonly port: number;
  /** Ends the connections and refuses new ones. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Passes nothing on until it is called with false, as a network that loses packets. */
  hold(isHeld: boolean): void;
}

/** Opens a port that leads to `target`. */
export async function openPort(target: number): Promise<TestPort> {
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  let isHeld = false;
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    if (isHeld) from.pause();
    from.on("data", (bytes) => void to.write(bytes));
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const opened = createServer((socket) => {
        const onward = createConnection(target, "127.0.0.1");
        join(socket, onward);
        join(onward, socket);
      });
      opened.once("error", reject);
      opened.listen(port, "127.0.0.1", () => resolve((opened.address() as AddressInfo).port));
      server = opened;
    });
  const port = await listen(0);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        if (server === null) return resolve();
        server.close(() => resolve());
        server = null;
        for (const socket of sockets) socket.destroy();
      }),
    open: async () => void (await listen(port)),
    hold: (isNow) => {
      isHeld = isNow;
      for (const socket of sockets) isHeld ? socket.pause() : socket.resume();
    },
  };
}
