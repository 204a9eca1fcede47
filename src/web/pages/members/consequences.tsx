import { List } from '@mantine/core';

/** What follows from something, point by point. */
export const Consequences = ({ of }: { of: readonly (string | undefined)[] }) => (
  <List size="sm" spacing={6}>
    {of.map((point) => point !== undefined && <List.Item key={point}>{point}</List.Item>)}
  </List>
);
