import { daysToMs, later, secondsToMs } from '../../core/clock.ts';
import type { ForEachLanguage } from '../../core/language.ts';
import { changeAssignment, createAssignment } from '../../modules/assignments/service.ts';
import { abortTraining, endTraining, startTraining, saveEvaluation } from '../../modules/trainings/service.ts';
import { teamAt } from '../../platform/team.ts';
import { isActive, type ActiveMember, type Cast } from './cast.ts';
import { sampleEvaluation } from './sample-evaluation.ts';
import type { Repertoire } from './repertoire.ts';

/** The final states of the assignments, repeated in this order. */
const finalStates = ['done', 'open', 'done', 'in_progress', 'done', 'revoked', 'open'] as const;
type FinalState = (typeof finalStates)[number];

const minutes = (count: number) => secondsToMs(count * 60);

/** Completes an assignment with a training and an evaluation. */
const carryOut = async (
  { team, language, chance }: Cast,
  { memberId }: ActiveMember,
  { id, at }: { id: string; at: Date },
) => {
  const started = await startTraining(teamAt(team, at), { memberId, source: 'app', assignmentId: id });
  const ended = later(at, minutes(chance.between(6, 17)));
  await endTraining(teamAt(team, ended), started.trainingId);
  const level = chance.between(58, 82);
  const mark = () => level + Math.round(chance.around(12));
  const dimensions = {
    closing: mark(),
    conversation_control: mark(),
    needs_analysis: mark(),
    objection_handling: mark(),
    value_argument: mark(),
  };
  await saveEvaluation(teamAt(team, later(ended, minutes(1))), started.trainingId, {
    ...sampleEvaluation(dimensions, language),
  });
};

/** Creates the assignments, brings each to its final state, and returns the id of the first open one. */
export const fillTasks = async (cast: Cast, repertoire: Repertoire): Promise<string> => {
  const { team, language, chance, people } = cast;
  const now = team.platform.clock.now();
  const members = people.filter(isActive).filter(({ role }) => role === 'member');
  let open = '';

  const meet = async (fate: FinalState, member: ActiveMember, { id, created }: { id: string; created: Date }) => {
    const soon = later(created, daysToMs(1) + minutes(chance.between(0, 300)));
    if (fate === 'done') await carryOut(cast, member, { id, at: soon });
    if (fate === 'revoked') await changeAssignment(teamAt(team, soon), id, { status: 'revoked' });
    if (fate === 'in_progress') {
      const given = { memberId: member.memberId, source: 'app', assignmentId: id } as const;
      const { trainingId } = await startTraining(teamAt(team, soon), given);
      await abortTraining(teamAt(team, later(soon, minutes(2))), trainingId);
      // The member practises it again right now.
      await startTraining(teamAt(team, later(now, -minutes(3))), given);
    }
    if (fate === 'open') open ||= id;
  };

  for (const [index, { situation, title, note }] of tasks[language].entries()) {
    const member = members[index % members.length];
    if (!member) break;
    const created = later(now, -daysToMs(chance.between(3, 25)));
    const { situationId, personalityId, industryId } = repertoire.next(situation);
    const { id } = await createAssignment(teamAt(team, created), {
      memberId: member.memberId,
      title,
      situationId,
      personalityId,
      industryId,
      note,
      dueDate:
        index % 3 === 2
          ? null
          : later(created, daysToMs(chance.between(7, 30)))
              .toISOString()
              .slice(0, 10),
    });
    await meet(finalStates[index % finalStates.length] ?? 'open', member, { id, created });
  }
  return open;
};

interface SampleAssignment {
  /** The situation's key in the starter catalog. */
  situation: string;
  title: string;
  note?: string;
}

/** The assignments of a demo team. */
const tasks: ForEachLanguage<readonly [SampleAssignment, ...SampleAssignment[]]> = {
  de: [
    {
      situation: 'objection_price',
      title: 'Preiseinwand ohne Rabatt auffangen',
      note: 'Bitte vor dem Jahresgespräch mit Stadtwerke Lindau.',
    },
    { situation: 'needs_analysis', title: 'Erstgespräch mit skeptischem Einkauf' },
    {
      situation: 'needs_analysis',
      title: 'Bedarfsanalyse: drei Folgefragen je Antwort',
      note: 'Achte darauf, nicht vor Minute fünf zu argumentieren.',
    },
    { situation: 'churn_prevention', title: 'Kündigung abwenden, Bestandskunde Gewerbe' },
    {
      situation: 'closing',
      title: 'Abschluss mit konkretem Termin',
      note: 'Mindestens ein Terminvorschlag, besser zwei.',
    },
    { situation: 'cold_call', title: 'Kaltakquise: Einstieg in 30 Sekunden' },
    { situation: 'complaint', title: 'Reklamation nach Abrechnungsfehler', note: 'Erst zuhören, dann klären.' },
    { situation: 'business_case', title: 'Mehrwert Photovoltaik in Euro ausdrücken' },
    { situation: 'proposal_follow_up', title: 'Nachfassen beim ruhenden Angebot' },
    {
      situation: 'product_demo',
      title: 'Gespräch mit zwei Entscheidern führen',
      note: 'Geschäftsführung und Technik sitzen gemeinsam am Tisch.',
    },
  ],
  en: [
    {
      situation: 'objection_price',
      title: 'Hold the price without a discount',
      note: 'Please before the renewal call with Millbrook Logistics.',
    },
    { situation: 'needs_analysis', title: 'Discovery call with a sceptical buyer' },
    {
      situation: 'needs_analysis',
      title: 'Needs analysis: three follow-ups per answer',
      note: 'Try not to pitch before minute five.',
    },
    { situation: 'churn_prevention', title: 'Save a cancellation, existing customer' },
    { situation: 'closing', title: 'Close with a concrete date', note: 'One date at least, two are better.' },
    { situation: 'cold_call', title: 'Cold call: thirty-second opening' },
    { situation: 'complaint', title: 'Complaint after a billing error', note: 'Listen first, clarify second.' },
    { situation: 'business_case', title: 'Put the value in pounds' },
    { situation: 'proposal_follow_up', title: 'Follow up on a dormant quote' },
    {
      situation: 'product_demo',
      title: 'Lead a call with two decision makers',
      note: 'Finance and IT are both in the room.',
    },
  ],
};
