/**
 * A request's target as routing reads it: path and query. A proxy's absolute form loses its origin; what is no target at
 * all (other characters, a fragment, another scheme) is undefined. No part of it is decoded or normalised.
 */
export const originForm = (target: string): string | undefined => {
  if (!/^[!-~]+$/.test(target) || target.includes('#')) return undefined;
  if (target.startsWith('/') || target === '*') return target;
  const rest = /^https?:\/\/[^/?]+(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
};
