import { locale, t } from './texts.ts';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

/** The earliest or latest day or time that a field accepts, in the reader's format. */
const boundOf = (field: Field, bound: 'min' | 'max'): string => {
  const text = field.getAttribute(bound) ?? '';
  if (field.type === 'date') return new Date(`${text}T00:00`).toLocaleDateString(locale());
  return new Date(text).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' });
};

/**
 * The message for a field that breaks a rule of HTML. The browser's own messages are in the browser's language, in
 * bubbles that soon close.
 */
export const messageFor = (field: Field): string => {
  const { validity, type } = field;
  if (validity.valueMissing) return t('Bitte füllen Sie dieses Feld aus.', 'Please fill in this field.');
  if (validity.typeMismatch && type === 'email') {
    return t('Bitte geben Sie eine gültige E-Mail-Adresse ein.', 'Please enter a valid email address.');
  }
  if (validity.rangeUnderflow) {
    return t(`Frühester Wert: ${boundOf(field, 'min')}.`, `Earliest value: ${boundOf(field, 'min')}.`);
  }
  if (validity.rangeOverflow) {
    return t(`Spätester Wert: ${boundOf(field, 'max')}.`, `Latest value: ${boundOf(field, 'max')}.`);
  }
  return t('Bitte geben Sie einen gültigen Wert ein.', 'Please enter a valid value.');
};
