/** Where a version of the public API is: the version is a part of the path. */
export const basePathOf = (version: string): string => `/api/public/${version}`;

/** Where v1 is. */
export const basePath = basePathOf('v1');
