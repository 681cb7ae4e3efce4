/** What an answer used; `input` is fresh input, without what came from a cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Words of the model, or one call of a tool. */
interface Answer {
  readonly text?: string;
  /** A command, run by the agent's own tool for commands. */
  readonly command?: string;
  /** Any tool by the name that the agent gave it. */
  readonly tool?: string;
  /** One of ralph's tools, such as `note_add`, whatever the agent calls it. */
  readonly ralph?: string;
  /** For `tool` and `ralph`. */
  readonly input?: object;
  /** The connection breaks in the middle. */
  readonly cut?: boolean;
  /** The answer begins and never goes on. */
  readonly hang?: boolean;
  readonly usage?: Partial<Usage>;
}

/** An error. With the status 200 it arrives in the middle of the stream, as an event. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The error's class in the words of the protocol, such as `rate_limit_error`. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the error. */
  readonly fields?: object;
}

interface When {
  /** How long the server waits before it answers. */
  readonly waitMs?: number;
  /** Answers requests without tools, too. */
  readonly bare?: boolean;
  /** After so many requests the step is over, and the next one takes its place; absent: never. */
  readonly times?: number;
}

export type Step = (Answer | Refusal) & When;

/** A tool call in the words of a protocol. */
export interface Call {
  readonly name: string;
  readonly input: object;
  /** The protocol's own fields. */
  readonly fields?: object;
}

/** An answer with everything that the script left open. */
export interface Reply {
  readonly says: { readonly text: string } | { readonly call: Call };
  readonly usage: Usage;
}

/** A request's body, as far as a script looks at it. */
export interface Body {
  readonly [field: string]: unknown;
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages: readonly object[];
  readonly tools?: readonly {
    readonly name: string;
    readonly input_schema?: { readonly properties?: object };
  }[];
}

/** One of the protocols in which agents talk to a model. */
export interface Protocol {
  /** Matches the path of a request. */
  readonly path: RegExp;
  /** Returns the number of tool results in the request: the step that comes next. */
  results(body: Body): number;
  command(command: string): Call;
  /** Returns the names of the tools that the agent offers. */
  tools(body: Body): readonly string[];
  /** Returns the call of a tool of ralph by its name there; undefined: the agent offers none such. */
  ralphTool(body: Body, name: string, input: object): Call | undefined;
  /** Returns the lines of a stream: those before a cut, and the others. */
  stream(reply: Reply, body: Body): readonly [begin: readonly string[], rest: readonly string[]];
  /** Returns the answer to a request without a stream. */
  whole(reply: Reply, body: Body): object;
  error(refusal: Refusal): object;
  /** Returns the lines of a stream that fails. */
  streamError(refusal: Refusal): readonly string[];
}

export function newId(): string {
  return Math.random().toString(36).slice(2, 12);
}

/** An event or an item of a stream. */
export interface Typed {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Server-sent events, named by their `type`. */
export function typedEvents(events: readonly Typed[]): readonly string[] {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Server-sent events without a name. Some readers take U+2028 for the end of a line. */
export function dataEvents(events: readonly object[]): readonly string[] {
  return events.map((event) => `data: ${JSON.stringify(event).replaceAll("\u2028", "\\u2028")}\n\n`);
}

/** Splits a text in two parts, both of them not empty where that is possible. */
export function halves(text: string): readonly [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
