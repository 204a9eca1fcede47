import type { CountedKind, Overview } from '../../../modules/overview/schema.ts';
import type { Tone } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';
import { connectionName } from '../crm/connection-name.ts';
import { healthWords } from '../webhooks/health-words.ts';
import {
  endingInvitationsText,
  expiredInvitationsText,
  failedMailsText,
  overdueAssignmentsText,
  shareText,
} from './figures.ts';

export type Matter = Overview['attention'][number];

export interface MatterWords {
  /** The page where the matter can be solved. Null: the list is closed while member-level data is hidden. */
  to: string | null;
  name: string;
  tone: Tone;
  state: string;
  /** The text of the button that leads to `to`. */
  action: string;
}

const view = (): string => t('Ansehen', 'View');

const requests = ({ answer, count: found, requests: all }: Extract<Matter, { kind: 'requests' }>): MatterWords => {
  const words = {
    failed: { status: '5xx', tone: 'bad', name: t('Fehler der API (5xx)', 'API errors (5xx)') },
    limited: { status: '429', tone: 'warn', name: t('Rate-Limit (429)', 'Rate limited (429)') },
    refused: { status: '4xx', tone: 'warn', name: t('Abgelehnte Anfragen (4xx)', 'Rejected requests (4xx)') },
  } as const;
  const { status, tone, name } = words[answer];
  return { to: `/requests?status=${status}`, name, tone, state: shareText(found, all), action: view() };
};

const counted = (kind: CountedKind, found: number, showsPeople: boolean): MatterWords => {
  const words: Readonly<Record<CountedKind, () => MatterWords>> = {
    mails_failed: () => ({
      to: '/settings/limits',
      name: failedMailsText(found),
      tone: 'warn',
      state: t('Fehlgeschlagen', 'Failed'),
      action: view(),
    }),
    invitations_expired: () => ({
      to: '/members?status=invited',
      name: expiredInvitationsText(found),
      tone: 'warn',
      state: t('Abgelaufen', 'Expired'),
      action: t('Erneut senden', 'Resend'),
    }),
    invitations_ending: () => ({
      to: '/members?status=invited',
      name: endingInvitationsText(found),
      tone: 'warn',
      state: t('Läuft ab', 'Expires'),
      action: t('Erneut senden', 'Resend'),
    }),
    assignments_overdue: () => ({
      to: showsPeople ? '/assignments?overdue=true' : null,
      name: overdueAssignmentsText(found),
      tone: 'bad',
      state: t('Überfällig', 'Overdue'),
      action: t('Erinnern', 'Remind'),
    }),
  };
  return words[kind]();
};

/** A matter in words, with the page where it can be solved. */
export const matterWords = (matter: Matter, showsPeople: boolean): MatterWords => {
  if (matter.kind === 'endpoint_paused' || matter.kind === 'endpoint_failing') {
    return {
      to: `/webhooks/${matter.endpoint_id}`,
      name: matter.url,
      tone: 'bad',
      state: healthWords()[matter.kind === 'endpoint_paused' ? 'paused' : 'failing'][1],
      action: view(),
    };
  }
  if (matter.kind === 'crm_refused' || matter.kind === 'crm_failing') {
    const isRefused = matter.kind === 'crm_refused';
    return {
      to: `/crm/${matter.connection_id}`,
      name: connectionName(matter),
      tone: isRefused ? 'bad' : 'warn',
      state: isRefused
        ? t('Zugangsdaten abgelehnt', 'Credentials rejected')
        : t('Abgleich fehlgeschlagen', 'Sync failed'),
      action: view(),
    };
  }
  if (matter.kind === 'key_reported') {
    return {
      to: `/keys/${matter.key_id}`,
      name: matter.name,
      tone: 'bad',
      state: t('Als gefunden gemeldet', 'Reported as found'),
      action: t('Ersetzen', 'Replace'),
    };
  }
  if (matter.kind === 'key_expiring') {
    return {
      to: `/keys/${matter.key_id}`,
      name: matter.name,
      tone: 'warn',
      state: t('Läuft ab', 'Expires'),
      action: t('Ersetzen', 'Replace'),
    };
  }
  if (matter.kind === 'requests') {
    return requests(matter);
  }
  if (matter.kind === 'seats_full') {
    return {
      to: '/members',
      name: t('Alle Plätze sind belegt', 'All seats are taken'),
      tone: 'warn',
      state: t('Voll', 'Full'),
      action: view(),
    };
  }
  return counted(matter.kind, matter.count, showsPeople);
};

const isOfPeople = ({ kind }: Matter): boolean => kind === 'assignments_overdue';

/** The matters of people and those of programs, each with the most urgent first. */
export const bySubject = (matters: readonly Matter[]) => ({
  ofPeople: matters.filter(isOfPeople),
  ofPrograms: matters.filter((matter) => !isOfPeople(matter)),
});
