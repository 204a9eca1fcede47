import { escapeHtml } from '../../core/html.ts';
import type { Language } from '../../core/language.ts';
import type { MailBody } from '../mail/service.ts';

interface Invitation {
  teamName: string;
  link: string;
  expiresAt: Date;
}

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const texts: Readonly<
  Record<
    Language,
    (invitation: { teamName: string; until: string }) => Record<'subject' | 'lead' | 'action' | 'ending', string>
  >
> = {
  de: ({ teamName, until }) => ({
    subject: `Einladung in das Team „${teamName}“`,
    lead: `Sie sind eingeladen, im Team „${teamName}“ Verkaufsgespräche zu üben.`,
    action: 'Einladung annehmen',
    ending: `Der Link gilt bis ${until}. Wenn Sie die Einladung nicht erwartet haben, können Sie diese Mail ignorieren.`,
  }),
  en: ({ teamName, until }) => ({
    subject: `Invitation to the team “${teamName}”`,
    lead: `You are invited to practise sales conversations in the team “${teamName}”.`,
    action: 'Accept the invitation',
    ending: `The link is valid until ${until}. If you did not expect this invitation, you can ignore this mail.`,
  }),
};

/** A mail's subject is one line, whatever a team is called. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

export const invitationMail = (language: Language, { teamName, link, expiresAt }: Invitation): MailBody => {
  const until = expiresAt.toLocaleDateString(locale[language], { dateStyle: 'long', timeZone: 'Europe/Berlin' });
  const { subject, lead, action, ending } = texts[language]({ teamName, until });
  return {
    subject: oneLine(subject),
    text: `${lead}\n\n${action}:\n${link}\n\n${ending}\n`,
    html: `<!doctype html><html lang="${language}"><body><p>${escapeHtml(lead)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p><p>${escapeHtml(ending)}</p></body></html>`,
  };
};
