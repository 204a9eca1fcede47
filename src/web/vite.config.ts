import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import subsetFont from 'subset-font';
import { defineConfig, type Plugin } from 'vite';

const { resolve } = createRequire(import.meta.url);
const cache = fileURLToPath(new URL('../../node_modules/.cache/app', import.meta.url));

/**
 * Loads the styles of each of Mantine's components together with its code. The styles of all components would be a
 * fifth of the sign-in page. They are in a cascade layer, so that the app's own styles win also where they are loaded
 * before.
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const [, component] = /\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    if (component === undefined || !id.includes('@mantine/core/esm/')) return undefined;
    const styles = resolve(`@mantine/core/styles/${component}.layer.css`);
    if (!existsSync(styles)) this.error(`${component} has no styles of its own`);
    return { code: `import ${JSON.stringify(styles)};\n${code}`, map: null, moduleSideEffects: true };
  },
};

const latin = 'inter-latin-wght-normal.woff2';

/** The characters of the latin file: those of its `unicode-range` in the styles of the font. */
const charactersOf = (styles: string): string => {
  const [, ranges] = /unicode-range: ([^;}]+)/.exec(styles.slice(styles.indexOf(latin))) ?? [];
  if (ranges === undefined) throw new Error(`the font's styles have no ranges of ${latin}`);
  return ranges
    .split(',')
    .map((range) => {
      const [from = 0, to = from] = range
        .replace('U+', '')
        .split('-')
        .map((code) => Number.parseInt(code, 16));
      return String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, at) => from + at));
    })
    .join('');
};

/**
 * Makes the file of the font that nearly every page loads half as large: the weights 400 to 700, and of the font's
 * features the placing of letters and accents, digits of equal width, and the two that page.css switches on.
 */
const smallFont: Plugin = {
  name: 'small-font',
  enforce: 'pre',
  async transform(code, id) {
    if (!id.endsWith('/@fontsource-variable/inter/wght.css')) return undefined;
    const small = await subsetFont(await readFile(join(dirname(id), 'files', latin)), charactersOf(code), {
      targetFormat: 'woff2',
      variationAxes: { wght: { min: 400, max: 700, default: 400 } },
      keepFeatures: ['ccmp', 'kern', 'mark', 'mkmk', 'tnum', 'cv11', 'ss03'],
    });
    const file = join(cache, latin);
    await mkdir(cache, { recursive: true });
    await writeFile(file, small);
    return { code: code.replace(`./files/${latin}`, relative(dirname(id), file)), map: null };
  },
};

/**
 * The app, built into `dist/web`. Nothing is inlined, because the pages' content security policy forbids inline
 * scripts.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), mantineStyles, smallFont],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 700,
    // The packages in the app's files: scripts/licenses makes licenses.txt of them.
    license: { fileName: '.vite/licenses.json' },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The pages that most people open first, each with all that it imports, in few files.
          groups: [
            {
              name: 'start',
              test: /src\/web\/main\.tsx$|node_modules\/@tanstack\/|\/Anchor\.mjs$/,
              priority: 3,
            },
            { name: 'sign-in', test: /src\/web\/pages\/entrance\/sign-in\.tsx$/, priority: 2 },
            {
              name: 'overview',
              test: /src\/web\/(layout\/(shell|page-gate)|pages\/overview\/overview)\.tsx$/,
              priority: 1,
            },
            // One file for the code that at least two other pages share. Otherwise a page would load dozens of small
            // files.
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
