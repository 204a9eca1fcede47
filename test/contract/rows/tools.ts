import type { Member } from '../../../src/modules/membership/schema.ts';
import type { aCombination } from '../../support/practice.ts';
import type { OperationRow } from './kinds.ts';

type Answer = Record<string, unknown>;

/** Whom and what a tool is called for. */
interface Wanted {
  member: Member;
  combination: Awaited<ReturnType<typeof aCombination>>;
}

/** What the sentence of an answer counts. */
interface Counting {
  /** The answer with so many of each thing. */
  with: (answer: Answer, count: number) => Answer;
  /** The sentences for 0, 1, 2 and 1,000 of each. */
  de: readonly string[];
  en: readonly string[];
  /** The sentences for one of each, if there may be more. */
  orMore?: { de: string; en: string };
}

interface ToolRow extends OperationRow {
  /** It creates something. */
  creates?: true;
  /** Valid arguments; none if it is missing. */
  given?: (wanted: Wanted) => Record<string, unknown>;
  /** Null: its sentence counts nothing. */
  sentence: Counting | null;
}

/** So many rows like the first one of a list. */
const rows = (list: unknown, count: number): unknown[] =>
  Array.isArray(list) ? Array.from({ length: count }, (): unknown => list[0]) : [];

const record = (value: unknown): Record<string, unknown> => Object.assign({}, value);

/** The tools of assistants. */
export const tools: Readonly<Record<string, ToolRow>> = {
  team_progress: {
    scopes: ['analytics:read'],
    people: 'member',
    sentence: {
      with: ({ totals, ...answer }, count) => ({
        ...answer,
        totals: { ...record(totals), active_members: count, sessions: count, avg_score: 72.5 },
        skill_gaps: [],
      }),
      de: [
        '0 aktive Mitglieder, 0 Trainings, Durchschnitt 72,5. Lücken: keine.',
        '1 aktives Mitglied, 1 Training, Durchschnitt 72,5. Lücken: keine.',
        '2 aktive Mitglieder, 2 Trainings, Durchschnitt 72,5. Lücken: keine.',
        '1.000 aktive Mitglieder, 1.000 Trainings, Durchschnitt 72,5. Lücken: keine.',
      ],
      en: [
        '0 active members, 0 trainings, mean score 72.5. Gaps: none.',
        '1 active member, 1 training, mean score 72.5. Gaps: none.',
        '2 active members, 2 trainings, mean score 72.5. Gaps: none.',
        '1,000 active members, 1,000 trainings, mean score 72.5. Gaps: none.',
      ],
    },
  },
  // Without names for members, and while they are hidden.
  who_needs_help: { scopes: ['analytics:read'], people: 'member', sentence: null },
  practice_catalog: {
    scopes: ['catalog:read'],
    people: 'member',
    sentence: {
      with: ({ situation, personality, industry, ...answer }, count) => ({
        ...answer,
        situation: rows(situation, count),
        personality: rows(personality, count),
        industry: rows(industry, count),
      }),
      de: [
        '0 Situationen, 0 Persönlichkeiten, 0 Branchen.',
        '1 Situation, 1 Persönlichkeit, 1 Branche.',
        '2 Situationen, 2 Persönlichkeiten, 2 Branchen.',
        '1.000 Situationen, 1.000 Persönlichkeiten, 1.000 Branchen.',
      ],
      en: [
        '0 situations, 0 personalities, 0 industries.',
        '1 situation, 1 personality, 1 industry.',
        '2 situations, 2 personalities, 2 industries.',
        '1,000 situations, 1,000 personalities, 1,000 industries.',
      ],
    },
  },
  // Refused while hidden only if it searches, because addresses are hidden.
  find_member: {
    scopes: ['users:read'],
    people: 'admin',
    given: ({ member }) => ({ search: member.email ?? '' }),
    sentence: {
      with: (answer, count) => ({ members: rows(answer['members'], count), complete: true }),
      de: ['0 Mitglieder gefunden.', '1 Mitglied gefunden.', '2 Mitglieder gefunden.', '1.000 Mitglieder gefunden.'],
      en: ['Found 0 members.', 'Found 1 member.', 'Found 2 members.', 'Found 1,000 members.'],
      orMore: { de: '1+ Mitglieder gefunden.', en: 'Found 1+ members.' },
    },
  },
  member_evaluations: {
    scopes: ['users:read', 'trainings:read', 'evaluations:read'],
    refusedWhileHidden: true,
    people: 'admin',
    given: ({ member }) => ({ member_id: member.id }),
    sentence: null,
  },
  recent_trainings: {
    scopes: ['trainings:read'],
    refusedWhileHidden: true,
    people: 'admin',
    sentence: {
      with: (answer, count) => ({ trainings: rows(answer['trainings'], count), complete: true }),
      de: ['0 Trainings.', '1 Training.', '2 Trainings.', '1.000 Trainings.'],
      en: ['0 trainings.', '1 training.', '2 trainings.', '1,000 trainings.'],
      orMore: { de: '1+ Trainings.', en: '1+ trainings.' },
    },
  },
  list_assignments: {
    scopes: ['assignments:read'],
    refusedWhileHidden: true,
    people: 'admin',
    sentence: {
      with: (answer, count) => ({ assignments: rows(answer['assignments'], count), complete: true }),
      de: [
        '0 Aufgaben, 0 überfällig.',
        '1 Aufgabe, 1 überfällig.',
        '2 Aufgaben, 2 überfällig.',
        '1.000 Aufgaben, 1.000 überfällig.',
      ],
      en: [
        '0 assignments, 0 overdue.',
        '1 assignment, 1 overdue.',
        '2 assignments, 2 overdue.',
        '1,000 assignments, 1,000 overdue.',
      ],
      orMore: { de: '1+ Aufgaben, 1 überfällig.', en: '1+ assignments, 1 overdue.' },
    },
  },
  assign_practice: {
    scopes: ['assignments:write'],
    people: 'admin',
    creates: true,
    given: ({ member, combination }) => ({ member_id: member.id, title: 'Preisgespräch', ...combination }),
    sentence: null,
  },
  assign_practice_to_many: {
    scopes: ['assignments:write'],
    people: 'admin',
    creates: true,
    given: ({ member, combination }) => ({ member_ids: [member.id], title: 'Preisgespräch', ...combination }),
    sentence: {
      with: ({ assigned }, count) => ({
        assigned: rows(assigned, count),
        refused: Array.from({ length: count }, () => ({ member_id: 'm', code: 'not_found', reason: 'Not found' })),
      }),
      de: [
        '0 Aufgaben vergeben, 0 abgelehnt.',
        '1 Aufgabe vergeben, 1 abgelehnt.',
        '2 Aufgaben vergeben, 2 abgelehnt.',
        '1.000 Aufgaben vergeben, 1.000 abgelehnt.',
      ],
      en: [
        '0 assignments created, 0 refused.',
        '1 assignment created, 1 refused.',
        '2 assignments created, 2 refused.',
        '1,000 assignments created, 1,000 refused.',
      ],
    },
  },
  list_cases: {
    scopes: ['cases:read'],
    refusedWhileHidden: true,
    people: 'admin',
    sentence: {
      with: (answer, count) => ({ cases: rows(answer['cases'], count), complete: true }),
      de: ['0 Fälle.', '1 Fall.', '2 Fälle.', '1.000 Fälle.'],
      en: ['0 cases.', '1 case.', '2 cases.', '1,000 cases.'],
      orMore: { de: '1+ Fälle.', en: '1+ cases.' },
    },
  },
  create_case: {
    scopes: ['users:read', 'cases:write'],
    people: 'admin',
    creates: true,
    given: ({ member }) => ({ member_id: member.id, title: 'Neuer Fall', fields: { branche: 'Energie' } }),
    sentence: null,
  },
};
