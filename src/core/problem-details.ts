/** Details of problems for which the app has a title of its own in both languages. */
export const problemDetails = {
  teamChanges: 'All people of a team together can make a limited number of changes in the app within a minute.',
  apiIsOff: 'The team’s plan does not include the API, or the team is not active.',
  maintenance: 'Maintenance is under way.',
} as const;
