import { VisuallyHidden } from '@mantine/core';
import { IconAddressBook } from '@tabler/icons-react';
import { HoverTip } from '../../kit/text/hover-tip.tsx';
import { t } from '../../language/language.tsx';

/** Says which changes the directory will overwrite. */
export const overwrittenText = (): string =>
  t(
    'Diese Person kommt aus dem Verzeichnis. Es überträgt Name, externe ID und oft auch die Rolle, und überschreibt dabei Änderungen aus der App. Wenn Sie die Person entfernen, kann sie zurückkommen, solange sie im Verzeichnis aktiv ist.',
    'This person comes from the directory. It sends the name, the external ID and often the role, and so overwrites changes made in the app. If you remove the person, they can come back while they are active in the directory.',
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
