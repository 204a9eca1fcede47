const id = (last: string): string => `01990c1e-7a00-7000-8000-0000000000${last}`;

/** The ids in all examples of the API's description. All examples use the same ids for the same resources. */
export const exampleIds = {
  team: id('01'),
  member: id('10'),
  user: id('11'),
  otherMember: id('12'),
  training: id('20'),
  assignment: id('30'),
  case: id('40'),
  situation: id('51'),
  otherSituation: id('52'),
  personality: id('53'),
  industry: id('54'),
  role: id('55'),
  methodology: id('56'),
  connection: id('60'),
  deal: id('70'),
  objection: id('71'),
  event: id('80'),
  endpoint: id('90'),
  delivery: id('91'),
  auditEntry: id('a0'),
  /** An id that is not in the catalog of the examples. */
  unknownSituation: id('99'),
} as const;
