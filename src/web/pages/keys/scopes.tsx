import { Box, Button, Checkbox, Group, Radio, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { Scope } from '../../../core/scopes.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Codes } from '../../kit/text/codes.tsx';
import type { FieldProps } from '../../kit/form/form.tsx';
import { t } from '../../language/language.tsx';
import { offeredTemplates, scopesOf, type ChosenScopes } from './scope-templates.ts';

type KnownScope = ScopeReference['scopes'][number];

type Resource = Scope extends `${infer Name}:${string}` ? Name : never;

const resourceNames = (): Record<Resource, string> => ({
  users: t('Mitglieder', 'Members'),
  trainings: t('Trainings', 'Trainings'),
  evaluations: t('Bewertungen', 'Evaluations'),
  assignments: t('Aufgaben', 'Assignments'),
  cases: t('Fälle und CRM', 'Cases and CRM'),
  catalog: t('Katalog', 'Catalog'),
  analytics: t('Teamauswertung', 'Team analytics'),
  webhooks: t('Webhooks', 'Webhooks'),
  audit: t('Protokoll', 'Audit log'),
  directory: t('Verzeichnis (SCIM)', 'Directory (SCIM)'),
});

const resourceOf = ({ scope }: KnownScope): string => scope.split(':')[0] ?? scope;

const Description = ({ scope: { about, scope } }: { scope: KnownScope }) => (
  <Text component="span" size="sm" display="block">
    {about}{' '}
    <Text component="span" size="xs" c="dimmed" ff="monospace">
      {scope}
    </Text>
  </Text>
);

interface ScopesProps {
  scopes: readonly KnownScope[];
  chosen: readonly string[];
}

const ChosenScope = ({ scope, withRoutes }: { scope: KnownScope; withRoutes: boolean }) => (
  <Group gap="sm" wrap="nowrap" align="flex-start">
    <IconCheck size={16} color="var(--good)" style={{ flex: 'none', marginTop: 3 }} aria-hidden />
    <div>
      <Description scope={scope} />
      {withRoutes && <Codes of={scope.routes} />}
    </div>
  </Group>
);

/** The chosen scopes, grouped by resource. */
export const ScopeList = ({ scopes, chosen }: ScopesProps) => {
  const names: Readonly<Record<string, string>> = resourceNames();
  const shown = scopes.filter(({ scope }) => chosen.includes(scope));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
      {[...new Set(shown.map(resourceOf))].map((resource) => (
        <Stack key={resource} gap="xs" role="group" aria-label={names[resource] ?? resource}>
          <Text size="sm" fw={600} aria-hidden>
            {names[resource] ?? resource}
          </Text>
          {shown
            .filter((one) => resourceOf(one) === resource)
            .map((one) => (
              <ChosenScope key={one.scope} scope={one} withRoutes />
            ))}
        </Stack>
      ))}
    </SimpleGrid>
  );
};

interface ScopeBoxesProps extends ScopesProps {
  withRoutes: boolean;
  onChange: (chosen: string[]) => void;
}

/** All scopes, from which a person chooses some. */
const ScopeBoxes = ({ scopes, chosen, withRoutes, onChange }: ScopeBoxesProps) => {
  const toggle = (scope: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="xs">
      {scopes.map((one) => (
        <Checkbox
          key={one.scope}
          checked={chosen.includes(one.scope)}
          onChange={(event) => toggle(one.scope, event.currentTarget.checked)}
          label={<Description scope={one} />}
          description={withRoutes && <Codes of={one.routes} />}
        />
      ))}
    </SimpleGrid>
  );
};

interface ScopeChoiceProps extends FieldProps<ChosenScopes> {
  reference: ScopeReference;
}

const custom = 'custom';

export const ScopeChoice = ({ reference: { templates, scopes }, value, onChange, error }: ScopeChoiceProps) => {
  const offered = offeredTemplates(templates);
  const choose = (chosen: string) => onChange(scopesOf(offered, chosen));
  const isCustom = value.template === undefined;
  const about = offered.find(({ template }) => template === value.template)?.about;
  const [withRoutes, setWithRoutes] = useState(false);
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
        <Group gap="lg" mt="sm">
          {offered.map(({ template, name }) => (
            <Radio key={template} value={template} label={name} />
          ))}
          <Radio value={custom} label={t('Benutzerdefiniert', 'Custom')} />
        </Group>
      </Radio.Group>
      <Box p="12px 16px" bd="1px solid var(--line)" bdrs="md" bg="var(--surface)">
        <Group gap="xs" mb="sm">
          {isCustom ? (
            <>
              <Button
                size="compact-sm"
                onClick={() => onChange({ template: undefined, scopes: scopes.map(({ scope }) => scope) })}
              >
                {t('Alle auswählen', 'Select all')}
              </Button>
              <Button size="compact-sm" onClick={() => onChange({ template: undefined, scopes: [] })}>
                {t('Auswahl aufheben', 'Deselect all')}
              </Button>
            </>
          ) : (
            <Text size="sm" flex="1 1 240px">
              {about}
            </Text>
          )}
          <Switch
            ml="auto"
            label={t('Routen anzeigen', 'Show routes')}
            checked={withRoutes}
            onChange={(event) => setWithRoutes(event.currentTarget.checked)}
          />
        </Group>
        {isCustom ? (
          <ScopeBoxes
            scopes={scopes}
            chosen={value.scopes}
            withRoutes={withRoutes}
            onChange={(chosen) => onChange({ template: undefined, scopes: chosen })}
          />
        ) : (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="xs">
            {scopes
              .filter(({ scope }) => value.scopes.includes(scope))
              .map((one) => (
                <ChosenScope key={one.scope} scope={one} withRoutes={withRoutes} />
              ))}
          </SimpleGrid>
        )}
        {Boolean(error) && (
          <Text size="sm" c="var(--mantine-color-error)" mt="sm" role="alert">
            {error}
          </Text>
        )}
      </Box>
    </Stack>
  );
};
