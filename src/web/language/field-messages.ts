import { localeNow, translateNow } from './language.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

/** The earliest or latest day or time that a field accepts, in the reader's format. */
const boundOf = (field: Field, bound: 'min' | 'max'): string => {
  const text = field.getAttribute(bound) ?? '';
  if (field.type === 'date') return new Date(`${text}T00:00`).toLocaleDateString(localeNow());
  return new Date(text).toLocaleString(localeNow(), { dateStyle: 'medium', timeStyle: 'short' });
};

/** The message for an invalid field; empty if the field is valid, or invalid for a reason not listed here. */
const messageFor = (field: Field): string => {
  const { validity, type } = field;
  if (validity.badInput) return translateNow('Bitte geben Sie einen gültigen Wert ein.', 'Please enter a valid value.');
  if (validity.valueMissing) return translateNow('Bitte füllen Sie dieses Feld aus.', 'Please fill in this field.');
  if (validity.typeMismatch && type === 'email') {
    return translateNow('Bitte geben Sie eine gültige E-Mail-Adresse ein.', 'Please enter a valid email address.');
  }
  if (validity.rangeUnderflow) {
    return translateNow(`Frühester Wert: ${boundOf(field, 'min')}.`, `Earliest value: ${boundOf(field, 'min')}.`);
  }
  if (validity.rangeOverflow) {
    return translateNow(`Spätester Wert: ${boundOf(field, 'max')}.`, `Latest value: ${boundOf(field, 'max')}.`);
  }
  return '';
};

const onField = (event: 'invalid' | 'input' | 'focusout', react: (field: Field) => void): void =>
  document.addEventListener(event, ({ target }) => void (isField(target) && react(target)), true);

const clearMessage = (field: Field): void => field.setCustomValidity('');

/**
 * Replaces the browser's own messages for invalid fields, which are in the browser's language, by messages in the reader's. A custom
 * message blocks its form until it is cleared, even after a script has filled in the field, so all messages are cleared before each
 * try to submit. That is a click on the form's button; the Enter key causes one too.
 */
export const translateFieldMessages = (): void => {
  onField('invalid', (field) => {
    clearMessage(field);
    field.setCustomValidity(messageFor(field));
  });
  onField('input', clearMessage);
  onField('focusout', clearMessage);
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button?.type === 'submit') [...(button.form?.elements ?? [])].filter(isField).forEach(clearMessage);
    },
    true,
  );
};
