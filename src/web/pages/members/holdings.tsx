import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inParts } from '../../server/parts.ts';
import { client } from '../../server/server.ts';
import { heldTogether, holdingsText } from './figures.ts';

/** How many assignments and trainings these people have together; null while the team hides this. */
const readHoldings = async (ids: readonly string[]) => {
  const answers = await Promise.all(
    inParts(ids).map(async (member_ids) => (await client.app.members.holdings.query({ member_ids })).holdings),
  );
  return heldTogether(answers);
};

/** Says how many assignments and trainings are concerned when people are removed or their data is erased. */
export const Holdings = ({ ids, erased = false }: { ids: readonly string[]; erased?: boolean }) => {
  const { data } = useQuery({ queryKey: ['holdings', ids], queryFn: () => readHoldings(ids) });
  if (!data) return null;
  return (
    <Text size="sm" fw={600} mt="sm">
      {holdingsText(data, erased)}
    </Text>
  );
};
