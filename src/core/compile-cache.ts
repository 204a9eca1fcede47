import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Keeps compiled code for the next start, which then takes half the time. The folder belongs to the project: anybody who could write to it
 * could run code in the service.
 */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url)));
};

/** Writes what this start compiled. Node does so at the end of a process, and one that is killed would leave the next start nothing. */
export const keepCompiledCode = (): void => flushCompileCache();
