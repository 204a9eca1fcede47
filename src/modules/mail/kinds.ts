import type { Language } from '../../core/language.ts';

/** What a mail is counted against: mails of one budget never use up another's. */
export type MailBudget = 'invitation' | 'assignment' | 'notice' | 'reset';

interface Kind {
  budget: MailBudget;
  subject: Readonly<Record<Language, string>>;
}

/**
 * Every kind of mail, with its subject. A subject is a fixed text and holds nothing that a caller wrote: it is what people see
 * before they decide whom to trust.
 */
export const mailKinds = {
  invitation: { budget: 'invitation', subject: { de: 'Einladung in ein Team', en: 'Invitation to a team' } },
  assignment_given: {
    budget: 'assignment',
    subject: { de: 'Sie haben eine neue Aufgabe', en: 'You have a new assignment' },
  },
  team_created: { budget: 'notice', subject: { de: 'Ihr Team ist eingerichtet', en: 'Your team is ready' } },
  team_ended: { budget: 'notice', subject: { de: 'Ihr Team wurde beendet', en: 'Your team has ended' } },
  keys_expiring: { budget: 'notice', subject: { de: 'API-Schlüssel laufen ab', en: 'API keys are about to expire' } },
  team_received: { budget: 'notice', subject: { de: 'Ein Team gehört jetzt Ihnen', en: 'A team is now yours' } },
  team_handed_over: {
    budget: 'notice',
    subject: { de: 'Sie haben ein Team übergeben', en: 'You handed over a team' },
  },
  webhook_endpoint_warned: {
    budget: 'notice',
    subject: { de: 'Ein Webhook-Endpunkt antwortet nicht', en: 'A webhook endpoint does not answer' },
  },
  webhook_endpoint_paused: {
    budget: 'notice',
    subject: { de: 'Ein Webhook-Endpunkt wurde pausiert', en: 'A webhook endpoint was paused' },
  },
  webhook_deliveries_given_up: {
    budget: 'notice',
    subject: { de: 'Webhook-Zustellungen wurden aufgegeben', en: 'Webhook deliveries were given up' },
  },
  api_version_deprecated: {
    budget: 'notice',
    subject: { de: 'Eine Version der API wird abgelöst', en: 'A version of the API is being replaced' },
  },
  password_reset: { budget: 'reset', subject: { de: 'Neues Passwort festlegen', en: 'Set a new password' } },
} as const satisfies Readonly<Record<string, Kind>>;

export type MailKind = keyof typeof mailKinds;
