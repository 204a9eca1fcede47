/** The little of WebAssembly that we use: its types come with the browser's library, which has no place on a server. */
declare namespace WebAssembly {
  function instantiate(
    program: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
}
