import type { Language } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import { letter } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';

interface Party {
  name: string | null;
  email: string;
}

interface HandedOver {
  teamName: string;
  former: Party;
  owner: Party;
  link: string;
}

/** For who gets the team, and for who gave it. */
type Kind = 'received' | 'given';
type Words = Record<'teamName' | 'former' | 'owner', string>;
type Parts = Record<'lead' | 'action' | 'ending', string>;

const texts: Readonly<Record<Language, Record<Kind, (words: Words) => Parts>>> = {
  de: {
    received: ({ teamName, former }) => ({
      lead: `${former} hat Ihnen das Team „${teamName}“ übergeben.`,
      action: 'Team ansehen',
      ending: 'Sie haben jetzt alle Rechte im Team und können sie anderen geben.',
    }),
    given: ({ teamName, owner }) => ({
      lead: `Das Team „${teamName}“ gehört jetzt ${owner}. Sie verwalten es weiterhin mit.`,
      action: 'Team ansehen',
      ending: `Wenn Sie das nicht selbst waren, wenden Sie sich sofort an ${owner} oder an den Support.`,
    }),
  },
  en: {
    received: ({ teamName, former }) => ({
      lead: `${former} handed the team “${teamName}” over to you.`,
      action: 'Look at the team',
      ending: 'You now have every right in the team and can give them to others.',
    }),
    given: ({ teamName, owner }) => ({
      lead: `The team “${teamName}” now belongs to ${owner}. You remain one of its admins.`,
      action: 'Look at the team',
      ending: `If this was not you, contact ${owner} or the support at once.`,
    }),
  },
};

/** A person by name, or else by an address that does not become a link. */
const called = ({ name, email }: Party): string => (name === null ? defanged(email) : quotable(name));

export const handOverMail = (
  language: Language,
  kind: Kind,
  { link, teamName, former, owner }: HandedOver,
): MailContent => {
  const words = { teamName: quotable(teamName), former: called(former), owner: called(owner) };
  return letter(language, { ...texts[language][kind](words), link });
};
