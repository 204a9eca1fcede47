/** How many refused requests of a flood the request log keeps. */
export const requestLogLimits = {
  /** Refusals of a key with the same answer in a minute that get a row each. One more row counts the others. */
  refusalsPerMinute: 10,
  /** Characters of texts that callers choose. */
  pathCharacters: 300,
  queryCharacters: 500,
  agentCharacters: 200,
  detailCharacters: 300,
  /** How many flaws of an invalid request are kept. */
  flaws: 10,
} as const;
