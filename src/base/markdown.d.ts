/** A Markdown file imported as its text: esbuild and vitest load it so. */
declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what the bundler makes of a text file.
  export default text;
}
