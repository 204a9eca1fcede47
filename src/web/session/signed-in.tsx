import { Center, Container, Loader, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import type { entranceRouter } from '../../modules/sessions/app.ts';
import { Notice, ProblemAlert } from '../kit/messages.tsx';
import { useLanguage, useText } from '../language/language.tsx';
import { entrance } from '../server/server.ts';
import { currentTeam, lookAt } from './current-team.ts';

type Answers = inferRouterOutputs<typeof entranceRouter>;
type Me = NonNullable<Answers['entrance']['who']['me']>;
type Membership = Me['teams'][number];
export type Need = Membership['may'][number];

interface Here {
  me: Me;
  /** The team that this tab is about. */
  team: Membership;
  may: (need: Need) => boolean;
  /** Looks at another of one's teams. */
  goTo: (tenantId: string) => void;
}

const HereContext = createContext<Here | undefined>(undefined);

/** Who is signed in and where; only below the sign-in. */
export const useHere = (): Here => {
  const here = useContext(HereContext);
  if (!here) throw new Error('useHere is for pages behind the sign-in');
  return here;
};

/** Whether the team's plan includes the API, and with it webhooks and syncs of CRMs. */
export const useHasApi = (): boolean => useHere().team.has_api;

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

/** Shown while the team's plan does not include the API: what CRM connections or webhooks do then. */
export const NoApiNotice = ({ of }: { of: 'crm' | 'webhooks' }) => {
  const t = useText();
  if (useHasApi()) return null;
  const effects = {
    crm: t(
      'Es wird nichts abgeglichen, und es lässt sich kein CRM verbinden. Die bisherigen Deals und Einwände bleiben sichtbar.',
      'Nothing is synced, and no CRM can be connected. The deals and objections so far stay visible.',
    ),
    webhooks: t(
      'Neue Ereignisse werden nicht gesendet und lassen sich auch später nicht nachholen. Endpunkte können weder angelegt noch getestet werden.',
      'New events are not sent, and can’t be sent later either. Endpoints can be neither created nor tested.',
    ),
  };
  return (
    <Notice tone="warn" title={t('Ihr Tarif enthält die API nicht', 'Your plan does not include the API')}>
      <Text size="sm">
        {effects[of]}{' '}
        {t('Den Tarif ändert der Betreiber der Plattform.', 'The operator of the platform changes the plan.')}
      </Text>
    </Notice>
  );
};
