import { readFileSync } from 'node:fs';

const source = readFileSync('src/web/pages.tsx', 'utf8');
const [inside = '', inFront = ''] = source.split('export const entrancePages');
const pathsIn = (text: string) => [...text.matchAll(/path: '([^']+)'/g)].flatMap(([, path]) => path ?? []);

/** The paths of the app's pages, as the app has them. */
export const routes: readonly string[] = pathsIn(inside);

/** Those before the sign-in. */
export const entranceRoutes: readonly string[] = pathsIn(inFront);
