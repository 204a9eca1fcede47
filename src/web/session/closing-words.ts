import { t } from '../language/texts.ts';

// Texts for people whose session does not suffice for a team, now or soon.

type Demand = 'second_factor' | 'company';

/** The notice that a team will demand more from a certain time on. `rest` is the text after that time. */
export const closingTexts = (demand: Demand): { title: string; rest: string } =>
  demand === 'company'
    ? {
        title: t('Ihr Team verlangt bald das Firmenkonto', 'Your team will soon require the company account'),
        rest: t(
          ' öffnet sich das Team nur noch mit dem Firmenkonto.',
          ' on, the team opens only with the company account.',
        ),
      }
    : {
        title: t('Ihr Team verlangt bald einen zweiten Faktor', 'Your team will soon require a second factor'),
        rest: t(
          ' öffnet sich das Team nur noch mit einem zweiten Faktor oder einem Passkey.',
          ' on, the team opens only with a second factor or a passkey.',
        ),
      };

/** Says why a team can't be opened with this session. */
export const closedText = (name: string, demand: Demand): string =>
  demand === 'company'
    ? t(`„${name}“ verlangt das Firmenkonto.`, `“${name}” requires the company account.`)
    : t(
        `„${name}“ verlangt die Zwei-Faktor-Authentifizierung oder einen Passkey.`,
        `“${name}” requires two-factor authentication or a passkey.`,
      );
