import { Checkbox, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Scope } from '../../../core/scopes.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { useText } from '../../language/language.tsx';

type KnownScope = ScopeReference['scopes'][number];

type Resource = Scope extends `${infer Name}:${string}` ? Name : never;

const useResourceNames = (): Record<Resource, string> => {
  const t = useText();
  return {
    users: t('Mitglieder', 'Members'),
    trainings: t('Trainings', 'Trainings'),
    evaluations: t('Auswertungen', 'Evaluations'),
    assignments: t('Aufgaben', 'Assignments'),
    cases: t('Fälle und CRM', 'Cases and CRM'),
    catalog: t('Katalog', 'Catalog'),
    analytics: t('Zahlen des Teams', 'Team figures'),
    webhooks: t('Webhooks', 'Webhooks'),
  };
};

const resourceOf = ({ scope }: KnownScope): string => scope.split(':')[0] ?? scope;

const Routes = ({ of }: { of: KnownScope }) => (
  <Group component="span" gap={4} mt={4}>
    {of.routes.map((route) => (
      <Code key={route} style={{ overflowWrap: 'anywhere' }}>
        {route}
      </Code>
    ))}
  </Group>
);

const Told = ({ of }: { of: KnownScope }) => (
  <Text component="span" size="sm" display="block">
    {of.about}{' '}
    <Text component="span" size="xs" c="dimmed" ff="monospace">
      {of.scope}
    </Text>
  </Text>
);

interface ScopeListProps {
  scopes: readonly KnownScope[];
  chosen: readonly string[];
  /** Without it, the chosen ones are only told. */
  onChange?: (chosen: string[]) => void;
}

/** Scopes in plain words and what each opens, by what they are about. */
export const ScopeList = ({ scopes, chosen, onChange }: ScopeListProps) => {
  const names: Readonly<Record<string, string>> = useResourceNames();
  const shown = onChange ? scopes : scopes.filter(({ scope }) => chosen.includes(scope));
  const toggle = (scope: string, isOn: boolean) =>
    onChange?.(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
      {[...new Set(shown.map(resourceOf))].map((resource) => (
        <Stack key={resource} gap="xs" role="group" aria-label={names[resource] ?? resource}>
          <Text size="sm" fw={600} aria-hidden>
            {names[resource] ?? resource}
          </Text>
          {shown
            .filter((one) => resourceOf(one) === resource)
            .map((one) =>
              onChange ? (
                <Checkbox
                  key={one.scope}
                  checked={chosen.includes(one.scope)}
                  onChange={(event) => toggle(one.scope, event.currentTarget.checked)}
                  label={<Told of={one} />}
                  description={<Routes of={one} />}
                />
              ) : (
                <Group key={one.scope} gap="sm" wrap="nowrap" align="flex-start">
                  <IconCheck size={16} color="var(--good)" style={{ flex: 'none', marginTop: 3 }} aria-hidden />
                  <div>
                    <Told of={one} />
                    <Routes of={one} />
                  </div>
                </Group>
              ),
            )}
        </Stack>
      ))}
    </SimpleGrid>
  );
};
