import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { chooseLanguage, currentLanguage, t, type Language } from '../language/language.tsx';

// The choices of theme and language, which all pages offer, before and after the sign-in.

/** The theme that is not shown now. */
export const useOtherScheme = () => {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return {
    label: isDark ? t('Helles Design', 'Light theme') : t('Dunkles Design', 'Dark theme'),
    Icon: isDark ? IconSun : IconMoon,
    choose: () => setColorScheme(isDark ? 'light' : 'dark'),
  };
};

export const ColorSchemeChoice = () => {
  const { label, Icon, choose } = useOtherScheme();
  return (
    // Without a `Tooltip`, whose code the sign-in page would have to load.
    <ActionIcon variant="subtle" color="gray" size="lg" title={label} aria-label={label} onClick={choose}>
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
};

/** The language that is not shown now, with its own name. */
export const otherLanguage = (onChoose?: (language: Language) => void) => {
  const other = currentLanguage() === 'de' ? 'en' : 'de';
  return {
    lang: other,
    name: other === 'en' ? 'English' : 'Deutsch',
    choose: () => {
      chooseLanguage(other);
      onChoose?.(other);
    },
  };
};

export const LanguageChoice = ({ onChoose }: { onChoose?: (language: Language) => void }) => {
  const { lang, name, choose } = otherLanguage(onChoose);
  return (
    <Button variant="subtle" color="gray" size="compact-sm" lang={lang} onClick={choose}>
      {name}
    </Button>
  );
};

export const Logo = ({ size = 28 }: { size?: number }) => <img src="/icon.svg" width={size} height={size} alt="" />;
