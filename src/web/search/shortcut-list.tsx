import { Box, Group, Kbd, SimpleGrid, Stack, Switch, Title } from '@mantine/core';
import { DialogShell } from '../kit/dialog/dialog-shell.tsx';
import { Hint } from '../kit/text/text.tsx';
import { t } from '../language/language.tsx';
import { useSignedIn } from '../session/signed-in.tsx';
import { shortcutsFor, useFocusBack, useShortcutsOn, withCommandKey } from './shortcuts.ts';

interface ListedShortcut {
  keys: readonly string[];
  label: string;
}

const List = ({ title, listed }: { title: string; listed: readonly ListedShortcut[] }) => (
  <Stack gap="xs" component="section">
    <Title order={3} size="h6">
      {title}
    </Title>
    <Box component="dl" m={0} fz={14}>
      {listed.map(({ keys, label }) => (
        <Group key={label} justify="space-between" wrap="nowrap" gap={12} py={5}>
          <dt>{label}</dt>
          <Box component="dd" m={0} flex="none" fz={12} c="dimmed">
            {keys.map((key, at) => (
              <span key={key}>
                {at > 0 && ` ${t('dann', 'then')} `}
                <Kbd size="sm">{key}</Kbd>
              </span>
            ))}
          </Box>
        </Group>
      ))}
    </Box>
  </Stack>
);

/** The list of all keyboard shortcuts, and the switch that turns them off. */
export default function ShortcutList({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const { may } = useSignedIn();
  const [on, setOn] = useShortcutsOn();
  const { pages, actions } = shortcutsFor(may, t);
  const listOf = (shortcuts: typeof pages): ListedShortcut[] =>
    shortcuts.map(({ keys, name }) => ({ keys, label: name(t) }));
  return (
    <DialogShell opened onClose={onClose} size="lg" title={t('Tastenkürzel', 'Keyboard shortcuts')}>
      <Stack gap="lg">
        <Switch
          checked={on}
          onChange={(event) => setOn(event.currentTarget.checked)}
          label={t('Tastenkürzel verwenden', 'Use keyboard shortcuts')}
          description={t(
            'Gilt für diesen Browser und nie in Eingabefeldern. Das Tastenkürzel für die Suche bleibt immer aktiv.',
            'Applies to this browser, and never in input fields. The search shortcut always stays active.',
          )}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
          <List title={t('Zu einer Seite', 'Go to a page')} listed={listOf(pages)} />
          <List
            title={t('Auf jeder Seite', 'On every page')}
            listed={[
              { keys: [withCommandKey('K', t)], label: t('Suchen', 'Search') },
              { keys: [withCommandKey('V', t)], label: t('Kopierte ID öffnen', 'Open a copied ID') },
              ...listOf([...actions]),
            ]}
          />
        </SimpleGrid>
        <Hint size="xs">
          {t(
            'Die Eingabetaste öffnet den ausgewählten Eintrag. Ist er neben der Liste geöffnet, wechseln J und K zum nächsten und vorherigen, und Escape schließt ihn.',
            'Enter opens the selected entry. While it is open beside the list, J and K change to the next and previous one, and Escape closes it.',
          )}
        </Hint>
      </Stack>
    </DialogShell>
  );
}
