import type { Language } from '../../core/language.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import { letter } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';

interface Silence {
  teamName: string;
  url: string;
  /** The first failed attempt since the last success. */
  since: Date;
  /** When it will be paused, if nothing succeeds until then. */
  pauseAt: Date;
  /** What the newest attempt said, if anything. */
  reason: string | null;
  link: string;
}

type Kind = 'warned' | 'paused';
type Words = { teamName: string; host: string; since: string; pauseAt: string; reason: string };
type Parts = Record<'lead' | 'action' | 'ending', string>;

const texts: Readonly<Record<Language, Record<Kind, (words: Words) => Parts>>> = {
  de: {
    warned: ({ teamName, host, since, pauseAt, reason }) => ({
      lead: `Im Team „${teamName}“ ist seit dem ${since} keine Zustellung an ${host} gelungen. ${reason}`,
      action: 'Zustellungen ansehen',
      ending: `Gelingt bis zum ${pauseAt} keine, wird der Endpunkt pausiert: Ereignisse werden ihm dann nicht mehr zugestellt.`,
    }),
    paused: ({ teamName, host, since, reason }) => ({
      lead: `Im Team „${teamName}“ ist seit dem ${since} keine Zustellung an ${host} gelungen, deshalb ist der Endpunkt jetzt pausiert. ${reason}`,
      action: 'Endpunkt prüfen und wieder aktivieren',
      ending:
        'Was bis dahin geschieht, wird ihm nicht zugestellt. Nach der Reaktivierung können Sie verpasste Ereignisse nachholen.',
    }),
  },
  en: {
    warned: ({ teamName, host, since, pauseAt, reason }) => ({
      lead: `In the team “${teamName}” no delivery to ${host} has succeeded since ${since}. ${reason}`,
      action: 'Look at the deliveries',
      ending: `If none succeeds until ${pauseAt}, the endpoint is paused: events are no longer delivered to it.`,
    }),
    paused: ({ teamName, host, since, reason }) => ({
      lead: `In the team “${teamName}” no delivery to ${host} has succeeded since ${since}, so the endpoint is paused now. ${reason}`,
      action: 'Check the endpoint and reactivate it',
      ending:
        'What happens until then is not delivered to it. After reactivating it you can recover the events that it missed.',
    }),
  },
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const written = { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

const said: Readonly<Record<Language, (reason: string) => string>> = {
  de: (reason) => `Der letzte Versuch: ${reason}`,
  en: (reason) => `The last attempt: ${reason}`,
};

/** Receivers have a say in the reason: names in their certificates, for instance. */
const reasonCharacters = 200;

/** What an admin is told of an endpoint that nothing reaches. */
export const silenceMail = (
  language: Language,
  kind: Kind,
  { teamName, url, since, pauseAt, reason, link }: Silence,
): MailContent => {
  const time = (at: Date) =>
    at.toLocaleString(locale[language], { ...written, timeZone: 'Europe/Berlin', timeZoneName: 'short' });
  const words = {
    teamName: quotable(teamName),
    host: defanged(new URL(url).host),
    since: time(since),
    pauseAt: time(pauseAt),
    reason: reason === null ? '' : said[language](quotable(reason, reasonCharacters)),
  };
  return letter(language, { ...texts[language][kind](words), link });
};
