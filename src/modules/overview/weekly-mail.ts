import { isId } from '../../core/ids.ts';
import { defanged, quotable } from '../../core/name-text.ts';
import { clockIn, teamTimeZone } from '../../core/time-zone.ts';
import { forTeam } from '../../db/row-security.ts';
import { inTransaction, type Platform, type Team } from '../../platform/team.ts';
import { actIn, teamName } from '../../platform/team-row.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import {
  awaitingWeeklyMail,
  chooseWeeklyMail,
  claimWeeklyMail,
  teamsAwaitingWeeklyMail,
} from '../membership/service.ts';
import { peopleMatters, type NamedMember, type PeopleMatters } from './people.ts';

// The weekly mail. The owner and the admins get it if they have turned it on. On Monday morning it reports who has to
// practise more, and what was done in the last week, by the rules of the overview. Each reader gets at most one a week,
// because the transaction that queues it also notes the Monday. If there is nothing to report, no mail is sent.

interface WeeklyMailValues extends PeopleMatters {
  name: string;
  now: Date;
  /** Turns a path of the app into a link. */
  linkTo: (path: string) => string;
}

/** The heading of a part of the mail, and the text of the link to the whole list in the app. */
interface SectionWords {
  heading: string;
  all: string;
}

const nameOf = ({ name, email }: NamedMember): string => (name === null ? defanged(email) : quotable(name));

/**
 * The parts that have something to report: people with links to their pages, and a link to the list of the app with all
 * of them.
 */
const sectionsOf = (
  { overdue, inactive, practised, linkTo }: WeeklyMailValues,
  number: (value: number) => string,
  words: Readonly<Record<keyof PeopleMatters, SectionWords>>,
) =>
  [
    { ...words.overdue, ...overdue, path: '/assignments?overdue=true' },
    { ...words.inactive, ...inactive, path: '/members?inactive=true' },
    { ...words.practised, ...practised, path: '/trainings' },
  ]
    .filter(({ total }) => total > 0)
    .map(({ heading, all, members: shown, path }) => ({
      heading,
      points: [
        ...shown.map((member) => ({
          action: member.count === undefined ? nameOf(member) : `${nameOf(member)}: ${number(member.count)}`,
          link: linkTo(`/members/${member.memberId}`),
        })),
        // While the team hides member details, the app does not open this list, so there is no link.
        ...(shown.length > 0 ? [{ action: all, link: linkTo(path) }] : []),
      ],
    }));

const weeklyMail = mailTemplate<WeeklyMailValues>('weekly_summary', {
  de: (values, { day, number }) => {
    const { name, now, overdue, inactive, practised } = values;
    const count = (value: number, one: string, many: string) => `${number(value)} ${value === 1 ? one : many}`;
    return {
      lead: `So steht es um das Team „${quotable(name)}“ am ${day(now)}.`,
      sections: sectionsOf(values, number, {
        overdue: {
          heading: `Überfällig: ${count(overdue.total, 'Aufgabe', 'Aufgaben')}`,
          all: 'Alle überfälligen Aufgaben',
        },
        inactive: {
          heading: `Seit 14 Tagen nicht geübt: ${count(inactive.total, 'Person', 'Personen')}`,
          all: 'Alle, die nicht geübt haben',
        },
        practised: {
          heading: `Letzte Woche: ${count(practised.total, 'Training', 'Trainings')} von ${count(practised.people, 'Person', 'Personen')}`,
          all: 'Alle Trainings',
        },
      }),
      action: 'Übersicht öffnen',
      ending: 'Sie erhalten diese E-Mail montags, weil Sie sie in Ihrem Konto eingeschaltet haben.',
      unsubscribe: 'Diese E-Mail nicht mehr senden',
    };
  },
  en: (values, { day, number }) => {
    const { name, now, overdue, inactive, practised } = values;
    const count = (value: number, one: string, many: string) => `${number(value)} ${value === 1 ? one : many}`;
    return {
      lead: `This is how the team “${quotable(name)}” is doing on ${day(now)}.`,
      sections: sectionsOf(values, number, {
        overdue: {
          heading: `Overdue: ${count(overdue.total, 'assignment', 'assignments')}`,
          all: 'All overdue assignments',
        },
        inactive: {
          heading: `Not practised for 14 days: ${count(inactive.total, 'person', 'people')}`,
          all: 'All who have not practised',
        },
        practised: {
          heading: `Last week: ${count(practised.total, 'training', 'trainings')} by ${count(practised.people, 'person', 'people')}`,
          all: 'All trainings',
        },
      }),
      action: 'Open the overview',
      ending: 'You get this email on Mondays because you turned it on in your account.',
      unsubscribe: 'Stop sending this email',
    };
  },
});

// The link that ends the mail. It works without signing in and never expires, so it is signed and not stored.

const purpose = 'end of the weekly mail';

/** The path of the page that ends the weekly mail of a member. */
const endPath = ({ vault }: Platform, { id: tenantId }: Pick<Team, 'id'>, memberId: string): string => {
  const signed = `${tenantId}.${memberId}`;
  return `/weekly-mail/${signed}.${vault.sign(purpose, signed)}`;
};

/** The member whose weekly mail a token ends; undefined if the service has not signed the token. */
export const readEndToken = (
  { vault }: Platform,
  token: string,
): { tenantId: string; memberId: string } | undefined => {
  const [tenantId = '', memberId = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isId(tenantId) || !isId(memberId)) return undefined;
  return vault.isSigned(purpose, `${tenantId}.${memberId}`, signature) ? { tenantId, memberId } : undefined;
};

/** Ends the weekly mail of a member, who need not be signed in. */
export const endWeeklyMail = (
  platform: Platform,
  { tenantId, memberId }: { tenantId: string; memberId: string },
): Promise<void> =>
  forTeam(tenantId, async () =>
    chooseWeeklyMail(await actIn(platform, { kind: 'service' }, tenantId), memberId, false),
  );

// Sending

/**
 * On Mondays, mails are sent from this hour in the team's time zone until midnight, because the worker may not run at
 * exactly this hour.
 */
const firstHour = 7;

/** The Monday whose mail is sent at this time; undefined on other days and before `firstHour`. */
export const mondayAt = (now: Date, timeZone: string): Date | undefined => {
  const { day, hour } = clockIn(timeZone)(now);
  const today = new Date(day);
  return today.getUTCDay() === 1 && hour >= firstHour ? today : undefined;
};

/**
 * Thrown when a limit of mails is reached. It rolls the transaction back, so that the mail is due again the next time.
 */
class WeeklyMailPostponed extends Error {}

const mailTeam = async (team: Team, monday: Date): Promise<void> => {
  const { platform } = team;
  const matters = await peopleMatters(team);
  const isQuiet = Object.values(matters).every(({ total }) => total === 0);
  const name = await teamName(platform.database.prisma, team);
  const linkTo = (path: string) => `${platform.publicUrl}${path}${path.includes('?') ? '&' : '?'}team=${team.id}`;
  const values = { ...matters, name, now: platform.clock.now(), linkTo };
  for (const reader of await awaitingWeeklyMail(platform.database.prisma, team, monday)) {
    const { id } = reader;
    const links = { link: linkTo('/'), end: `${platform.publicUrl}${endPath(platform, team, id)}` };
    try {
      await inTransaction(team, async (tx) => {
        if (!(await claimWeeklyMail(tx, team, id, monday)) || isQuiet) return;
        const [refusal] = await queueMails(tx, team, [weeklyMail(reader, links, values)]);
        if (refusal) throw new WeeklyMailPostponed();
      });
    } catch (error) {
      if (!(error instanceof WeeklyMailPostponed)) throw error;
    }
  }
};

/**
 * Sends the weekly mails that are due, team by team. If it fails for a team, `complain` is called with this team, which
 * is tried again the next time.
 */
export const sendWeeklyMails = async (
  platform: Platform,
  complain: (error: unknown, tenantId: string) => void,
): Promise<void> => {
  const monday = mondayAt(platform.clock.now(), teamTimeZone);
  if (!monday) return;
  for (const tenantId of await teamsAwaitingWeeklyMail(platform.database, monday)) {
    // Runs like a request, so that its mails count against the same limits.
    await forTeam(tenantId, async () => mailTeam(await actIn(platform, { kind: 'service' }, tenantId), monday)).catch(
      (error: unknown) => complain(error, tenantId),
    );
  }
};
