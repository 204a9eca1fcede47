import { teamTimeZone } from '../../core/time-zone.ts';
import { escapeHtml } from '../../core/html.ts';
import { serviceName } from '../../core/product.ts';
import { locales, type ForEachLanguage, type Language, type Texts } from '../../core/language.ts';

// The template of all mails: their kinds and subjects, and how one is written in the reader's language, as text and as
// HTML. Each mail is defined with `mailTemplate` beside the rule that sends it.

/** The budget that a mail counts against. */
export type MailBudget = 'invitation' | 'assignment' | 'notice' | 'reset';

interface DeclaredMail {
  budget: MailBudget;
  subject: Texts;
}

/**
 * All kinds of mails. A subject is a fixed text, at most with a day, and has no text of a caller, because people decide
 * by it whether they trust the mail.
 */
export const mailKinds = {
  invitation: {
    budget: 'invitation',
    subject: { de: 'Einladung zum Üben von Verkaufsgesprächen', en: 'Invitation to practise sales conversations' },
  },
  assignment_given: {
    budget: 'assignment',
    subject: { de: 'Sie haben eine neue Aufgabe', en: 'You have a new assignment' },
  },
  assignment_reminder: {
    budget: 'assignment',
    subject: { de: 'Erinnerung an eine Aufgabe', en: 'Reminder of an assignment' },
  },
  team_created: { budget: 'notice', subject: { de: 'Ihr Team ist eingerichtet', en: 'Your team is ready' } },
  team_ended: { budget: 'notice', subject: { de: 'Ihr Team wurde beendet', en: 'Your team has ended' } },
  keys_expiring: { budget: 'notice', subject: { de: 'API-Schlüssel laufen ab', en: 'API keys are about to expire' } },
  key_reported: { budget: 'notice', subject: { de: 'Ein API-Schlüssel wurde gefunden', en: 'An API key was found' } },
  team_received: {
    budget: 'notice',
    subject: { de: 'Sie sind jetzt Inhaber eines Teams', en: 'You are now the owner of a team' },
  },
  team_handed_over: {
    budget: 'notice',
    subject: { de: 'Sie haben ein Team übergeben', en: 'You transferred a team' },
  },
  webhook_endpoint_warned: {
    budget: 'notice',
    subject: { de: 'Webhook-Zustellungen schlagen fehl', en: 'Webhook deliveries are failing' },
  },
  webhook_endpoint_paused: {
    budget: 'notice',
    subject: { de: 'Ein Webhook-Endpunkt wurde pausiert', en: 'A webhook endpoint was paused' },
  },
  webhook_deliveries_given_up: {
    budget: 'notice',
    subject: { de: 'Webhook-Zustellungen wurden abgebrochen', en: 'Webhook deliveries were canceled' },
  },
  api_version_deprecated: {
    budget: 'notice',
    subject: { de: 'Eine API-Version wird eingestellt', en: 'An API version is being retired' },
  },
  second_factor_demanded: {
    budget: 'notice',
    subject: { de: 'Ihr Team ändert die Anmeldung', en: 'Your team is changing how you sign in' },
  },
  company_account_demanded: {
    budget: 'notice',
    subject: { de: 'Ihr Team ändert die Anmeldung', en: 'Your team is changing how you sign in' },
  },
  second_factor_called_off: {
    budget: 'notice',
    subject: { de: 'Ihr Team ändert die Anmeldung doch nicht', en: 'Your team keeps how you sign in' },
  },
  company_account_called_off: {
    budget: 'notice',
    subject: { de: 'Ihr Team ändert die Anmeldung doch nicht', en: 'Your team keeps how you sign in' },
  },
  weekly_summary: { budget: 'notice', subject: { de: 'Die Woche Ihres Teams', en: 'Your team’s week' } },
  passkeys_changed: {
    budget: 'notice',
    subject: { de: 'Ihre Passkeys wurden geändert', en: 'Your passkeys were changed' },
  },
  password_reset: { budget: 'reset', subject: { de: 'Neues Passwort festlegen', en: 'Set a new password' } },
} as const satisfies Readonly<Record<string, DeclaredMail>>;

export type MailKind = keyof typeof mailKinds;

interface MailLink {
  action: string;
  link: string;
}

/** A part of a mail with a heading and links below it. */
interface MailSection {
  heading: string;
  points: readonly MailLink[];
}

/** The texts of a mail. Texts in them that a caller wrote are made `quotable` first. */
interface MailTexts {
  /** Added to the subject, such as the day by which something is due. */
  when?: string;
  lead: string;
  /** Points below the lead. */
  list?: readonly string[];
  sections?: readonly MailSection[];
  /** A link that is more important than the usual link of the mail. */
  first?: MailLink | undefined;
  /** The text of the link. */
  action: string;
  ending: string;
  /** The text of the link that ends mails of this kind, for kinds that the reader has chosen to get. */
  unsubscribe?: string;
}

interface MailContent {
  subject: string;
  text: string;
  html: string;
  /** The address that ends mails of this kind. Mail programs show a button for it. */
  unsubscribe?: string;
}

export interface NewMail {
  recipient: string;
  language: Language;
  kind: MailKind;
  content: MailContent;
}

/**
 * How days, times and numbers are written in a language. Days and times are in the time zone of Berlin, but a caller
 * may give another one for a day.
 */
const formatsOf = (language: Language) => {
  const locale = locales[language];
  return {
    day: (time: Date, timeZone = teamTimeZone) => time.toLocaleDateString(locale, { dateStyle: 'long', timeZone }),
    time: (time: Date, { withZone = false } = {}) =>
      time.toLocaleString(locale, {
        day: 'numeric',
        month: 'long',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        timeZone: teamTimeZone,
        ...(withZone && { timeZoneName: 'short' }),
      }),
    number: (value: number) => value.toLocaleString(locale),
  };
};
type Formats = ReturnType<typeof formatsOf>;

const formats: ForEachLanguage<Formats> = { de: formatsOf('de'), en: formatsOf('en') };

const listText = (points: readonly string[]): string =>
  points.length === 0 ? '' : `${points.map((point) => `- ${point}`).join('\n')}\n\n`;

const listHtml = (points: readonly string[]): string =>
  points.length === 0 ? '' : `<ul>${points.map((point) => `<li>${escapeHtml(point)}</li>`).join('')}</ul>`;

/** Styles are within each element, because many mail programs ignore style sheets. */
const styles = {
  page: 'margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  text: 'max-width:560px',
  product: 'margin:0 0 24px;font-weight:600',
  button:
    'display:inline-block;padding:10px 20px;border-radius:8px;background:#4355cc;color:#ffffff;font-weight:600;text-decoration:none',
  link: 'margin:24px 0',
  heading: 'margin:24px 0 0;font-weight:600',
} as const;

const document = (language: Language, content: string): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head><body style="${styles.page}"><div style="${styles.text}"><p style="${styles.product}">${serviceName}</p>${content}</div></body></html>`;

const linkText = ({ action, link }: MailLink): string => `${action}:\n${link}\n\n`;

const linkHtml = ({ action, link }: MailLink, { isButton }: { isButton: boolean }): string =>
  `<p style="${styles.link}"><a href="${escapeHtml(link)}"${isButton ? ` style="${styles.button}"` : ''}>${escapeHtml(action)}</a></p>`;

const sectionText = ({ heading, points }: MailSection): string =>
  `${heading}\n${points.map(({ action, link }) => `- ${action}\n  ${link}\n`).join('')}\n`;

const sectionHtml = ({ heading, points }: MailSection): string => {
  const items = points.map(({ action, link }) => `<li><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></li>`);
  return `<p style="${styles.heading}">${escapeHtml(heading)}</p>${items.length > 0 ? `<ul>${items.join('')}</ul>` : ''}`;
};

interface MailLinks {
  link: string;
  /** The address that ends mails of this kind. */
  end?: string | undefined;
}

/** Writes a mail as text and as HTML. Its most important link is a button. */
const writeMail = (
  kind: MailKind,
  language: Language,
  { when = '', lead, list = [], sections = [], first, action, ending, unsubscribe, link, end }: MailTexts & MailLinks,
): MailContent => {
  const own = { action, link };
  const links = (first ? linkHtml(first, { isButton: true }) : '') + linkHtml(own, { isButton: !first });
  const last = unsubscribe !== undefined && end !== undefined ? { action: unsubscribe, link: end } : undefined;
  const parts = [
    `<p>${escapeHtml(lead)}</p>`,
    listHtml(list),
    ...sections.map(sectionHtml),
    links,
    `<p>${escapeHtml(ending)}</p>`,
    last ? linkHtml(last, { isButton: false }) : '',
  ];
  return {
    subject: `${mailKinds[kind].subject[language]}${when}`,
    text: `${lead}\n\n${listText(list)}${sections.map(sectionText).join('')}${first ? linkText(first) : ''}${linkText(own)}${ending}\n${last ? `\n${linkText(last).trim()}\n` : ''}`,
    html: document(language, parts.join('')),
    ...(end !== undefined && { unsubscribe: end }),
  };
};

/**
 * Defines a mail by its texts in both languages. The result writes it for one reader, with a link to one of our own
 * addresses, and for some kinds with a link that ends mails of this kind:
 *
 *   const endedMail = mailTemplate<{ teamName: string }>('team_ended', { de: ({ teamName }) => ({ lead, action, ending }), en: … });
 *   await queueMails(tx, team, [endedMail(owner, link, { teamName })]);
 */
export const mailTemplate =
  <Values>(kind: MailKind, texts: ForEachLanguage<(values: Values, formats: Formats) => MailTexts>) =>
  ({ email, language }: { email: string; language: Language }, links: string | MailLinks, values: Values): NewMail => ({
    recipient: email,
    language,
    kind,
    content: writeMail(kind, language, {
      ...texts[language](values, formats[language]),
      ...(typeof links === 'string' ? { link: links } : links),
    }),
  });
