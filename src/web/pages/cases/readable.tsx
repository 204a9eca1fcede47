import { Facts } from '../../kit/page/facts.tsx';
import { locale, t } from '../../language/language.tsx';
import { ExactNumber } from '../../../core/exact-json.ts';
import { isFreeForm } from './field-rows.ts';

/** The name of a field as a label: `budget_eur` is `Budget eur`, and `crm` is `CRM`. */
const labelOf = (key: string): string => {
  const words = key
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/\bcrm\b/gi, 'CRM')
    .trim();
  return words === '' ? key : words.charAt(0).toUpperCase() + words.slice(1);
};

/** A value of free-form data as a text for people. */
const readable = (value: unknown): string => {
  if (value === null || value === '') return '–';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? t('Ja', 'Yes') : t('Nein', 'No');
  if (typeof value === 'number')
    return value.toLocaleString(locale(), { maximumFractionDigits: 20, useGrouping: false });
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return value.map(readable).join(', ');
  return isFreeForm(value) ? entriesOf(value) : JSON.stringify(value);
};
const entriesOf = (value: Record<string, unknown>): string =>
  Object.entries(value)
    .map(([key, inner]) => `${labelOf(key)}: ${readable(inner)}`)
    .join(', ');

/** A case's fields in a line. */
export const fieldsInBrief = (fields: unknown): string => {
  const parts = isFreeForm(fields)
    ? Object.entries(fields).map(([key, value]) => `${labelOf(key)}: ${readable(value)}`)
    : [fields ?? []].flat().map(readable);
  return parts.join(' · ');
};

/** Free-form data that can't be changed here. */
export const FieldsAsFacts = ({ fields }: { fields: Record<string, unknown> }) => (
  <Facts facts={Object.entries(fields).map(([key, value]) => ({ name: labelOf(key), value: readable(value) }))} />
);
