import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

const { resolve } = createRequire(import.meta.url);

/**
 * Loads the styles of each of Mantine's components together with its code, instead of the styles of all components with the first page.
 * They are in a cascade layer, so that the app's own styles win also where they are loaded before.
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const [, component] = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    if (component === undefined) return undefined;
    const styles = resolve(`@mantine/core/styles/${component}.layer.css`);
    if (!existsSync(styles)) this.error(`${component} has no styles of its own`);
    return { code: `import ${JSON.stringify(styles)};\n${code}`, map: null, moduleSideEffects: true };
  },
};

/**
 * Lets the browser load the app's code while it still loads and runs the first script, which imports it. A slow line is busy with these files
 * until that script requests the files of the page.
 */
const preloads: Plugin = {
  name: 'preloads',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('the build has no document');
      const html = String(page.source);
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const needed = new Set(chunks.filter(({ name }) => name === 'app'));
      for (const { imports } of needed) {
        for (const chunk of chunks) if (imports.includes(chunk.fileName)) needed.add(chunk);
      }
      const styles = [...needed].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
      const links = [
        ...styles.map((file) => `    <link rel="preload" as="style" crossorigin href="/${file}">\n`),
        ...[...needed].map((file) => `    <link rel="modulepreload" crossorigin href="/${file.fileName}">\n`),
      ].filter((link) => !html.includes(link.trim()));
      page.source = html.replace('  </head>', `${links.join('')}  </head>`);
    },
  },
};

/**
 * Few files, because each costs a round trip on a slow connection. Each group is a file with these modules and everything that they import,
 * unless an earlier group has it. Modules that only one page needs stay in a file of that page.
 */
const groups = [
  // Code that rarely changes, so that browsers keep it in the cache.
  { name: 'base', test: /^\0rolldown|node_modules\/(react|react-dom|scheduler|react-router|@tanstack|@trpc)\// },
  // Code of the first script, which must not wait for the files below.
  {
    name: 'begin',
    test: /^\0vite\/preload-helper|src\/web\/(loading\/(connection|first-answers|keep-trying|version)|session\/current-team|language\/initial-language)\.ts$/,
  },
  // Code that the sign-in page and the pages after it share.
  { name: 'app', test: /src\/web\/main\.tsx$|\/(Anchor|use-merged-ref)\.mjs$/ },
  { name: 'form', test: /src\/web\/(kit\/form|pages\/entrance\/sign-in)\.tsx$/ },
  // The frame of all pages after the sign-in, and the page with which most people start.
  {
    name: 'shell',
    test: /src\/web\/layout\/(shell|page-gate)\.tsx$|src\/web\/kit\/(formats|facts|charts\/bar-chart)\.tsx$/,
  },
  { name: 'overview', test: /src\/web\/pages\/overview\/overview\.tsx$/ },
  // Code that these two need only later.
  { name: 'floating', test: /src\/web\/(layout\/menus|kit\/tip)\.tsx$/ },
  { name: 'dialog', test: /src\/web\/kit\/(confirm-)?dialog\.tsx$/ },
  { name: 'table', test: /src\/web\/kit\/(table|filters|list-tools|selection)\.tsx$/ },
  { name: 'number', test: /\/NumberInput\.mjs$/ },
  { name: 'parts', test: /node_modules\/@(mantine|tabler)\//, minShareCount: 2 },
  { name: 'common', test: /src\/(web\/(?!pages\/)|core\/(?!reasons))/, minShareCount: 3 },
].map((group, index, all) => ({ ...group, priority: all.length - index }));

/** The app, built into `dist/web`. Nothing is inlined, because the pages' content security policy forbids inline scripts. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), mantineStyles, preloads],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    target: 'es2023',
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: { codeSplitting: { groups } },
    },
  },
});
