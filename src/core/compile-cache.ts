import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Compiling is half of what a start costs. In a folder of the project's own: whoever can write there can run code here. */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url)));
};
