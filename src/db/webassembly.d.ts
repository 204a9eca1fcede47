/** The types of WebAssembly that we use. TypeScript has them only in the library for browsers. */
declare namespace WebAssembly {
  function instantiate(
    program: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
}
