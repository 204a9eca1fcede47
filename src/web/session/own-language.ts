import { useMutation } from '@tanstack/react-query';
import { notifyProblem } from '../kit/page/messages.tsx';
import type { Language } from '../language/language.tsx';
import { entrance } from '../server/server.ts';

/** Stores the language that the person has chosen here, for their mails and their other browsers. */
export const useKeepLanguage = (): ((language: Language) => void) => {
  const { mutate } = useMutation({ ...entrance.account.changeMe.mutationOptions(), onError: notifyProblem });
  return (language) => mutate({ language });
};
