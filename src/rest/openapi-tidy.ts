const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const walk = (value: unknown, visit: (schema: Record<string, unknown>) => void): void => {
  if (!isRecord(value)) return;
  visit(value);
  for (const inner of Object.values(value)) walk(inner, visit);
};

/** Takes out what the generator writes for every integer and what no customer can use: the bounds of a double. */
export const dropNumberBounds = (document: unknown): void =>
  walk(document, (schema) => {
    if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
    if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  });

/** Answers may gain fields at any time: their schemas must not forbid them to a client that validates. */
export const openAnswers = (answerSchemas: unknown): void =>
  walk(answerSchemas, (schema) => {
    if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  });
