import { Box, Button, Checkbox, Code, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Scope } from '../../../core/scopes.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import type { FieldProps } from '../../kit/form.tsx';
import { useText } from '../../language/language.tsx';
import classes from './scopes.module.css';

type KnownScope = ScopeReference['scopes'][number];

type Resource = Scope extends `${infer Name}:${string}` ? Name : never;

const useResourceNames = (): Record<Resource, string> => {
  const t = useText();
  return {
    users: t('Mitglieder', 'Members'),
    trainings: t('Trainings', 'Trainings'),
    evaluations: t('Bewertungen', 'Evaluations'),
    assignments: t('Aufgaben', 'Assignments'),
    cases: t('Fälle und CRM', 'Cases and CRM'),
    catalog: t('Katalog', 'Catalog'),
    analytics: t('Teamauswertung', 'Team analytics'),
    webhooks: t('Webhooks', 'Webhooks'),
  };
};

const resourceOf = ({ scope }: KnownScope): string => scope.split(':')[0] ?? scope;

const Routes = ({ scope: { routes } }: { scope: KnownScope }) => (
  <Group component="span" gap={4} mt={4}>
    {routes.map((route) => (
      <Code key={route} style={{ overflowWrap: 'anywhere' }}>
        {route}
      </Code>
    ))}
  </Group>
);

const Description = ({ scope: { about, scope } }: { scope: KnownScope }) => (
  <Text component="span" size="sm" display="block">
    {about}{' '}
    <Text component="span" size="xs" c="dimmed" ff="monospace">
      {scope}
    </Text>
  </Text>
);

interface ScopeListProps {
  scopes: readonly KnownScope[];
  chosen: readonly string[];
  /** Without it, the list shows only the chosen scopes and can't be changed. */
  onChange?: (chosen: string[]) => void;
}

/** Scopes with their descriptions and routes, grouped by resource. */
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
                  label={<Description scope={one} />}
                  description={<Routes scope={one} />}
                />
              ) : (
                <Group key={one.scope} gap="sm" wrap="nowrap" align="flex-start">
                  <IconCheck size={16} color="var(--good)" style={{ flex: 'none', marginTop: 3 }} aria-hidden />
                  <div>
                    <Description scope={one} />
                    <Routes scope={one} />
                  </div>
                </Group>
              ),
            )}
        </Stack>
      ))}
    </SimpleGrid>
  );
};

type Template = ScopeReference['templates'][number]['template'];

/** The scopes chosen for a key, and the template they come from, if any. */
export interface ChosenScopes {
  template: Template | undefined;
  scopes: readonly string[];
}

interface ScopeChoiceProps extends FieldProps<ChosenScopes> {
  reference: ScopeReference;
}

const custom = 'custom';

const Card = ({ value, name, about }: { value: string; name: string; about: string }) => (
  <Radio.Card value={value} className={classes['card'] ?? ''}>
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <Radio.Indicator />
      <span>
        <Text component="span" size="sm" fw={600} display="block">
          {name}
        </Text>
        <Text component="span" size="xs" c="dimmed" display="block" mt={2}>
          {about}
        </Text>
      </span>
    </Group>
  </Radio.Card>
);

export const ScopeChoice = ({ reference: { templates, scopes }, value, onChange, error }: ScopeChoiceProps) => {
  const t = useText();
  // There is no template with all scopes: people who need all of them must select them deliberately.
  const offered = templates.filter((template) => template.scopes.length < scopes.length);
  const choose = (chosen: string) => {
    const template = offered.find((one) => one.template === chosen);
    // A custom selection starts empty, so that nothing is granted by accident.
    onChange({ template: template?.template, scopes: template?.scopes ?? [] });
  };
  const isCustom = value.template === undefined;
  return (
    <Stack gap="md">
      <Radio.Group
        label={t('Berechtigungen', 'Scopes')}
        description={t(
          'Berechtigungen können später nicht geändert werden. Wählen Sie nur die aus, die Sie benötigen.',
          'Scopes can’t be changed later. Select only what you need.',
        )}
        value={value.template ?? custom}
        onChange={choose}
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }} mt="sm" spacing="sm">
          {offered.map(({ template, name, about }) => (
            <Card key={template} value={template} name={name} about={about} />
          ))}
          <Card
            value={custom}
            name={t('Benutzerdefiniert', 'Custom')}
            about={t('Wählen Sie die Berechtigungen einzeln aus.', 'Select individual scopes.')}
          />
        </SimpleGrid>
      </Radio.Group>
      <Box className={classes['scopes'] ?? ''}>
        {isCustom && (
          <Group gap="xs" mb="md">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onChange({ template: undefined, scopes: scopes.map(({ scope }) => scope) })}
            >
              {t('Alle auswählen', 'Select all')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => onChange({ template: undefined, scopes: [] })}>
              {t('Auswahl aufheben', 'Deselect all')}
            </Button>
          </Group>
        )}
        <ScopeList
          scopes={scopes}
          chosen={value.scopes}
          {...(isCustom && { onChange: (chosen: string[]) => onChange({ template: undefined, scopes: chosen }) })}
        />
        {Boolean(error) && (
          <Text size="sm" c="var(--mantine-color-error)" mt="sm" role="alert">
            {error}
          </Text>
        )}
      </Box>
    </Stack>
  );
};
