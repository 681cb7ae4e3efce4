import { existsSync } from "node:fs";
import { messageOf } from "../../base/errors.ts";
import type { FindMemories } from "../port/kind-commands.ts";

/**
 * Finds records of the hivemind for a search in a project: those of other projects, and what a person of this one stored
 * there. What its attempts and learnings left there is found in the project itself.
 */
export const findBeside: FindMemories = async (q, request) => {
  const { hivemind = null, scope } = request;
  const isEmpty = hivemind === null || !(hivemind.swarm || existsSync(hivemind.path));
  if (isEmpty || scope !== null) return { found: [], problem: null };
  try {
    const { recordsBeside } = await import("./records-beside.ts");
    return { found: await recordsBeside(q, request, hivemind), problem: null };
  } catch (error) {
    return { found: [], problem: messageOf(error) };
  }
};
