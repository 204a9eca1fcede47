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
 * fifth of the sign-in page. Mantine's styles are in a cascade layer, so that the app's own styles win even where they
 * are loaded first.
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

/**
 * The files of the font that pages load. Nearly all pages load the first one. Pages with names of Central Europe load
 * the second one, too.
 */
const subsets = ['latin', 'latin-ext'].map((name) => `inter-${name}-wght-normal.woff2`);

/** The characters in a file, from its `unicode-range` in the styles of the font. */
const charactersOf = (styles: string, file: string): string => {
  const [, ranges] = /unicode-range: ([^;}]+)/.exec(styles.slice(styles.indexOf(file))) ?? [];
  if (ranges === undefined) throw new Error(`the font's styles have no ranges of ${file}`);
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
 * Makes the files of the font half as large. They keep the weights 400 to 700, and these features of the font: the
 * placing of letters and accents, digits of equal width, and the two that page.css switches on.
 */
const smallFont: Plugin = {
  name: 'small-font',
  enforce: 'pre',
  async transform(code, id) {
    if (!id.endsWith('/@fontsource-variable/inter/wght.css')) return undefined;
    let styles = code;
    await mkdir(cache, { recursive: true });
    for (const name of subsets) {
      const small = await subsetFont(await readFile(join(dirname(id), 'files', name)), charactersOf(code, name), {
        targetFormat: 'woff2',
        variationAxes: { wght: { min: 400, max: 700, default: 400 } },
        keepFeatures: ['ccmp', 'kern', 'mark', 'mkmk', 'tnum', 'cv11', 'ss03'],
      });
      const file = join(cache, name);
      await writeFile(file, small);
      styles = styles.replace(`./files/${name}`, relative(dirname(id), file));
    }
    return { code: styles, map: null };
  },
};

/**
 * The app, built into `dist/web`. Nothing is inlined, because the pages' content security policy forbids inline
 * scripts and fonts.
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
          groups: [
            // The frame is drawn first, so its file imports only colours and styles.
            { name: 'frame', test: /src\/web\/layout\/frame\.ts$/, priority: 6 },
            // The start of the app, and the pages that most people open first, each with all that it imports. So they
            // are in few files.
            {
              name: 'start',
              test: /src\/web\/main\.tsx$|node_modules\/@tanstack\/|\/Anchor\.mjs$/,
              priority: 5,
            },
            { name: 'sign-in', test: /src\/web\/pages\/entrance\/sign-in\.tsx$/, priority: 4 },
            {
              name: 'overview',
              test: /src\/web\/(layout\/(shell|page-gate)|pages\/overview\/overview)\.tsx$/,
              priority: 3,
            },
            // The parts that the overview loads later: its chart, and the lists of a member.
            { name: 'trend-chart', test: /src\/web\/pages\/analytics\/trend-chart\.tsx$/, priority: 2 },
            { name: 'own-overview', test: /src\/web\/pages\/overview\/own-overview\.tsx$/, priority: 1 },
            // One file for the code of the kit, the icons, and the pages of members and assignments that at least two
            // pages share; another file for all other code that at least two pages share. Otherwise a page would load
            // dozens of small files.
            {
              name: 'lists',
              test: /src\/web\/(kit|pages\/(members|assignments))\/|@tabler\//,
              minShareCount: 2,
              priority: 0.5,
            },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
