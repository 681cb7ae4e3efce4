import { existsSync } from "node:fs";
import type { LaunchOptions } from "playwright-core";

/** Debian's browser; null: it is not installed. */
export const chromiumPath: string | null =
  ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path)) ?? null;

/** Starts the browser with a new profile, and without requests of its own. */
export function launchOptions(): LaunchOptions {
  const quiet = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return {
    executablePath: chromiumPath ?? "",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", ...quiet],
  };
}
