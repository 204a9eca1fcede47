import type { OwnCompanySignInState } from '../../../modules/company-sign-in/schema.ts';
import { number } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';
import { concernedText, mailedText, unreadyOf } from './figures.ts';

type Demand = OwnCompanySignInState['demand'];
type Strict = Exclude<Demand, 'none'>;

/** The names of the sign-in policies. */
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

/** The question before a demand, without its action. */
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

/** The question before a policy is set. It says whom the policy concerns, and from when on. */
export const demandQuestion = (
  state: Pick<OwnCompanySignInState, 'readiness' | 'mails_left'>,
  { demand, days }: { demand: Demand; days: number },
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
  const isNow = days === 0;
  return {
    title: isNow
      ? t(`Ab sofort ${objects()[demand]} verlangen?`, `Require ${objects()[demand]} from now on?`)
      : t(`In ${days} Tagen ${objects()[demand]} verlangen?`, `Require ${objects()[demand]} in ${days} days?`),
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
    action: isNow ? t('Ab sofort verlangen', 'Require now') : t('Planen', 'Plan'),
    harmless: !isNow,
    done: isNow
      ? t('Anmelderichtlinie gespeichert.', 'Sign-in policy saved.')
      : t('Anmelderichtlinie geplant.', 'Sign-in policy planned.'),
  };
};
