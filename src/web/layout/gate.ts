import { t } from '../language/texts.ts';
import { mayExport } from '../pages/settings/rights.ts';
import type { May } from '../session/may.ts';

/**
 * Decides what is shown at the address of a page: the page, the notice that the team is not active, or the notice that
 * the reader lacks a role.
 */
export const gateFor = (
  needs: Parameters<May>[0] | 'signed-in',
  status: 'active' | 'suspended' | 'ended',
  may: May,
): 'page' | 'inactive' | 'refused' => {
  // One's own account needs no team.
  if (needs === 'signed-in') return 'page';
  if (status !== 'active') return 'inactive';
  return may(needs) ? 'page' : 'refused';
};

/** Says what the reader can do in a team that has ended, until its data is deleted. */
export const untilDeletedText = (may: May): string =>
  mayExport(may)
    ? t(
        'Bis dahin können Sie die Daten exportieren, und der Betreiber der Plattform kann das Team wieder freischalten.',
        'Until then you can export the data, and the platform operator can reactivate the team.',
      )
    : t(
        'Bis dahin kann der Betreiber der Plattform das Team wieder freischalten. Der Inhaber kann die Daten exportieren.',
        'Until then the platform operator can reactivate the team. The owner can export the data.',
      );
