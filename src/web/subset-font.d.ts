/** The package has no types of its own. These are the options that the build uses. */
declare module 'subset-font' {
  interface Options {
    targetFormat: 'woff2';
    variationAxes: Readonly<Record<string, { min: number; max: number; default: number }>>;
    /** OpenType features; all others are left out. */
    keepFeatures: readonly string[];
  }
  export default function subsetFont(font: Buffer, text: string, options: Options): Promise<Buffer>;
}
