import { t } from '../../language/texts.ts';
import { dayInWords } from '../text/dates.ts';
import { isPreset, rangeOptions } from './date-range.ts';

/** A filter whose value is a text in the address. `name` is its name there. */
export type PlainField<Name extends string> =
  | { kind: 'choice'; name: Name; options: readonly { value: string; label: string }[] }
  | { kind: 'flag'; name: Name }
  | { kind: 'day'; name: Name }
  | { kind: 'range'; names: readonly [range: Name, from: Name, to: Name] };

/** The filter's names in the address. Its chip removes them all. */
export const namesOf = <Name extends string>(
  field: { readonly name: Name } | { readonly names: readonly Name[] },
): readonly Name[] => ('names' in field ? field.names : [field.name]);

/** The value of a filter in words; undefined if it is not set, or if the value does not exist. */
export const wordsOf = <Name extends string>(
  field: PlainField<Name>,
  valueOf: (name: Name) => string,
): string | undefined => {
  if (field.kind === 'range') {
    const [range = '', from = '', to = ''] = field.names.map(valueOf);
    if (isPreset(range)) return rangeOptions().find(({ value }) => value === range)?.label;
    const days = [dayInWords(from), dayInWords(to)];
    return range === 'own' && days.some((day) => day !== undefined)
      ? days.map((day) => day ?? '…').join(' – ')
      : undefined;
  }
  const value = valueOf(field.name);
  if (value === '') return undefined;
  if (field.kind === 'choice') return field.options.find((option) => option.value === value)?.label;
  if (field.kind === 'flag') return value === 'true' ? t('ja', 'yes') : undefined;
  return dayInWords(value);
};
