import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import { letter } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';

interface Invitation {
  teamName: string;
  link: string;
  expiresAt: Date;
}

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const texts: Readonly<
  Record<Language, (invitation: { teamName: string; until: string }) => Record<'lead' | 'action' | 'ending', string>>
> = {
  de: ({ teamName, until }) => ({
    lead: `Sie sind eingeladen, im Team „${teamName}“ Verkaufsgespräche zu üben.`,
    action: 'Einladung annehmen',
    ending: `Der Link gilt bis ${until}. Wenn Sie die Einladung nicht erwartet haben, können Sie diese Mail ignorieren.`,
  }),
  en: ({ teamName, until }) => ({
    lead: `You are invited to practise sales conversations in the team “${teamName}”.`,
    action: 'Accept the invitation',
    ending: `The link is valid until ${until}. If you did not expect this invitation, you can ignore this mail.`,
  }),
};

export const invitationMail = (language: Language, { teamName, link, expiresAt }: Invitation): MailContent => {
  const until = expiresAt.toLocaleDateString(locale[language], { dateStyle: 'long', timeZone: 'Europe/Berlin' });
  return letter(language, { ...texts[language]({ teamName: quotable(teamName), until }), link });
};
