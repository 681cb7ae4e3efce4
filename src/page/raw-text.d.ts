/** A file as text, which the build and vitest put into the bundle. */
declare module "*?raw" {
  const text: import("../base/safe-text.ts").SafeText;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file this way.
  export default text;
}
