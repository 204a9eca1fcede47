// Named queries that run on the rows of several teams, each group with its reason. On a distributed database they are
// the ones to look at.

const groups: readonly (readonly [reason: string, names: readonly string[]])[] = [
  [
    'writes what a process has collected for many teams',
    ['requests.save of several teams', 'webhooks.writeOutcomes of several teams', 'webhooks.addJobs of several teams'],
  ],
  [
    'reads for requests of several teams that arrived together',
    ['events.feedStates', 'members.lookUp of several teams', 'trainings.evaluationOf of several teams'],
  ],
  [
    'a sweep of a worker, or a metric',
    ['webhooks.countWaiting', 'webhooks.crowded', 'webhooks.endpointsWithoutJob', 'webhooks.findPaused'],
  ],
  ['a person has teams', ['reporting.teamsOfPerson']],
];

export const severalTeams: readonly string[] = groups.flatMap(([, names]) => names);

/**
 * Of these, the ones that a distributed database refuses, or for which it needs all its machines. There, other statements
 * do the same team by team.
 */
export const neverDistributed: readonly string[] = [
  'requests.save of several teams',
  'webhooks.writeOutcomes of several teams',
];
