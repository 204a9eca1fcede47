/**
 * A request's target in the form for routing: path and query. The origin of an absolute form (from a proxy) is removed. Undefined if the
 * target is invalid (other characters, a fragment, another scheme). Nothing is decoded or normalised.
 */
export const originForm = (target: string): string | undefined => {
  if (!/^[!-~]+$/.test(target) || target.includes('#')) return undefined;
  if (target.startsWith('/') || target === '*') return target;
  const rest = /^https?:\/\/[^/?]+(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
};
