import type { TestService } from '../support/service.ts';

/**
 * The rows that the API shows: those of members, trainings, assignments, cases, deals and objections, each with its
 * `updated_at`.
 */
const timesOf = async ({ database: { prisma } }: TestService, tenantId: string): Promise<Map<string, number>> => {
  const wanted = { where: { tenantId }, select: { id: true, updatedAt: true } };
  const found = {
    member: await prisma.member.findMany(wanted),
    training: await prisma.training.findMany(wanted),
    assignment: await prisma.assignment.findMany(wanted),
    case: await prisma.case.findMany(wanted),
    deal: await prisma.crmDeal.findMany(wanted),
    objection: await prisma.crmObjection.findMany(wanted),
  };
  return new Map(
    Object.entries(found).flatMap(([resource, rows]) =>
      rows.map(({ id, updatedAt }) => [`${resource} ${id}`, updatedAt.getTime()] as const),
    ),
  );
};

/**
 * The rows of a team that an action made or changed, by their `updated_at`. The clock goes on before, so that each
 * change has a later time.
 */
export const changedBy = async (
  service: TestService,
  team: { id: string },
  action: () => Promise<unknown>,
): Promise<string[]> => {
  const before = await timesOf(service, team.id);
  service.clock.forward(1000);
  const started = service.clock.now().getTime();
  await action();
  const after = await timesOf(service, team.id);
  const changed = [...after].filter(([row, time]) => before.get(row) !== time);
  for (const [row, time] of changed) {
    if (time < started) throw new Error(`${row} has a time before its change`);
  }
  return changed.map(([row]) => row).toSorted();
};
