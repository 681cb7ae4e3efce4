/** A Markdown file imported as text; esbuild and vitest are configured to load it that way. */
declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a text file this way.
  export default text;
}
