import type { Tool } from '../tool.ts';
import { assignPractice, listAssignments, practiceCatalog } from './assignments.ts';
import { createCase, listCases } from './cases.ts';
import { findMember, memberEvaluations, recentTrainings } from './people.ts';
import { teamProgress, whoNeedsHelp } from './progress.ts';

/** All tools, in the order in which they are listed. */
export const allTools: readonly Tool[] = [
  teamProgress,
  whoNeedsHelp,
  findMember,
  memberEvaluations,
  recentTrainings,
  listAssignments,
  assignPractice,
  practiceCatalog,
  listCases,
  createCase,
];

/** Tools by name. */
export const toolNamed: ReadonlyMap<string, Tool> = new Map(allTools.map((tool) => [tool.name, tool]));
