import type { Token } from "./read-tokens.ts";

/** A part of a sentence with the word that joins it to the others: `before`, `unless`; "" for a main clause. */
export interface Clause {
  readonly lead: string;
  readonly tokens: readonly Token[];
}

const leads = new Set(
  `because since so as if unless when whenever while until before after then otherwise but which`.split(
    /\s+/,
  ),
);

/** Splits tokens into sentences, and those into clauses. Empty ones are left out. */
export function splitClauses(tokens: readonly Token[]): readonly (readonly Clause[])[] {
  const sentences: Clause[][] = [];
  let sentence: Clause[] = [];
  let lead = "";
  let clause: Token[] = [];
  const endClause = (nextLead: string): void => {
    if (clause.length > 0) sentence.push({ lead, tokens: clause });
    clause = [];
    lead = nextLead;
  };
  const endSentence = (): void => {
    endClause("");
    if (sentence.length > 0) sentences.push(sentence);
    sentence = [];
  };
  for (const token of tokens) {
    if (token.kind === "stop") endSentence();
    else if (token.kind === "comma") endClause("");
    else if (isLead(token, clause.length === 0)) endClause(token.key === "once" ? "after" : token.key);
    else clause.push(token);
  }
  endSentence();
  return sentences;
}

/** `once` is a conjunction only where a clause begins; elsewhere it says how often. */
function isLead({ kind, key }: Token, begins: boolean): boolean {
  return kind === "word" && (leads.has(key) || (key === "once" && begins));
}
