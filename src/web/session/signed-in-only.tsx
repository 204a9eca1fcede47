import { Center, Container, Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ProblemAlert } from '../kit/problem-alert.tsx';
import { useLanguage, useText } from '../language/language.ts';
import { entrance } from '../server/server.ts';
import { currentTeam, lookAt } from './current-team.ts';
import { HereContext } from './me.ts';
import type { Here, Me } from './me.ts';

/** The team of this tab; where it is none of theirs any more, the first that is. */
const teamOf = ({ teams }: Me, wanted: string | undefined) =>
  teams.find(({ tenant_id }) => tenant_id === wanted) ?? teams[0];

/** What is behind the sign-in. Whoever is not signed in goes there, and comes back to where they wanted to go. */
export const SignedInOnly = ({ children }: { children: ReactNode }) => {
  const t = useText();
  const { choose, language } = useLanguage();
  const { pathname, search } = useLocation();
  const queries = useQueryClient();
  const [wanted, setWanted] = useState(currentTeam);
  const { data, error, refetch } = entrance.useAnswer('entrance.who', {}, { keep: true });
  const me = data?.me;
  const team = me ? teamOf(me, wanted) : undefined;
  // Before anything below asks for it.
  if (team && currentTeam() !== team.tenant_id) lookAt(team.tenant_id);

  const personLanguage = me?.language;
  useEffect(() => {
    if (personLanguage !== undefined && personLanguage !== language) choose(personLanguage);
    // Only when they sign in: what they choose here afterwards is theirs.
  }, [personLanguage]);

  const here = useMemo<Here | undefined>(
    () =>
      me && team
        ? {
            me,
            team,
            may: (need) => team.may.includes(need),
            goTo: (tenantId) => {
              lookAt(tenantId);
              setWanted(tenantId);
              queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'entrance' });
            },
          }
        : undefined,
    [me, team, queries],
  );

  if (error && !data) {
    return (
      <Container size="xs" py="xl">
        <ProblemAlert error={error} retry={() => void refetch()} />
      </Container>
    );
  }
  if (!data) {
    return (
      <Center mih="60vh" role="status" aria-label={t('Wird geladen', 'Loading')}>
        <Loader />
      </Center>
    );
  }
  if (!here) return <Navigate to={`/sign-in?next=${encodeURIComponent(`${pathname}${search}`)}`} replace />;
  return <HereContext value={here}>{children}</HereContext>;
};
