import type { Overview } from '../../../modules/overview/schema.ts';
import { t } from '../../language/texts.ts';
import type { May } from '../../session/may.ts';

type OverviewCounts = Pick<Overview, 'seats' | 'keys' | 'endpoints' | 'assignments' | 'latest_training_at'>;

interface FirstStep {
  done: boolean;
  to: string;
  name: string;
  about: string;
  action: string;
  /** Whether the step is for people who lead a team, not for developers. */
  isOfPeople: boolean;
}

/** Whether the team has not been used at all yet. */
export const isNewTeam = ({ seats, keys, endpoints, assignments, latest_training_at }: OverviewCounts): boolean =>
  seats.taken <= 1 &&
  keys.active === 0 &&
  keys.last_used_at === null &&
  endpoints.active + endpoints.paused + endpoints.disabled === 0 &&
  assignments.open === 0 &&
  latest_training_at === null;

/** The first steps of people who lead a team, then those of people who may create keys. */
export const stepsFor = (
  { seats, keys, endpoints, assignments, latest_training_at }: OverviewCounts,
  may: May,
): readonly FirstStep[] => {
  const people = [
    {
      done: seats.taken > 1,
      to: '/members',
      name: t('Laden Sie Ihr Team ein', 'Invite your team'),
      about: t(
        'Eingeladene können sofort nach der Annahme mit Trainings beginnen.',
        'Invited people can start trainings as soon as they accept.',
      ),
      action: t('Mitglieder einladen', 'Invite members'),
    },
    {
      done: assignments.open > 0 || latest_training_at !== null,
      to: '/assignments',
      name: t('Weisen Sie die erste Aufgabe zu', 'Create the first assignment'),
      about: t(
        'Die Empfänger erhalten eine E-Mail mit einem Link zur Aufgabe.',
        'Recipients get an email with a link to the assignment.',
      ),
      action: t('Aufgabe zuweisen', 'Create assignment'),
    },
    {
      done: latest_training_at !== null,
      to: '/analytics',
      name: t('Sehen Sie die erste Punktzahl', 'See the first score'),
      about: t(
        'Sie erscheint, sobald jemand ein Training abgeschlossen hat und es bewertet ist.',
        'It appears as soon as somebody has completed a training and it is scored.',
      ),
      action: t('Teamauswertung öffnen', 'Open analytics'),
    },
  ];
  const developers = [
    {
      done: keys.active > 0 || keys.last_used_at !== null,
      to: '/keys',
      name: t('Legen Sie einen API-Schlüssel an', 'Create an API key'),
      about: t(
        'Ihre Anwendungen erhalten damit Zugriff auf die Teamdaten.',
        'Your applications use it to access the team’s data.',
      ),
      action: t('API-Schlüssel öffnen', 'Open API keys'),
    },
    {
      done: keys.last_used_at !== null,
      to: '/developers',
      name: t('Senden Sie die erste Anfrage', 'Send the first request'),
      about: t('Der Schnellstart zeigt sie Schritt für Schritt.', 'The quick start shows it step by step.'),
      action: t('Schnellstart öffnen', 'Open quick start'),
    },
    {
      done: endpoints.active + endpoints.paused + endpoints.disabled > 0,
      to: '/webhooks',
      name: t('Richten Sie einen Webhook ein', 'Set up a webhook'),
      about: t(
        'Ihr Server wird benachrichtigt, sobald ein Training endet oder bewertet wird.',
        'Your server is notified as soon as a training ends or is scored.',
      ),
      action: t('Webhooks öffnen', 'Open webhooks'),
    },
  ];
  const ofPeople = people.map((step) => ({ ...step, isOfPeople: true }));
  const ofPrograms = developers.map((step) => ({ ...step, isOfPeople: false }));
  return may('keys') ? [...ofPeople, ...ofPrograms] : ofPeople;
};

/** Where this browser remembers that the steps of a team are hidden. */
export const hiddenStepsKey = (tenantId: string): string => `first-steps-hidden:${tenantId}`;
