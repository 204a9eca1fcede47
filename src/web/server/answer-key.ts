interface ShownTeam {
  language: string;
  /** The team that the tab shows. */
  team: string | undefined;
}

/** The router and the procedure, with which a key begins. */
const procedureIn = ([router, procedure]: readonly unknown[]): string[] => [router, procedure].flat().map(String);

/**
 * The key of a cached answer. Answers depend on the language, except the answer about who is signed in: it contains the
 * person's language, and two cached answers, one for each language, could contradict each other. Answers about a
 * person's own account are the same in every team.
 */
export const answerKey = (key: readonly unknown[], { language, team }: ShownTeam): readonly unknown[] => {
  const [router, ...procedure] = procedureIn(key);
  const isOfAccount = router === 'entrance';
  const isWho = isOfAccount && procedure.join('.') === 'entrance.who';
  return [key, isWho ? undefined : language, isOfAccount ? undefined : team];
};
