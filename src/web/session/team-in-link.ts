/** Checks a team id from a link before it is sent to the server in a header. */
const isTenantId = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

/** The team that a link names, also inside the `next` of a link to the sign-in. */
export const teamInLink = (search: string): string | null => {
  const params = new URLSearchParams(search);
  const [team, next] = [params.get('team'), params.get('next')];
  if (team !== null) return isTenantId(team) ? team : null;
  return next === null ? null : teamInLink(next.slice(next.indexOf('?') + 1));
};
