/** Requests and answers. */
export const httpLimits = {
  /** Lines in the header of a request. */
  headerLines: 100,
  /** How much of a header with preferences is read (`Accept`, `Accept-Language`). Parsing a longer one could take milliseconds. */
  preferenceCharacters: 400,
  /** The body of a request at the app's sign-in pages, which anybody may send. */
  entranceBodyBytes: 16 * 1024,
  queryParameters: 100,
  /** The largest answer. A larger one would be a bug. */
  answerBytes: 2 * 1024 * 1024,
} as const;
