type Step =
  | { readonly command: string }
  | { readonly text: string }
  | { readonly status: number; readonly message: string };

export function startAcpModelServer(steps: readonly Step[]): Promise<{
  readonly url: string;
  requests(): number;
  close(): void;
}>;
