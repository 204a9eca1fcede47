import type { Language } from '../../core/language.ts';
import { letter } from '../mail/service.ts';
import type { MailBody } from '../mail/service.ts';

interface HandedOver {
  teamName: string;
  /** Who had the team, and who has it now: by name, or by address. */
  former: string;
  owner: string;
  link: string;
}

/** For who gets the team, and for who gave it. */
type Kind = 'received' | 'given';
type Words = Omit<HandedOver, 'link'>;
type Parts = Record<'subject' | 'lead' | 'action' | 'ending', string>;

const texts: Readonly<Record<Language, Record<Kind, (words: Words) => Parts>>> = {
  de: {
    received: ({ teamName, former }) => ({
      subject: `Das Team „${teamName}“ gehört jetzt Ihnen`,
      lead: `${former} hat Ihnen das Team „${teamName}“ übergeben.`,
      action: 'Team ansehen',
      ending: 'Sie haben jetzt alle Rechte im Team und können sie anderen geben.',
    }),
    given: ({ teamName, owner }) => ({
      subject: `Sie haben das Team „${teamName}“ übergeben`,
      lead: `Das Team „${teamName}“ gehört jetzt ${owner}. Sie verwalten es weiterhin mit.`,
      action: 'Team ansehen',
      ending: `Wenn Sie das nicht selbst waren, wenden Sie sich sofort an ${owner} oder an den Support.`,
    }),
  },
  en: {
    received: ({ teamName, former }) => ({
      subject: `The team “${teamName}” is now yours`,
      lead: `${former} handed the team “${teamName}” over to you.`,
      action: 'Look at the team',
      ending: 'You now have every right in the team and can give them to others.',
    }),
    given: ({ teamName, owner }) => ({
      subject: `You handed over the team “${teamName}”`,
      lead: `The team “${teamName}” now belongs to ${owner}. You remain one of its admins.`,
      action: 'Look at the team',
      ending: `If this was not you, contact ${owner} or the support at once.`,
    }),
  },
};

export const handOverMail = (language: Language, kind: Kind, { link, ...words }: HandedOver): MailBody =>
  letter(language, { ...texts[language][kind](words), link });
