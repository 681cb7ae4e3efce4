import { type CST, Lexer, Parser } from "yaml";
import { generalHint, tooDeep, tooLarge, YamlRefusal } from "./yaml-refusal.ts";

/**
 * Each lexeme takes two to five microseconds, a seventh of it in the composer, which cannot pause. A task of six lines has 60, so a
 * list of 10,000 is read (TASK-7); a hostile file of 10 MB has ten million.
 */
const maxLexemes = 700_000;
/** Lexemes that stand for no character: the start of a document, the end of a broken flow, a scalar. */
const marks: ReadonlySet<string> = new Set(["\x02", "\x18", "\x1f"]);
/** Lexemes between two pauses: some milliseconds. */
const perStep = 1000;

/** Parses the syntax tree of each document, without recursion; the later steps recurse as deep as the tree. */
export function* yamlTokens(text: string, maxDepth: number): Generator<undefined, readonly CST.Token[]> {
  const tokens: CST.Token[] = [];
  const parser = new Parser();
  const lexemes = yield* lexemesOf(text);
  for (const [index, lexeme] of lexemes.entries()) {
    if (index % perStep === 0) yield;
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") throw new YamlRefusal(token.offset, token.message, generalHint);
      tokens.push(token);
    }
    // The document itself is on the stack too.
    if (parser.stack.length > maxDepth + 1) throw tooDeep(parser.offset, maxDepth);
  }
  for (const one of parser.end()) tokens.push(one);
  return tokens;
}

/** Before anything is parsed, since that takes most of the time. */
function* lexemesOf(text: string): Generator<undefined, readonly string[]> {
  const lexemes: string[] = [];
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexemes.length === maxLexemes) throw tooLarge(offset);
    if (lexemes.length % perStep === 0) yield;
    lexemes.push(lexeme);
    if (!marks.has(lexeme)) offset += lexeme.length;
  }
  return lexemes;
}
