import { localeNow, sayNow } from './language.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

/** The earliest or latest day or time that a field takes, as its reader would write it. */
const boundOf = (field: Field, bound: 'min' | 'max'): string => {
  const text = field.getAttribute(bound) ?? '';
  if (field.type === 'date') return new Date(`${text}T00:00`).toLocaleDateString(localeNow());
  return new Date(text).toLocaleString(localeNow(), { dateStyle: 'medium', timeStyle: 'short' });
};

/** What is wrong with a field; empty where nothing is, or nothing that has words here. */
const flawOf = (field: Field): string => {
  const { validity, type } = field;
  if (validity.badInput) return sayNow('Bitte geben Sie das vollständig an.', 'Please complete this.');
  if (validity.valueMissing) return sayNow('Bitte füllen Sie dieses Feld aus.', 'Please fill in this field.');
  if (validity.typeMismatch && type === 'email') {
    return sayNow('Bitte geben Sie eine E-Mail-Adresse an.', 'Please give an email address.');
  }
  if (validity.rangeUnderflow) {
    return sayNow(`Frühestens: ${boundOf(field, 'min')}.`, `At the earliest: ${boundOf(field, 'min')}.`);
  }
  if (validity.rangeOverflow) {
    return sayNow(`Spätestens: ${boundOf(field, 'max')}.`, `At the latest: ${boundOf(field, 'max')}.`);
  }
  return '';
};

const onField = (event: 'invalid' | 'input' | 'focusout', react: (field: Field) => void): void =>
  document.addEventListener(event, ({ target }) => void (isField(target) && react(target)), true);

const forget = (field: Field): void => field.setCustomValidity('');

/**
 * A browser says what a field lacks in its own language; here it says so in the one that the reader has chosen. What was said
 * sticks to a field and keeps its form from being sent, also when a script has filled the field in since. So each try begins
 * anew: it is a click on the form's button, which the Enter key makes too.
 */
export const speakForFields = (): void => {
  onField('invalid', (field) => {
    forget(field);
    field.setCustomValidity(flawOf(field));
  });
  onField('input', forget);
  onField('focusout', forget);
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button?.type === 'submit') [...(button.form?.elements ?? [])].filter(isField).forEach(forget);
    },
    true,
  );
};
