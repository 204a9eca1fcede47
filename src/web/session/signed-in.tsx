import { Container } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { Navigate, Outlet, useLocation, useNavigate } from 'react-router';
import { Notice, ProblemAlert } from '../kit/page/messages.tsx';
import { chooseLanguage, t, useLanguage } from '../language/language.tsx';
import { forgetFrame } from '../layout/frame.ts';
import { PageLoading } from '../layout/loading.tsx';
import { useServerBack } from '../server/availability.ts';
import { api, app, entrance, type EntranceOutputs } from '../server/server.ts';
import { currentTeam, hasShownTeam, setCurrentTeam } from './current-team.ts';
import { setDraftOwner } from './drafts.ts';
import { signInFor } from './sign-in-address.ts';
import { teamOf } from './team-in-link.ts';

type Me = NonNullable<EntranceOutputs['entrance']['who']['me']>;
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

/** The state that is passed with a navigation to the sign-in page. */
export interface SignInState {
  /** Whether a person was signed in here, and their session has ended elsewhere or by itself. */
  hasEnded?: boolean;
  /** Whether the password was right, and only the second step is missing. */
  needsSecondStep?: boolean;
}

const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** The signed-in person and their current team. Only for components inside `SignedInOnly`. */
export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('useSignedIn is for pages that require signing in');
  return signedIn;
};

/** Shows its content to signed-in people who have a team. Redirects others to the sign-in, which leads back here. */
export const SignedInOnly = () => {
  const language = useLanguage();
  const location = useLocation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [wanted, setWanted] = useState(currentTeam);
  const { data, error, refetch } = useQuery(
    entrance.entrance.who.queryOptions({}, { placeholderData: keepPreviousData }),
  );
  const me = data?.me;
  const team = me ? teamOf(me, wanted) : undefined;
  // Set during rendering, because the components below send the team's id with their first queries.
  if (team && currentTeam() !== team.tenant_id) setCurrentTeam(team.tenant_id);
  if (team) setDraftOwner(team.member_id);

  const isSignedOut = data !== undefined && !me;
  useEffect(() => {
    if (isSignedOut) forgetFrame();
  }, [isSignedOut]);

  const ownLanguage = me?.language;
  const [hasLanguage, setHasLanguage] = useState(false);
  useEffect(() => {
    if (ownLanguage === undefined) return;
    if (ownLanguage !== language) chooseLanguage(ownLanguage);
    setHasLanguage(true);
    // The effect does not run when `language` changes, because that is the person's choice for this browser.
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
              queries.removeQueries(app.pathFilter());
              queries.removeQueries(api.pathFilter());
              void navigate('/');
            },
          }
        : undefined,
    [me, team, queries, navigate],
  );

  const isMissing = error !== null && data === undefined;
  useServerBack(isMissing, () => void refetch());

  if (isMissing) {
    return (
      <Container size="xs" py="xl">
        <ProblemAlert error={error} retry={() => void refetch()} />
      </Container>
    );
  }
  // In another language than the person's own, the page would load its data twice.
  if (!data || (me && !hasLanguage && ownLanguage !== language)) return <PageLoading />;
  if (!signedIn) {
    return <Navigate to={signInFor(location)} replace state={{ hasEnded: hasShownTeam() } satisfies SignInState} />;
  }
  return (
    <SignedInContext value={signedIn}>
      <Outlet />
    </SignedInContext>
  );
};

/** Whether the team's plan includes the API, and with it webhooks and CRM syncs. */
export const useHasApi = (): boolean => useSignedIn().team.has_api;

/** Explains the effect on CRM connections or webhooks while the team's plan does not include the API. */
export const NoApiNotice = ({ about }: { about: 'crm' | 'webhooks' }) => {
  if (useHasApi()) return null;
  const effects = {
    crm: t(
      'CRM-Verbindungen werden nicht abgeglichen. Vorhandene Deals und Einwände bleiben sichtbar.',
      'CRM connections are not synced. Existing deals and objections stay visible.',
    ),
    webhooks: t(
      'Neue Ereignisse werden nicht gesendet und können auch später nicht nachgeholt werden. Endpunkte können nicht angelegt oder getestet werden.',
      'New events are not sent and can’t be recovered later. Endpoints can’t be created or tested.',
    ),
  };
  return (
    <Notice tone="warn" title={t('Ihr Tarif enthält keinen API-Zugang', 'Your plan does not include API access')}>
      {effects[about]}{' '}
      {t(
        'Für einen Tarifwechsel wenden Sie sich an den Betreiber der Plattform.',
        'To change your plan, contact the platform operator.',
      )}
    </Notice>
  );
};
