import { languageNow } from './language.ts';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

const say = (de: string, en: string): string => (languageNow() === 'de' ? de : en);

const boundOf = (field: Field, bound: 'min' | 'max'): string => field.getAttribute(bound) ?? '';

/** What is wrong with a field; empty where nothing is, or nothing that has words here. */
const flawOf = (field: Field): string => {
  const { validity, type } = field;
  if (validity.valueMissing) {
    return type === 'checkbox'
      ? say('Bitte kreuzen Sie das an.', 'Please tick this.')
      : say('Bitte füllen Sie dieses Feld aus.', 'Please fill in this field.');
  }
  if (validity.typeMismatch && type === 'email') {
    return say('Bitte geben Sie eine E-Mail-Adresse an.', 'Please give an email address.');
  }
  if (validity.badInput) return say('Bitte geben Sie das vollständig an.', 'Please complete this.');
  if (validity.rangeUnderflow) {
    return say(`Nicht vor oder unter ${boundOf(field, 'min')}.`, `Not before or below ${boundOf(field, 'min')}.`);
  }
  if (validity.rangeOverflow) {
    return say(`Nicht nach oder über ${boundOf(field, 'max')}.`, `Not after or above ${boundOf(field, 'max')}.`);
  }
  return '';
};

const forget = (field: Field): void => field.setCustomValidity('');

/** A browser says what a field lacks in its own language; here it says so in the one that the reader has chosen. */
export const speakForFields = (): void => {
  document.addEventListener(
    'invalid',
    ({ target }) => {
      if (!isField(target)) return;
      forget(target);
      target.setCustomValidity(flawOf(target));
    },
    true,
  );
  document.addEventListener('input', ({ target }) => isField(target) && forget(target), true);
  // What was said sticks to its field, also when a script has filled that in since: each try begins anew.
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button?.type === 'submit') [...(button.form?.elements ?? [])].filter(isField).forEach(forget);
    },
    true,
  );
};
