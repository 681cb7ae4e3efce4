/** One of `bash`, `text` (perhaps `cut`), `hang`, or `status` with `type` and `message`. */
interface Step {
  readonly bash?: string;
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
  close(): Promise<void>;
}

type Script = readonly Step[] | ((body: { readonly messages: readonly object[] }) => readonly Step[]);

export declare function startModelServer(script: Script): Promise<ModelServer>;
