import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count } from '../../kit/text/formats.tsx';
import { t } from '../../language/language.tsx';
import { client } from '../../server/server.ts';

/** The ids of one request. */
const partIds = 50;

/** What these people have together; null while the team hides it. */
const readHoldings = async (ids: readonly string[]) => {
  const parts = Array.from({ length: Math.ceil(ids.length / partIds) }, (_, part) =>
    ids.slice(part * partIds, (part + 1) * partIds),
  );
  const answers = await Promise.all(
    parts.map(async (member_ids) => (await client.app.members.holdings.query({ member_ids })).holdings),
  );
  const sum = { open_assignments: 0, assignments: 0, trainings: 0 };
  for (const part of answers) {
    if (part === null) return null;
    sum.open_assignments += part.open_assignments;
    sum.assignments += part.assignments;
    sum.trainings += part.trainings;
  }
  return sum;
};

/** Says how much goes with people who are removed, or whose data is erased. */
export const Holdings = ({ ids, erased = false }: { ids: readonly string[]; erased?: boolean }) => {
  const { data } = useQuery({ queryKey: ['holdings', ids], queryFn: () => readHoldings(ids) });
  if (!data) return null;
  const assignments = (value: number) => count(value, t('Aufgabe', 'assignment'), t('Aufgaben', 'assignments'));
  const open = count(
    data.open_assignments,
    t('offene Aufgabe', 'open assignment'),
    t('offene Aufgaben', 'open assignments'),
  );
  const trainings = count(data.trainings, t('Training', 'training'), t('Trainings', 'trainings'));
  return (
    <Text size="sm" fw={600} mt="sm">
      {erased
        ? t(
            `Gelöscht werden ${trainings} und ${assignments(data.assignments)}.`,
            `${trainings} and ${assignments(data.assignments)} will be erased.`,
          )
        : t(
            `Zurückgezogen: ${open}. Nicht mehr angezeigt: ${trainings}.`,
            `Withdrawn: ${open}. No longer shown: ${trainings}.`,
          )}
    </Text>
  );
};
