import type { Language } from '../../core/language.ts';
import { letter } from '../mail/service.ts';
import type { MailBody } from '../mail/service.ts';

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
type Words = { teamName: string; url: string; since: string; pauseAt: string; reason: string };
type Parts = Record<'subject' | 'lead' | 'action' | 'ending', string>;

const texts: Readonly<Record<Language, Record<Kind, (words: Words) => Parts>>> = {
  de: {
    warned: ({ teamName, url, since, pauseAt, reason }) => ({
      subject: `Webhook-Endpunkt des Teams „${teamName}“ antwortet nicht`,
      lead: `Seit dem ${since} ist keine Zustellung an ${url} gelungen. ${reason}`,
      action: 'Zustellungen ansehen',
      ending: `Gelingt bis zum ${pauseAt} keine, wird der Endpunkt pausiert: Ereignisse werden ihm dann nicht mehr zugestellt.`,
    }),
    paused: ({ teamName, url, since, reason }) => ({
      subject: `Webhook-Endpunkt des Teams „${teamName}“ wurde pausiert`,
      lead: `Seit dem ${since} ist keine Zustellung an ${url} gelungen, deshalb ist der Endpunkt jetzt pausiert. ${reason}`,
      action: 'Endpunkt prüfen und wieder aktivieren',
      ending:
        'Was bis dahin geschieht, wird ihm nicht zugestellt. Nach der Reaktivierung können Sie verpasste Ereignisse nachholen.',
    }),
  },
  en: {
    warned: ({ teamName, url, since, pauseAt, reason }) => ({
      subject: `A webhook endpoint of the team “${teamName}” does not answer`,
      lead: `No delivery to ${url} has succeeded since ${since}. ${reason}`,
      action: 'Look at the deliveries',
      ending: `If none succeeds until ${pauseAt}, the endpoint is paused: events are no longer delivered to it.`,
    }),
    paused: ({ teamName, url, since, reason }) => ({
      subject: `A webhook endpoint of the team “${teamName}” was paused`,
      lead: `No delivery to ${url} has succeeded since ${since}, so the endpoint is paused now. ${reason}`,
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

/** What an admin is told of an endpoint that nothing reaches. */
export const silenceMail = (
  language: Language,
  kind: Kind,
  { teamName, url, since, pauseAt, reason, link }: Silence,
): MailBody => {
  const time = (at: Date) =>
    at.toLocaleString(locale[language], { ...written, timeZone: 'Europe/Berlin', timeZoneName: 'short' });
  const words = {
    teamName,
    url,
    since: time(since),
    pauseAt: time(pauseAt),
    reason: reason === null ? '' : said[language](reason),
  };
  return letter(language, { ...texts[language][kind](words), link });
};
