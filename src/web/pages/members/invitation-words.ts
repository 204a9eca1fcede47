import type { InvitationResult } from '../../../modules/members/schema.ts';
import type { Tone } from '../../kit/page/tones.ts';
import { number, waitInWords } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';
import { languageOf, maxExternalId, type LineError, type ReviewedLine } from './invitation-list.ts';

// The faults of lines in a pasted list of invitations, and the outcome of each invitation.

/** Whether nothing is left to do for a line with this error. */
export const isNoMistake = (error: LineError): boolean =>
  error === 'member' || error === 'invited' || error === 'waiting' || error === 'twice';

/** Whether the reader can correct the line here. */
export const isCorrectable = ({ error }: Pick<ReviewedLine, 'error'>): boolean =>
  error !== undefined && error !== 'too many' && !isNoMistake(error);

/** The text below a line. At most `max` people can be invited at once. */
export const errorTexts =
  (max: number): ((line: Omit<ReviewedLine, 'place'>) => string) =>
  ({ error, sameAs, email, role, lang }) => {
    const words: Readonly<Record<LineError, string>> = {
      'no at': t('Keine E-Mail-Adresse: Das @ fehlt', 'Not an email address: the @ is missing'),
      blank: t('Ungültige E-Mail-Adresse: enthält ein Leerzeichen', 'Invalid email address: it contains a space'),
      'local part': /[^\0-\x7f]/.test(email.slice(0, email.lastIndexOf('@')))
        ? t(
            'Vor dem @ sind keine Umlaute oder Sonderzeichen möglich',
            'Umlauts and accents aren’t possible before the @',
          )
        : t('Prüfen Sie den Teil vor dem @', 'Check the part before the @'),
      domain: t(
        'Prüfen Sie den Teil nach dem @, zum Beispiel firma.de',
        'Check the part after the @, such as example.com',
      ),
      length: t('Ungültige E-Mail-Adresse: zu lang', 'Invalid email address: too long'),
      role: t(`Unbekannte Rolle: ${role}`, `Unknown role: ${role}`),
      lang: t(`Unbekannte Sprache: ${lang}`, `Unknown language: ${lang}`),
      external_id: t(
        `Externe ID zu lang: höchstens ${maxExternalId} Zeichen`,
        `External ID too long: at most ${maxExternalId} characters`,
      ),
      'external_id twice': t(
        `Externe ID doppelt, siehe Zeile ${sameAs}`,
        `External ID is a duplicate of line ${sameAs}`,
      ),
      twice: t(`Doppelter Eintrag, siehe Zeile ${sameAs}`, `Duplicate of line ${sameAs}`),
      member: t('Bereits Mitglied', 'Already a member'),
      invited: t('Bereits eingeladen', 'Already invited'),
      waiting: t('Einladung wartet bereits', 'Invitation already queued'),
      'too many': t(`Mehr als ${number(max)} auf einmal`, `More than ${number(max)} at once`),
    };
    return error === undefined ? '' : words[error];
  };

/** The name of the language for a word: of the team's language for an empty word. An unknown word stays as it is. */
export const languageName = (word: string): string => {
  const names = {
    '': t('Sprache des Teams', 'Team language'),
    de: t('Deutsch', 'German'),
    en: t('Englisch', 'English'),
  };
  const read = languageOf(word);
  return read === undefined ? word : names[read ?? ''];
};

interface OutcomeWords {
  tone: Tone;
  word: string;
  /** The meaning of the result, or the next step. */
  advice?: string;
}

export const outcomeText = ({
  outcome,
  retry_after,
}: Pick<InvitationResult, 'outcome' | 'retry_after'>): OutcomeWords => {
  const limitReached = t(
    'Das Limit für Einladungen pro Stunde oder E-Mails pro Tag ist erreicht.',
    'The limit for invitations per hour or emails per day is reached.',
  );
  const words: Readonly<Record<InvitationResult['outcome'], OutcomeWords>> = {
    invited: { tone: 'good', word: t('Eingeladen', 'Invited') },
    waiting: {
      tone: 'info',
      word: t('Wird später gesendet', 'Will be sent later'),
      advice: limitReached,
    },
    invalid: {
      tone: 'bad',
      word: t('Ungültige E-Mail-Adresse', 'Invalid email address'),
      advice: t('Das ist keine gültige E-Mail-Adresse.', 'This is not a valid email address.'),
    },
    conflict: {
      tone: 'plain',
      word: t('Bereits im Team', 'Already in the team'),
      advice: t('Diese Person ist bereits Mitglied oder eingeladen.', 'This person is already a member or invited.'),
    },
    external_id_taken: {
      tone: 'bad',
      word: t('Externe ID vergeben', 'External ID taken'),
      advice: t(
        'Ein anderes Mitglied oder eine wartende Einladung hat diese externe ID. Die Person wurde nicht eingeladen.',
        'Another member or a waiting invitation has this external ID. The person was not invited.',
      ),
    },
    seat_limit_reached: {
      tone: 'bad',
      word: t('Kein Platz frei', 'No seat available'),
      advice: t(
        'Alle Plätze sind belegt. Entfernen Sie ein Mitglied oder ziehen Sie eine Einladung zurück.',
        'All seats are taken. Remove a member or withdraw an invitation.',
      ),
    },
    rate_limited: {
      tone: 'warn',
      word: t('Limit erreicht', 'Limit reached'),
      advice: limitReached,
    },
    insufficient_scope: {
      tone: 'bad',
      word: t('Nicht erlaubt', 'Not allowed'),
      advice: t(
        'Nur der Inhaber und aktive Admins können Admins einladen.',
        'Only the owner and active admins can invite admins.',
      ),
    },
  };

  const text = words[outcome];
  if (outcome !== 'waiting' || text.advice === undefined || retry_after === undefined) return text;
  const when = waitInWords(retry_after);
  return {
    ...text,
    advice: `${text.advice} ${t(`Die Einladung wird ${when} automatisch gesendet.`, `The invitation is sent automatically ${when}.`)}`,
  };
};

/** Whether nothing is left to do for a person, because the invitation was sent or waits. */
export const isSettled = (result: Pick<InvitationResult, 'outcome'> | undefined): boolean =>
  result?.outcome === 'invited' || result?.outcome === 'waiting';
