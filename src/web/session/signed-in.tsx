import { Center, Container, Loader, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import type { entranceRouter } from '../../modules/sign-ins/app.ts';
import { Notice, ProblemAlert } from '../kit/messages.tsx';
import { useLanguage, useText } from '../language/language.tsx';
import { entrance } from '../server/server.ts';
import { currentTeam, setCurrentTeam } from './current-team.ts';

type Answers = inferRouterOutputs<typeof entranceRouter>;
type Me = NonNullable<Answers['entrance']['who']['me']>;
type Membership = Me['teams'][number];
export type Permission = Membership['may'][number];

interface SignedIn {
  me: Me;
  /** The team that this tab shows. */
  team: Membership;
  may: (permission: Permission) => boolean;
  /** Shows another of the person's teams in this tab. */
  switchTeam: (tenantId: string) => void;
}

const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** The signed-in person and their current team. Only for components inside `SignedInOnly`. */
export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('useSignedIn is for pages that require signing in');
  return signedIn;
};

/** The wanted team, or the person's first one if they are not in the wanted one. */
const teamOf = ({ teams }: Me, wanted: string | undefined) =>
  teams.find(({ tenant_id }) => tenant_id === wanted) ?? teams[0];

/** Shows its content to signed-in people. Sends all others to the sign-in, which leads back here. */
export const SignedInOnly = ({ children }: { children: ReactNode }) => {
  const t = useText();
  const { choose, language } = useLanguage();
  const { pathname, search } = useLocation();
  const queries = useQueryClient();
  const [wanted, setWanted] = useState(currentTeam);
  const { data, error, refetch } = entrance.useQuery('entrance.who', {}, { keepPrevious: true });
  const me = data?.me;
  const team = me ? teamOf(me, wanted) : undefined;
  // Set during rendering, because the components below send the team's id with their first queries.
  if (team && currentTeam() !== team.tenant_id) setCurrentTeam(team.tenant_id);

  const ownLanguage = me?.language;
  useEffect(() => {
    if (ownLanguage !== undefined && ownLanguage !== language) choose(ownLanguage);
    // Not when `language` changes: that is the person's own choice in this browser.
  }, [ownLanguage]);

  const signedIn = useMemo<SignedIn | undefined>(
    () =>
      me && team
        ? {
            me,
            team,
            may: (permission) => team.may.includes(permission),
            switchTeam: (tenantId) => {
              setCurrentTeam(tenantId);
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
  if (!signedIn) return <Navigate to={`/sign-in?next=${encodeURIComponent(`${pathname}${search}`)}`} replace />;
  return <SignedInContext value={signedIn}>{children}</SignedInContext>;
};

/** Whether the team's plan includes the API, and with it webhooks and CRM syncs. */
export const useHasApi = (): boolean => useSignedIn().team.has_api;

/** Says what happens to CRM connections or webhooks while the team's plan does not include the API. */
export const NoApiNotice = ({ about }: { about: 'crm' | 'webhooks' }) => {
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
        {effects[about]}{' '}
        {t('Den Tarif ändert der Betreiber der Plattform.', 'The operator of the platform changes the plan.')}
      </Text>
    </Notice>
  );
};
