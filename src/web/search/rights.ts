import { keyCreation } from '../pages/keys/rights.ts';
import { sectionsFor, type Section } from '../pages/settings/rights.ts';
import { seesOthers, type May } from '../session/may.ts';

interface ShownTeam {
  readonly has_api: boolean;
  readonly privacy: { readonly member_detail: boolean };
}

type Creation = '/members' | '/assignments' | '/keys' | '/webhooks';

/** The pages whose button for a new object the search offers: those on which the reader sees it. */
export const canCreate = (may: May, { has_api: hasApi }: ShownTeam): Readonly<Record<Creation, boolean>> => ({
  '/members': may('admin'),
  '/assignments': may('admin'),
  '/keys': may('admin') && keyCreation(hasApi, may) === 'allowed',
  '/webhooks': may('admin') && hasApi,
});

/** The sections of the settings that the search offers. */
export const settingsFor = (may: May): readonly Section[] => (may('admin') ? sectionsFor(may) : []);

/** Whether the search offers lists of people that depend on their practice. */
export const findsPeople = (may: May, { privacy }: ShownTeam): boolean => seesOthers(may, privacy);
