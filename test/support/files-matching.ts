import { glob } from 'node:fs/promises';

/**
 * The files with this pattern. The pattern is an argument, because knip counts a file as used if a call of `glob` names
 * it.
 */
export const filesMatching = (pattern: string, exclude: readonly string[] = []) => glob(pattern, { exclude });
