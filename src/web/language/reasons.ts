import type { wordsFor as wordsOfList } from '../../core/reasons.ts';
import { translateNow } from './language.tsx';

// The server's sentences in the reader's language. The list is large, and most pages never show one, so it is loaded with the first
// refusal, or by the pages that show reasons (`all-reasons.ts`).

type WordsFor = typeof wordsOfList;

let wordsFor: WordsFor | undefined;

export const setWords = (words: WordsFor): void => {
  wordsFor = words;
};

/** Loads the list. If that fails, the server's English sentences are shown. */
export const loadReasons = async (): Promise<void> => {
  if (!wordsFor)
    await import('../../core/reasons.ts').then(
      (list) => setWords(list.wordsFor),
      () => undefined,
    );
};

/** A sentence of the server in the reader's language; undefined if the server has no words for people. */
export const inWords = (sentence: string): string | undefined => {
  const words = wordsFor?.(sentence);
  return words && translateNow(words.de, words.en);
};
