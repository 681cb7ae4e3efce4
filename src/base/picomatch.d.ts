/** The part of picomatch that ralph uses. */
declare module "picomatch" {
  // biome-ignore lint/style/noDefaultExport: the package exports a function this way.
  export default function picomatch(
    globs: string | readonly string[],
    options?: { readonly dot?: boolean; readonly noextglob?: boolean },
  ): (path: string) => boolean;
}
