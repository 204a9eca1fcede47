/** Checks a team id from a link before it is sent to the server in a header. */
const isTenantId = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

/** The team that a link names. If a link to the sign-in names none, the path in its `next` may name one. */
export const teamInLink = (search: string): string | null => {
  const params = new URLSearchParams(search);
  const [team, next] = [params.get('team'), params.get('next')];
  if (team !== null) return isTenantId(team) ? team : null;
  return next === null ? null : teamInLink(next.slice(next.indexOf('?') + 1));
};

/**
 * The team with which a document opens: the team that its address names. If it names none, the team of the tab, or
 * else the last team in this browser.
 */
export const teamAtFirst = (
  search: string,
  { tab, browser }: { tab: string | null; browser: string | null },
): string | undefined => teamInLink(search) ?? tab ?? browser ?? undefined;

/** The wanted team, or the person's first one if they are not in the wanted one. */
export const teamOf = <Team extends { tenant_id: string }>(
  { teams }: { teams: readonly Team[] },
  wanted: string | undefined,
): Team | undefined => teams.find(({ tenant_id }) => tenant_id === wanted) ?? teams[0];
