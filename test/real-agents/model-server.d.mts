/** One of `bash`, `tool` with its `input`, `text` (perhaps `cut`), `hang`, or `status` with `type` and `message`. */
export interface Step {
  readonly bash?: string;
  readonly tool?: string;
  readonly input?: object;
  readonly text?: string;
  readonly cut?: boolean;
  readonly hang?: boolean;
  readonly status?: number;
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ModelServer {
  readonly url: string;
  requests(): number;
  /** What all complete answers used. */
  tokens(): { input: number; output: number; cacheRead: number; cacheWrite: number };
  close(): Promise<void>;
}

export interface Body {
  readonly messages: readonly object[];
  readonly tools?: readonly {
    readonly name: string;
    readonly input_schema?: { readonly properties?: object };
  }[];
}

type Script = readonly Step[] | ((body: Body) => readonly Step[]);

export declare function startModelServer(script: Script): Promise<ModelServer>;
