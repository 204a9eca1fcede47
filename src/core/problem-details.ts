/** Details of problems that the app says in the reader's language. */
export const problemDetails = {
  teamChanges: 'All people of a team together can make a limited number of changes in the app within a minute.',
} as const;
