import { Box, Button, Collapse, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { useConfirm } from '../../kit/dialog.tsx';
import { tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { Switches } from './team-settings.ts';

/** A thing that a switch changes: which part it is about, and what happens there. */
export interface Effect {
  where: string;
  what: ReactNode;
}

export interface Effects {
  off: readonly Effect[];
  on: readonly Effect[];
}

interface PrivacySwitchProps {
  name: keyof Switches;
  isOn: boolean;
  label: string;
  about: string;
  effects: Effects;
}

const EffectList = ({ of }: { of: readonly Effect[] }) => (
  <List size="sm" spacing="xs">
    {of.map(({ where, what }) => (
      <List.Item key={where}>
        <strong>{where}:</strong> {what}
      </List.Item>
    ))}
  </List>
);

/** A switch that says beforehand exactly what it changes. */
export const PrivacySwitch = ({ name, isOn, label, about, effects }: PrivacySwitchProps) => {
  const t = useText();
  const ask = useConfirm();
  const setPrivacy = app.useChange('team.setPrivacy');
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  const flip = () =>
    ask({
      title: isOn
        ? t(`${label} abschalten?`, `Switch off: ${label}?`)
        : t(`${label} einschalten?`, `Switch on: ${label}?`),
      consequences: <EffectList of={isOn ? effects.off : effects.on} />,
      action: isOn ? t('Abschalten', 'Switch off') : t('Einschalten', 'Switch on'),
      harmless: isOn,
      act: async () => {
        await setPrivacy.mutateAsync({ [name]: !isOn });
        tell(isOn ? t('Abgeschaltet.', 'Switched off.') : t('Eingeschaltet.', 'Switched on.'));
      },
    });
  return (
    <Box>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={2}>
          <Text fw={600} id={id}>
            {label}
          </Text>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </Stack>
        <Switch
          size="md"
          checked={isOn}
          onChange={flip}
          aria-labelledby={id}
          aria-haspopup="dialog"
          withThumbIndicator={false}
        />
      </Group>
      <Button variant="subtle" size="compact-sm" mt="xs" px={0} aria-expanded={opened} onClick={toggle}>
        {opened
          ? t('Weniger zeigen', 'Show less')
          : t('Was sich ändert, wenn es aus ist', 'What changes while it is off')}
      </Button>
      <Collapse expanded={opened}>
        <Box pt="sm">
          <EffectList of={effects.off} />
        </Box>
      </Collapse>
    </Box>
  );
};
