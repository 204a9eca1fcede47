/** Where the public API lives; `v1` is its version. */
export const basePath = '/api/public/v1';
