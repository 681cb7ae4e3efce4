import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** Dynamic imports of built files that no process executed, as `file: import`; `coverage` is their NODE_V8_COVERAGE. */
export function importsNotReached(built: string, coverage: string): readonly string[] {
  const runs = new Map<string, Script[]>();
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8")) as {
      result: readonly Script[];
    };
    for (const script of result) {
      if (!script.url.startsWith("file:")) continue;
      const path = fileURLToPath(script.url);
      runs.set(path, [...(runs.get(path) ?? []), script]);
    }
  }
  return (
    readdirSync(built)
      // The quick start leaves to the full program whatever it fails to load.
      .filter((name) => name.endsWith(".cjs") && !name.startsWith("quick-status"))
      .flatMap((name) => {
        const path = join(built, name);
        const imports = [
          ...readFileSync(path, "utf8").matchAll(/\.then\(\(\) => [^;\n]*?require\("(\.\/[^"]+)"\)/g),
        ];
        return (
          imports
            .filter(({ index }) => !runs.get(path)?.some((script) => wasExecuted(script, index)))
            .map(([, target]) => `${name}: ${target}`)
            // No agent here states models, whose prices are looked up.
            .filter((one) => !one.endsWith("/list-price.cjs"))
        );
      })
  );
}

/** Whether the innermost range around `offset` was entered. */
function wasExecuted({ functions }: Script, offset: number): boolean {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const size = ({ startOffset, endOffset }: Range): number => endOffset - startOffset;
  const [innermost] = around.toSorted((a, b) => size(a) - size(b));
  return (innermost?.count ?? 0) > 0;
}
