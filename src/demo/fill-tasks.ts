import { days, later, seconds } from '../core/clock.ts';
import { changeAssignment, createAssignment } from '../modules/assignments/service.ts';
import { abortTraining, endTraining, saveEvaluation, startTraining } from '../modules/trainings/service.ts';
import { teamAt } from '../platform/team.ts';
import { isActive } from './cast.ts';
import type { ActiveMember, Cast } from './cast.ts';
import { assess } from './practice.ts';
import type { Repertoire } from './repertoire.ts';
import { tasks } from './tasks.ts';

/** What becomes of the assignments, over and over. */
const fates = ['done', 'open', 'done', 'in_progress', 'done', 'revoked', 'open'] as const;
type Fate = (typeof fates)[number];

const minutes = (count: number) => seconds(count * 60);

/** Practises what was asked for, well enough. */
const carryOut = async (
  { team, language, chance }: Cast,
  { memberId }: ActiveMember,
  { id, at }: { id: string; at: Date },
) => {
  const started = await startTraining(teamAt(team, at), { memberId, source: 'app', assignment_id: id });
  const ended = later(at, minutes(chance.between(6, 17)));
  await endTraining(teamAt(team, ended), started.training_id);
  const level = chance.between(58, 82);
  const mark = () => level + Math.round(chance.around(12));
  const dimensions = {
    closing: mark(),
    conversation_control: mark(),
    needs_analysis: mark(),
    objection_handling: mark(),
    value_argument: mark(),
  };
  await saveEvaluation(teamAt(team, later(ended, minutes(1))), started.training_id, {
    ...assess(dimensions, language),
    dimensions,
    methodology: null,
  });
};

/** Gives people something to practise, and lets them; the first assignment that is still open. */
export const fillTasks = async (cast: Cast, repertoire: Repertoire): Promise<string> => {
  const { team, language, chance, people } = cast;
  const now = team.platform.clock.now();
  const members = people.filter(isActive).filter(({ role }) => role === 'member');
  let open = '';

  const meet = async (fate: Fate, member: ActiveMember, { id, created }: { id: string; created: Date }) => {
    const soon = later(created, days(1) + minutes(chance.between(0, 300)));
    if (fate === 'done') await carryOut(cast, member, { id, at: soon });
    if (fate === 'revoked') await changeAssignment(teamAt(team, soon), id, { status: 'revoked' });
    if (fate === 'in_progress') {
      const given = { memberId: member.memberId, source: 'app', assignment_id: id } as const;
      const { training_id } = await startTraining(teamAt(team, soon), given);
      await abortTraining(teamAt(team, later(soon, minutes(2))), training_id);
      // And again, right now.
      await startTraining(teamAt(team, later(now, -minutes(3))), given);
    }
    if (fate === 'open') open ||= id;
  };

  for (const [index, { situation, title, note }] of tasks[language].entries()) {
    const member = members[index % members.length];
    if (!member) break;
    const created = later(now, -days(chance.between(3, 25)));
    const { situation_id, personality_id, industry_id } = repertoire.next(situation);
    const { id } = await createAssignment(teamAt(team, created), {
      member_id: member.memberId,
      title,
      situation_id,
      personality_id,
      industry_id,
      note,
      due_date:
        index % 3 === 2
          ? null
          : later(created, days(chance.between(7, 30)))
              .toISOString()
              .slice(0, 10),
    });
    await meet(fates[index % fates.length] ?? 'open', member, { id, created });
  }
  return open;
};
