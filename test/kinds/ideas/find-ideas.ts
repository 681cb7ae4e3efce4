import type { FindMemories } from "../../../src/memory/port/kind-commands.ts";
import { textQuery } from "../../../src/search/query.ts";
import { search } from "../../../src/search/search.ts";
import { ideaSource } from "./idea-source.ts";

export const findIdeas: FindMemories = async (q, { text, limit, now, tags }) => {
  const sources = [ideaSource];
  const query = textQuery(text);
  const { hits } = await search(q, { query, sources, limit, now, abstain: false, recency: false });
  const fitting = tags.length > 0 ? [] : hits;
  const found = fitting.map(({ document: { id, title, taskId }, score, parts }) => {
    const view = { id, idea: title, task: taskId };
    return { id, score, parts: { ...parts }, line: `[idea] ${title}`, json: view, view };
  });
  return { found, problem: null };
};
