import { VisuallyHidden } from '@mantine/core';
import { IconAddressBook } from '@tabler/icons-react';
import { HoverTip } from '../../kit/text/hover-tip.tsx';
import { t } from '../../language/language.tsx';

/** Says which changes the directory will overwrite. */
export const overwrittenText = (): string =>
  t(
    'Aus dem Verzeichnis: Name, externe ID und, wenn es sie sendet, die Rolle kommen von dort. Was Sie hier ändern, überschreibt es bei seiner nächsten Änderung. Wer dort aktiv ist, kann zurückkommen, auch wenn Sie die Person hier entfernen.',
    'From the directory: the name, the external ID and, if it sends one, the role come from there. What you change here is overwritten by its next change. People who are active there may come back, even if you remove them here.',
  );

/** Marks a person in a list whom the directory manages. */
export const DirectoryMark = () => (
  <HoverTip label={overwrittenText}>
    <span
      style={{
        display: 'inline-block',
        verticalAlign: 'middle',
        marginInlineStart: 6,
        lineHeight: 0,
        color: 'var(--mantine-color-dimmed)',
      }}
    >
      <IconAddressBook size={14} aria-hidden />
      <VisuallyHidden>{t('aus dem Verzeichnis', 'from the directory')}</VisuallyHidden>
    </span>
  </HoverTip>
);
