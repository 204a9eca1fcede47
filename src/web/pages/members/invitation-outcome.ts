import type { inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';
import type { Tone } from '../../kit/facts.tsx';
import { useWait } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';

export type InvitationResult = inferRouterOutputs<typeof appRouter>['members']['invite']['results'][number];

interface Words {
  tone: Tone;
  word: string;
  /** What it means, or what to do. */
  advice?: string;
}

/** What became of an invitation, in words. */
export const useOutcomeWords = (): ((result: InvitationResult) => Words) => {
  const t = useText();
  const inWords = useWait();
  const words: Readonly<Record<InvitationResult['outcome'], Words>> = {
    invited: { tone: 'good', word: t('Eingeladen', 'Invited') },
    invalid: {
      tone: 'bad',
      word: t('Keine Adresse', 'Not an address'),
      advice: t('Das ist keine gültige E-Mail-Adresse.', 'This is not a valid email address.'),
    },
    conflict: {
      tone: 'plain',
      word: t('Schon im Team', 'Already in the team'),
      advice: t(
        'Die Adresse gehört schon zum Team oder ist eingeladen.',
        'The address is in the team or invited already.',
      ),
    },
    seat_limit_reached: {
      tone: 'bad',
      word: t('Kein Platz frei', 'No seat free'),
      advice: t(
        'Alle Plätze sind belegt. Entfernen Sie jemanden oder ziehen Sie eine Einladung zurück.',
        'All seats are taken. Remove somebody or withdraw an invitation.',
      ),
    },
    rate_limited: {
      tone: 'warn',
      word: t('Limit erreicht', 'Limit reached'),
      advice: t(
        'Die Einladungen dieser Stunde oder die Mails dieses Tages sind verbraucht.',
        'The invitations of this hour or the mails of this day are used up.',
      ),
    },
    insufficient_scope: {
      tone: 'bad',
      word: t('Nicht erlaubt', 'Not allowed'),
      advice: t(
        'Admins einladen dürfen nur der Inhaber und aktive Admins.',
        'Only the owner and active admins may invite admins.',
      ),
    },
  };
  return ({ outcome, retry_after }) => {
    const said = words[outcome];
    if (said.advice === undefined || retry_after === undefined) return said;
    const when = inWords(retry_after);
    return { ...said, advice: `${said.advice} ${t(`Wieder möglich ${when}.`, `Possible again ${when}.`)}` };
  };
};
