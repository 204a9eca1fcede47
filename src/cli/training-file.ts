import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { english } from '../core/language.ts';
import { fail, Problem } from '../core/problem.ts';
import { trainingStatuses } from '../modules/trainings/schema.ts';
import { Instant } from '../platform/values.ts';
import type { Team } from '../platform/team.ts';
import { recordAll, type TrainingToRecord } from './record-training.ts';

// Trainings in a file: each line is a JSON object with the names of the command's options, such as
// {"member": "…", "score": 72, "at": "…"}

export const usualScore = 70;

const Line = z
  .strictObject({
    member: z.string(),
    status: z.enum(trainingStatuses).optional(),
    score: z.int().min(0).max(100).optional(),
    assignment: z.string().optional(),
    at: Instant.optional(),
  })
  .refine(({ status, score }) => score === undefined || status === undefined || status === 'scored', {
    message: 'A score is for a training that is scored.',
  });
type TrainingOptions = z.output<typeof Line>;

export const trainingOf = ({ member, status, score, assignment, at }: TrainingOptions): TrainingToRecord => ({
  memberId: member,
  assignmentId: assignment,
  at,
  status: status ?? (score === undefined ? 'ended' : 'scored'),
  score: score ?? usualScore,
});

const refuse = (detail: string): never => fail('validation_error', { field: 'file', detail: english(detail) });

const parse = (text: string, number: number): TrainingToRecord => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(`Line ${number} is not JSON.`);
  }
  const read = Line.safeParse(value);
  if (read.success) return trainingOf(read.data);
  const flaws = read.error.issues.map(({ path, message }) => [...path, message].join(': '));
  return refuse(`Line ${number}: ${flaws.join(' ')}`);
};

/** The trainings of a file by line number. Empty lines are skipped. */
export const readTrainings = async (file: string): Promise<Map<number, TrainingToRecord>> => {
  const text = await readFile(file, 'utf8').catch(() => refuse(`The file ${file} can’t be read.`));
  const lines = text.split('\n').map((line, at): [string, number] => [line.trim(), at + 1]);
  return new Map(lines.filter(([line]) => line !== '').map(([line, number]) => [number, parse(line, number)]));
};

/** How many trainings are recorded at once, in one transaction for each lane. */
const atOnce = 200;
const lanes = 4;

type NumberedTraining = readonly [line: number, training: TrainingToRecord];

/** The trainings of a member are in one lane, in their order. */
const inLanes = (entries: readonly NumberedTraining[]): NumberedTraining[][] => {
  const members = [...new Set(entries.map(([, { memberId }]) => memberId))];
  const laneOf = ([, { memberId }]: NumberedTraining) => members.indexOf(memberId) % lanes;
  return [...Map.groupBy(entries, laneOf).values()];
};

/** Records some trainings, all or nothing, and returns their ids with their line numbers. */
const recordLane = async (team: Team, entries: readonly NumberedTraining[]): Promise<[number, string][]> => {
  const lines = entries.map(([line]) => line);
  let at = 0;
  try {
    const trainings = entries.map(([, training]) => training);
    const ids = await recordAll(team, trainings, (index) => (at = index));
    return ids.map((id, index) => [lines[index] ?? 0, id]);
  } catch (error) {
    if (error instanceof Problem) throw new RefusedLine(lines[at] ?? 0, error, lines);
    throw error;
  }
};

/** Why a line was refused, and the lines that were not recorded because of it. */
class RefusedLine extends Error {
  readonly lines: readonly number[];

  constructor(line: number, { message }: Problem, lines: readonly number[]) {
    super(`Line ${line}: ${message}`);
    this.lines = lines;
  }
}

/**
 * Records the trainings of a file, and returns their ids in the order of the lines. The trainings of a member are
 * recorded in their order. If a training is refused, the error names its line and all lines that were not recorded.
 */
export const recordTrainings = async (
  team: Team,
  trainings: ReadonlyMap<number, TrainingToRecord>,
  recorded: (count: number) => void,
): Promise<string[]> => {
  const ids: string[] = [];
  const entries = [...trainings];
  for (let from = 0; from < entries.length; from += atOnce) {
    const results = await Promise.allSettled(
      inLanes(entries.slice(from, from + atOnce)).map((lane) => recordLane(team, lane)),
    );
    const failures = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
    const refused = failures.filter((failure) => failure instanceof RefusedLine);
    if (refused.length < failures.length) throw failures.find((failure) => !(failure instanceof RefusedLine));
    if (refused.length > 0) {
      const lines = refused.flatMap((failure) => failure.lines).toSorted((one, other) => one - other);
      const next = entries[from + atOnce]?.[0];
      const later = next === undefined ? '' : `, and all from line ${next} on`;
      return refuse(`${refused.map(({ message }) => message).join(' ')} Not recorded: ${lines.join(', ')}${later}.`);
    }
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    ids.push(...made.toSorted(([one], [other]) => one - other).map(([, id]) => id));
    recorded(ids.length);
  }
  return ids;
};
