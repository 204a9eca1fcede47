import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import { versionsPagePath } from '../../core/product.ts';
import type { Retirement } from '../../core/product.ts';
import { letter } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';

/** A key of the team that was used lately, and what the request log has of it. */
export interface UsedKey {
  name: string;
  prefix: string;
  lastUsedAt: Date;
  /** Methods and routes; none where the log keeps no request of the key any more. */
  routes: readonly string[];
}

interface Notice {
  /** As in the path: `v1`. */
  version: string;
  retirement: Retirement;
  teamName: string;
  keys: readonly UsedKey[];
  publicUrl: string;
}

const most = { keys: 20, routes: 12 };

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

interface Words {
  lead: (words: { version: string; teamName: string; since: string; end: string | undefined }) => string;
  lastUsed: (day: string) => string;
  more: (count: number) => string;
  action: string;
  ending: string;
}

const texts: Readonly<Record<Language, Words>> = {
  de: {
    lead: ({ version, teamName, since, end }) =>
      `Die Version ${version} der Team Customer API gilt ab dem ${since} als veraltet${end === undefined ? '' : ` und antwortet ab dem ${end} möglicherweise nicht mehr`}. Das Team „${teamName}“ nutzt sie mit den folgenden API-Schlüsseln. Bitte stellen Sie die zugehörigen Anwendungen rechtzeitig auf die neue Version um.`,
    lastUsed: (day) => `zuletzt verwendet am ${day}`,
    more: (count) => `und ${count} weitere`,
    action: 'Informationen zur Umstellung',
    ending:
      'API-Schlüssel und Kontingente bleiben bei der Umstellung dieselben. Jede einzelne Anfrage eines API-Schlüssels finden Sie in der App unter „Anfragen“.',
  },
  en: {
    lead: ({ version, teamName, since, end }) =>
      `Version ${version} of the Team Customer API is deprecated as of ${since}${end === undefined ? '' : ` and may stop answering on ${end}`}. The team “${teamName}” uses it with the API keys below. Please move the applications that use them to the new version in time.`,
    lastUsed: (day) => `last used on ${day}`,
    more: (count) => `and ${count} more`,
    action: 'How to move to the new version',
    ending:
      'Keys and budgets stay the same in the new version. The request log in the app shows every request of a key.',
  },
};

/** Names the first of a list and counts the others. */
const cut = (list: readonly string[], first: number, more: (count: number) => string): string[] =>
  list.length <= first ? [...list] : [...list.slice(0, first), more(list.length - first)];

/** The mail to an admin: what ends and when, and which of the team's keys use it for what. */
export const noticeMail = (
  language: Language,
  { version, retirement, teamName, keys, publicUrl }: Notice,
): MailContent => {
  const { lead, lastUsed, more, action, ending } = texts[language];
  const day = (time: Date) => time.toLocaleDateString(locale[language], { dateStyle: 'long', timeZone: 'UTC' });
  const lines = keys.map(({ name, prefix, lastUsedAt, routes }) => {
    const use = routes.length === 0 ? lastUsed(day(lastUsedAt)) : cut(routes, most.routes, more).join(', ');
    return `${quotable(name)} (svck_live_${prefix}…): ${use}`;
  });
  const { deprecatedAt, sunsetAt, successorUrl } = retirement;
  return letter(language, {
    lead: lead({
      version,
      teamName: quotable(teamName),
      since: day(deprecatedAt),
      end: sunsetAt && day(sunsetAt),
    }),
    list: cut(lines, most.keys, more),
    action,
    ending,
    link: successorUrl ?? `${publicUrl}${versionsPagePath}`,
  });
};
