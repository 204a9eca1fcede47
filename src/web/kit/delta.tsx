import { VisuallyHidden } from '@mantine/core';
import { useLocale, useText } from '../language/language.ts';
import { Status } from './status.tsx';

/** By how much a mean went up or down within a month; without enough to compare it says so. */
export const Delta = ({ value }: { value: number | null }) => {
  const t = useText();
  const locale = useLocale();
  if (value === null) {
    return (
      <span>
        <span aria-hidden>–</span>
        <VisuallyHidden>{t('noch kein Vergleich', 'nothing to compare yet')}</VisuallyHidden>
      </span>
    );
  }
  const text = value.toLocaleString(locale, { signDisplay: 'exceptZero' });
  if (value === 0) return <Status tone="plain">{text}</Status>;
  return <Status tone={value > 0 ? 'good' : 'warn'}>{text}</Status>;
};
