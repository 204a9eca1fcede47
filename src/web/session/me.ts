import { createContext, useContext } from 'react';
import type { entranceRouter } from '../../modules/sessions/app.ts';
import type { inferRouterOutputs } from '@trpc/server';

type Answers = inferRouterOutputs<typeof entranceRouter>;
export type Me = NonNullable<Answers['entrance']['who']['me']>;
export type Membership = Me['teams'][number];
export type Need = Membership['may'][number];

export interface Here {
  me: Me;
  /** The team that this tab is about. */
  team: Membership;
  may: (need: Need) => boolean;
  /** Looks at another of one's teams. */
  goTo: (tenantId: string) => void;
}

export const HereContext = createContext<Here | undefined>(undefined);

/** Who is signed in and where; only below the sign-in. */
export const useHere = (): Here => {
  const here = useContext(HereContext);
  if (!here) throw new Error('useHere is for pages behind the sign-in');
  return here;
};

/** Whether the team's plan includes the API, and with it webhooks and syncs of CRMs. */
export const useHasApi = (): boolean => useHere().team.has_api;
