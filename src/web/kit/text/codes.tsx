import { Code, Group } from '@mantine/core';

/** Names in code, beside each other. */
export const Codes = ({ of: names }: { of: readonly string[] }) => (
  <Group component="span" gap={6} mt={4}>
    {names.map((name) => (
      <Code key={name} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Code>
    ))}
  </Group>
);
