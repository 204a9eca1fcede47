import type { OwnCompanySignInState } from '../../../modules/company-sign-in/schema.ts';
import type { May } from '../../session/may.ts';

export type Section =
  | 'team'
  | 'privacy'
  | 'reminders'
  | 'company-account'
  | 'required-sign-in'
  | 'directory'
  | 'plan'
  | 'limits'
  | 'export';

/** Whether the reader may export the data of the team. */
export const mayExport = (may: May): boolean => may('owner');

/** The sections that only the owner and admins with the permission for API keys may open. */
const closed: readonly Section[] = ['company-account', 'required-sign-in'];

/** The sections that the page lists for the reader, from top to bottom. A closed section says who can open it. */
export const listedFor = (may: May): readonly Section[] => [
  'team',
  'privacy',
  'reminders',
  ...closed,
  ...(may('admin') ? (['directory'] as const) : []),
  'plan',
  'limits',
  ...(mayExport(may) ? (['export'] as const) : []),
];

/** The address of a section. The first section has the address of the settings. */
export const addressOf = (section: Section): string => (section === 'team' ? '/settings' : `/settings/${section}`);

/** The sections whose content the reader sees. */
export const sectionsFor = (may: May): readonly Section[] =>
  listedFor(may).filter((section) => may('keys') || !closed.includes(section));

type SignInWays = Pick<OwnCompanySignInState, 'way'> & {
  provider: Pick<NonNullable<OwnCompanySignInState['provider']>, 'enabled'> | null;
  domains: readonly Pick<OwnCompanySignInState['domains'][number], 'proven'>[];
};

/** Whether members can sign in with the company account. */
export const isUsable = ({ provider, domains }: Pick<SignInWays, 'provider' | 'domains'>): boolean =>
  provider?.enabled === true && domains.some(({ proven }) => proven);

/** The demands that the reader can set: those that their own session meets, if members can sign in like this. */
export const demandsFor = (state: SignInWays): Readonly<Record<OwnCompanySignInState['demand'], boolean>> => ({
  none: true,
  second_factor: state.way !== 'password',
  company: isUsable(state) && state.way === 'company',
});
