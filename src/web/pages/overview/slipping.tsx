import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Delta } from '../../kit/charts/scores.tsx';
import { dayText, shortTimeText } from '../../kit/text/dates.ts';
import { number } from '../../kit/text/figures.ts';
import { TextLink } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { app, whileOpen, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { decimal, rangeNames } from '../analytics/trend-words.ts';
import { inactiveText, namesInParts, overdueAssignmentsText } from './figures.ts';
import classes from './overview.module.css';

type Person = AppOutputs['members']['list']['data'][number];

/** How many people are named on paper. */
const onPaper = 10;

/** How many people are named on the screen. */
const onScreen = 3;

/**
 * The people who slip, the worst first: members with overdue assignments; and members who have not practised for 14
 * days, with their number. Nobody while the team hides member details.
 */
export const useSlipping = (overdueAssignments: number) => {
  const { member_detail: enabled } = useSignedIn().team.privacy;
  const options = { enabled, ...whileOpen };
  const { data: count } = useQuery(app.members.count.queryOptions({ inactive: true }, options));
  const { data: idle } = useQuery(
    app.members.list.queryOptions(
      { inactive: true, sort: { by: 'activity', desc: false }, limit: onPaper },
      { ...options, enabled: enabled && (count?.count ?? 0) > 0 },
    ),
  );
  const { data: late } = useQuery(
    app.members.list.queryOptions(
      { sort: { by: 'overdue', desc: true }, limit: onPaper },
      { ...options, enabled: enabled && overdueAssignments > 0 },
    ),
  );
  return {
    overdue: (late?.data ?? []).filter(({ work }) => work !== null && work.overdue > 0),
    inactive: { people: idle?.data ?? [], all: count?.count ?? 0 },
  };
};

export type Slipping = ReturnType<typeof useSlipping>;

const nameOf = ({ name, email }: Person): string => name ?? email;

/** The names of some people, as links to their pages, and the number of the others. */
const Names = ({
  people,
  all,
  figureOf = () => '',
}: {
  people: readonly Person[];
  all: number;
  figureOf?: (person: Person) => string;
}) =>
  namesInParts(
    people.map(({ id }) => id),
    all,
  ).map(({ value }, at) => {
    const person = people.find(({ id }) => id === value);
    return person ? (
      <span key={value}>
        <TextLink to={`/members/${person.id}`} inherit c="inherit">
          {nameOf(person)}
        </TextLink>
        {figureOf(person)}
      </span>
    ) : (
      <span key={at}>{value}</span>
    );
  });

/** The members with the most overdue assignments, and how many each of them has. */
export const OverdueNames = ({ people }: { people: readonly Person[] }) => {
  const shown = people.slice(0, onScreen);
  return (
    <>
      {people.length > onScreen && t('Vor allem ', 'Mainly ')}
      <Names people={shown} all={shown.length} figureOf={({ work }) => ` (${number(work?.overdue ?? 0)})`} />
    </>
  );
};

export const InactiveNames = ({ people, all }: Slipping['inactive']) => (
  <Names people={people.slice(0, onScreen)} all={all} />
);

const none = '–';

const columns = (): readonly { label: string; of: (person: Person) => ReactNode }[] => [
  { label: t('Überfällig', 'Overdue'), of: ({ work }) => number(work?.overdue ?? 0) },
  { label: t('Offen', 'Open'), of: ({ work }) => number(work?.open ?? 0) },
  {
    label: t('Letztes Training', 'Last training'),
    of: ({ work }) => (work?.last_training_at ? dayText(work.last_training_at) : t('Noch keins', 'None yet')),
  },
  {
    label: t('Ø aller Trainings', 'Average of all'),
    of: ({ work }) => (typeof work?.average === 'number' ? decimal(work.average) : none),
  },
  { label: t('In 30 Tagen', 'In 30 days'), of: ({ work }) => <Delta value={work?.change ?? null} /> },
];

const PaperTable = ({ title, people, more }: { title: string; people: readonly Person[]; more?: string }) => (
  <section className={classes['people']}>
    <h2>{title}</h2>
    <table>
      <thead>
        <tr>
          <th>{t('Name', 'Name')}</th>
          {columns().map(({ label }) => (
            <th key={label}>{label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <tr key={person.id}>
            <td>{nameOf(person)}</td>
            {columns().map(({ label, of }) => (
              <td key={label}>{of(person)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    {more !== undefined && <p>{more}</p>}
  </section>
);

/** The line above the figures on paper: the team, the period and the day of the figures. */
export const PaperHead = ({ at }: { at: Date }) => {
  const { team } = useSignedIn();
  return (
    <p className={classes['head']}>
      {t('Team', 'Team')}: <b>{team.name}</b> · {t('Zeitraum', 'Period')}: {rangeNames()['12_weeks']} ·{' '}
      {t('Stand', 'As of')}: {shortTimeText(at)}
    </p>
  );
};

/** The people who slip, with their figures, on paper. */
export const PaperPeople = ({
  slipping: { overdue, inactive },
  assignments,
}: {
  slipping: Slipping;
  assignments: number;
}) => {
  const others = inactive.all - inactive.people.length;
  return (
    <div className={classes['paper']}>
      {overdue.length > 0 && <PaperTable title={overdueAssignmentsText(assignments)} people={overdue} />}
      {inactive.people.length > 0 && (
        <PaperTable
          title={inactiveText(inactive.all)}
          people={inactive.people}
          {...(others > 0 && { more: t(`und ${number(others)} weitere`, `and ${number(others)} more`) })}
        />
      )}
    </div>
  );
};
