/** A Markdown file of ralph's own imported as text; esbuild and vitest are configured to load it that way. */
declare module "*.md" {
  const text: import("./safe-text.ts").SafeText;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file this way.
  export default text;
}
