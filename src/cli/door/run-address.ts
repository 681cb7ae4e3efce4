import { readEnv } from "../../config/environment.ts";
import { addressVariables, type RunAddress } from "../../service/protocol.ts";

/** Returns the address of the run whose agent started this process; undefined: none did. */
export function runAddress(): RunAddress | undefined {
  const socket = readEnv(addressVariables.socket);
  const nonce = readEnv(addressVariables.nonce);
  const root = readEnv(addressVariables.root);
  return socket && nonce && root ? { socket, nonce, root } : undefined;
}
