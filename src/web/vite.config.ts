import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

const { resolve } = createRequire(import.meta.url);

/**
 * Loads the styles of each of Mantine's components together with its code. The styles of all components would be a fifth of the sign-in page.
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

/** The app, built into `dist/web`. Nothing is inlined, because the pages' content security policy forbids inline scripts. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), mantineStyles],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The pages that most people open first, each with all that it imports, in few files.
          groups: [
            {
              name: 'start',
              test: /src\/web\/main\.tsx$|node_modules\/@(tanstack|mantine\/hooks)\/|\/Anchor\.mjs$/,
              priority: 3,
            },
            { name: 'sign-in', test: /src\/web\/pages\/entrance\/sign-in\.tsx$/, priority: 2 },
            {
              name: 'overview',
              test: /src\/web\/(layout\/(shell|page-gate)|pages\/overview\/overview)\.tsx$/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
