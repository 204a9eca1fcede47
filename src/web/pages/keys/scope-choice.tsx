import { Box, Button, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { useText } from '../../language/language.tsx';
import classes from './scope-choice.module.css';
import { ScopeList } from './scope-list.tsx';

type Template = ScopeReference['templates'][number]['template'];

/** What a key is to be allowed: a ready-made selection, or scope by scope. */
export interface Allowance {
  template: Template | undefined;
  scopes: readonly string[];
}

interface ScopeChoiceProps {
  reference: ScopeReference;
  value: Allowance;
  onChange: (value: Allowance) => void;
  error?: string | undefined;
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
  // Everything is nothing to choose in passing: whoever wants it ticks it.
  const offered = templates.filter((template) => template.scopes.length < scopes.length);
  const choose = (chosen: string) => {
    const template = offered.find((one) => one.template === chosen);
    onChange({ template: template?.template, scopes: template?.scopes ?? value.scopes });
  };
  const isCustom = value.template === undefined;
  return (
    <Stack gap="md">
      <Radio.Group
        label={t('Was der Schlüssel darf', 'What the key may do')}
        description={t(
          'Das steht mit dem Anlegen fest. Geben Sie nur, was gebraucht wird: für mehr legen Sie später einen neuen Schlüssel an.',
          'This is fixed once the key is made. Give only what is needed: for more, make a new key later.',
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
            name={t('Eigene Auswahl', 'Custom')}
            about={t(
              'Jede Berechtigung einzeln, zum Beispiel nur Webhooks.',
              'Scope by scope, for instance only webhooks.',
            )}
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
              {t('Keine auswählen', 'Select none')}
            </Button>
          </Group>
        )}
        <ScopeList
          scopes={scopes}
          chosen={value.scopes}
          {...(isCustom && { onChange: (chosen: string[]) => onChange({ template: undefined, scopes: chosen }) })}
        />
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" mt="sm" role="alert">
            {error}
          </Text>
        )}
      </Box>
    </Stack>
  );
};
