import { ActionIcon, Box, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useLanguage, useText } from '../language/language.tsx';

// The parts of the headers of all pages, before and after the sign-in.

/** Switches between the light and the dark theme. */
export const ColorSchemeChoice = () => {
  const t = useText();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const label = scheme === 'dark' ? t('Helles Design', 'Light theme') : t('Dunkles Design', 'Dark theme');
  return (
    // Without a `Tooltip`, whose code the sign-in page would have to load.
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      title={label}
      aria-label={label}
      onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
    >
      {scheme === 'dark' ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
};

interface LanguageChoiceProps {
  onChoose?: (language: 'de' | 'en') => void;
  /** Shows the language's code on narrow screens. */
  short?: boolean;
}

/** Switches to the other language. The button has that language's own name. */
export const LanguageChoice = ({ onChoose, short = false }: LanguageChoiceProps) => {
  const { language, choose } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  const name = other === 'en' ? 'English' : 'Deutsch';
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      lang={other}
      {...(short && { title: name })}
      onClick={() => {
        choose(other);
        onChoose?.(other);
      }}
    >
      {short ? (
        <>
          <Box component="span" visibleFrom="sm">
            {name}
          </Box>
          <Box component="span" hiddenFrom="sm">
            {other.toUpperCase()}
          </Box>
        </>
      ) : (
        name
      )}
    </Button>
  );
};

export const Logo = ({ size = 28 }: { size?: number }) => <img src="/icon.svg" width={size} height={size} alt="" />;
