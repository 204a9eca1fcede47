import { useText } from '../language/language.ts';
import { flawsByField, problemOf } from '../server/problem.ts';

/** What is wrong with the name of a person or team, where the server refused one. */
export const useNameFlaw = (): ((error: unknown) => string | undefined) => {
  const t = useText();
  return (error) =>
    flawsByField(problemOf(error))['name'] === undefined
      ? undefined
      : t(
          'Der Name ist zu lang oder enthält etwas, das nicht erlaubt ist: unsichtbare Zeichen, eine Web- oder eine E-Mail-Adresse. Schreiben Sie nach einem Punkt ein Leerzeichen.',
          'The name is too long or contains something that is not allowed: invisible characters, a web address or an email address. Write a space after a full stop.',
        );
};
