import { spawnSync } from "node:child_process";
import { choicePrompt, readChoice } from "../../src/memory/learnings/agent-choice.ts";
import { redactedText } from "../../src/trust/safe-text.ts";
import type { DataSet } from "../retrieval/data-set.ts";
import type { Told } from "./told-figures.ts";

/**
 * Asks a model, by a shell command that answers the prompt on its stdin, the product's own question which lessons each task of a set needs
 * (LEARN-16). An answer that the product would not take tells nothing: there words would decide.
 */
export function chooseByCommand(
  { documents, queries, unanswered }: DataSet,
  command: string,
): readonly Told[] {
  const offered = documents.map(({ id, title, body }) => {
    return { id, lesson: redactedText(body), when: redactedText(title) };
  });
  return [...queries, ...unanswered].map(({ id, lang, query, relevant }) => {
    const prompt = choicePrompt(query, offered, id);
    const { stdout } = spawnSync("sh", ["-c", command], { input: prompt, encoding: "utf8" });
    const chosen = readChoice(stdout ?? "", offered) ?? [];
    return { lang, foreign: relevant.size === 0, lines: chosen.map((one) => relevant.has(one.id)) };
  });
}
