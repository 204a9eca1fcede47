import type { OwnCompanySignInState } from '../../../modules/company-sign-in/schema.ts';
import { number } from '../../kit/text/figures.ts';
import { dayInWords, toLocalInput } from '../../kit/text/dates.ts';
import { t } from '../../language/texts.ts';
import { concernedText, mailedText, unreadyOf } from './figures.ts';

type Demand = OwnCompanySignInState['demand'];
type Strict = Exclude<Demand, 'none'>;

export const demandNames = (): Readonly<Record<Demand, string>> => ({
  none: t('Beliebige Methode', 'Any method'),
  second_factor: t(
    'Zwei-Faktor-Authentifizierung, Passkey oder Firmenkonto',
    'Two-factor authentication, passkey or company account',
  ),
  company: t('Nur das Firmenkonto', 'Company account only'),
});

/** The demands as the object of a sentence. */
const objects = (): Readonly<Record<Strict, string>> => ({
  second_factor: t('einen zweiten Faktor', 'a second factor'),
  company: t('das Firmenkonto', 'the company account'),
});

/** The question before a demand is set, without the function that sets it. */
interface DemandQuestion {
  title: string;
  consequences?: string;
  points?: readonly (string | undefined)[];
  typed?: string;
  again?: string;
  action: string;
  harmless?: boolean;
  done: string;
}

/** When a policy can take effect: after a number of days, on another day, or at once. */
export const starts = ['14', '7', 'day', 'now'] as const;
export type DemandStart = (typeof starts)[number];

/** The reader's day after this number of days, in the form of a date field. */
const localDayIn = (days: number, now: Date): string => {
  const day = new Date(now);
  day.setDate(now.getDate() + days);
  return toLocalInput(day).slice(0, 10);
};

/** The first and the last day on which a policy can take effect. */
export const daysToChoose = (now = new Date()) => ({ min: localDayIn(1, now), max: localDayIn(89, now) });

/** The chosen day; undefined: at once. `own`: the value of the date field. */
export const dayOf = (start: DemandStart, own: string, now = new Date()): string | undefined => {
  if (start === 'now') return undefined;
  return start === 'day' ? own : localDayIn(Number(start), now);
};

export const startText = (start: DemandStart, now = new Date()): string => {
  if (start === 'now') return t('sofort', 'now');
  if (start === 'day') return t('an einem anderen Tag', 'on another day');
  const day = dayInWords(dayOf(start, '', now) ?? '');
  return t(`ab ${day} (in ${start} Tagen)`, `from ${day} (in ${start} days)`);
};

/** The beginning of a day in the reader's time zone. */
export const startOf = (day: string): Date => new Date(`${day}T00:00`);

/**
 * The question before a policy is set. It says whom the policy concerns, and from when on. If `day` is undefined, the
 * policy takes effect at once.
 */
export const demandQuestion = (
  state: Pick<OwnCompanySignInState, 'readiness' | 'mails_left'>,
  { demand, day }: { demand: Demand; day: string | undefined },
): DemandQuestion => {
  if (demand === 'none') {
    return {
      title: t('Keine Anmeldemethode mehr verlangen?', 'Stop requiring a way to sign in?'),
      consequences: t('Dann genügt wieder das Passwort allein.', 'Then the password alone is enough again.'),
      action: t('Nicht mehr verlangen', 'Stop requiring'),
      done: t('Anmelderichtlinie gespeichert.', 'Sign-in policy saved.'),
    };
  }
  const unready = unreadyOf(state.readiness, demand);
  const isNow = day === undefined;
  const from = dayInWords(day ?? '');
  return {
    title: isNow
      ? t(`Ab sofort ${objects()[demand]} verlangen?`, `Require ${objects()[demand]} from now on?`)
      : t(`Ab ${from} ${objects()[demand]} verlangen?`, `Require ${objects()[demand]} from ${from}?`),
    points: [
      concernedText(unready, state.readiness.members, isNow),
      mailedText(unready, state.mails_left),
      unready > 0 && !isNow
        ? t('Bis dahin sehen sie einen Hinweis in der App.', 'Until then they see a notice in the app.')
        : undefined,
      demand === 'company'
        ? t('Der Inhaber kann sich weiterhin auch anders anmelden.', 'The owner can still sign in in another way.')
        : undefined,
      isNow ? undefined : t('Sie können das jederzeit aufheben.', 'You can call it off at any time.'),
    ],
    ...(isNow && unready > 0 && { typed: String(unready) }),
    ...(isNow &&
      unready > 10 && {
        again: t(
          `${number(unready)} Mitglieder jetzt wirklich aussperren?`,
          `Really shut out ${number(unready)} members now?`,
        ),
      }),
    action: isNow ? t('Ab sofort verlangen', 'Require now') : t('Planen', 'Schedule'),
    harmless: !isNow,
    done: isNow
      ? t('Anmelderichtlinie gespeichert.', 'Sign-in policy saved.')
      : t('Anmelderichtlinie geplant.', 'Sign-in policy scheduled.'),
  };
};
