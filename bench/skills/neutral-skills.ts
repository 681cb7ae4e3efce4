import { safe } from "../../src/base/safe-text.ts";
import { harmIn } from "../../src/memory/skills/measure-skills.ts";
import type { SkillUse } from "../../src/memory/skills/store/skill.ts";

/** The shares of skills without an effect that are taken for harmful. */
interface NeutralShares {
  readonly skills: number;
  readonly within20: number;
  readonly within100: number;
}

/** Simulates skills with and without which half of the attempts pass, half of them held out; always the same draws. */
export function neutralShares(skills: number): NeutralShares {
  const draw = seeded(20261122);
  let [within20, within100] = [0, 0];
  for (let skill = 0; skill < skills; skill += 1) {
    const uses = Array.from({ length: 100 }, (_, at) => useOf(at, draw() < 0.5, draw() < 0.5));
    if (harmIn(uses.slice(0, 20))) within20 += 1;
    if (harmIn(uses)) within100 += 1;
  }
  return { skills, within20: within20 / skills, within100: within100 / skills };
}

function useOf(at: number, isHeld: boolean, verified: boolean): SkillUse {
  return {
    ...{ name: safe`neutral`, iterationId: `i-${at}`, runId: "run-1", taskId: `t-${at}`, attempt: 1 },
    ...{ shown: isHeld ? "withheld" : "body", loaded: false, verified, tokens: null, createdAt: "" },
  };
}

/** Returns a reproducible generator of numbers from 0 to 1 (mulberry32, public domain). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
