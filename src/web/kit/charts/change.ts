import { locale } from '../../language/texts.ts';

/** A change of an average that is smaller than this may be chance, so it has no colour. */
const noticeable = 2;

export const toneOfChange = (change: number): 'plain' | 'good' | 'warn' => {
  if (Math.abs(change) < noticeable) return 'plain';
  return change > 0 ? 'good' : 'warn';
};

/** A change with its sign. The sign for minus is a real minus, not a hyphen. */
export const changeText = (value: number): string =>
  value.toLocaleString(locale(), { signDisplay: 'exceptZero', minimumFractionDigits: 1 }).replace('-', '−');
