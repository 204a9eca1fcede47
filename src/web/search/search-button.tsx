import { ActionIcon, Button, Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { t } from '../language/language.tsx';

/** Opens the search. It has a label if there is room for it. */
export const SearchButton = ({ onClick }: { onClick: () => void }) => {
  const label = t('Suchen', 'Search');
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="compact-md"
        fw={400}
        c="dimmed"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : t('Strg K', 'Ctrl K')}
          </Kbd>
        }
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onClick}
      >
        {label}
      </Button>
      <ActionIcon hiddenFrom="sm" variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  );
};
