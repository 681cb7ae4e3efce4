import { type IsolationLevel, namespacePrefix } from "./isolation-probe.ts";
import { inheritedMark } from "./tree/inherited-mark.ts";

/**
 * Returns the command prefix by which a program that another program starts ends together with its descendants: in a PID
 * namespace of its own, and marked, for `killMarked` and for `caller.ts`. Empty if the system allows neither.
 */
export async function isolationPrefix(level: IsolationLevel, marker: string): Promise<readonly string[]> {
  const namespace = level === "pid-namespace" ? await namespacePrefix() : undefined;
  return [...(await inheritedMark(marker)), ...(namespace ?? [])];
}
