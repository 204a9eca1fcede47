import { ActionIcon, Button, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useLanguage, useText } from '../language/language.ts';

/** Switches between light and dark. */
export const ColorSchemeChoice = () => {
  const t = useText();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const label = scheme === 'dark' ? t('Helle Ansicht', 'Light theme') : t('Dunkle Ansicht', 'Dark theme');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
      >
        {scheme === 'dark' ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
};

/** Switches to the other language, which is named in itself. */
export const LanguageChoice = ({ onChoose }: { onChoose?: (language: 'de' | 'en') => void }) => {
  const { language, choose } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      lang={other}
      onClick={() => {
        choose(other);
        onChoose?.(other);
      }}
    >
      {other === 'en' ? 'English' : 'Deutsch'}
    </Button>
  );
};
