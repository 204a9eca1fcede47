// The measured routes as users of trpc-to-openapi write them: its own Express middleware, Zod schemas of input and
// output, Prisma's own client as it comes. A POST writes the same rows as the service.

import { createHash, randomUUID, randomUUIDv7, timingSafeEqual } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { initTRPC, TRPCError } from '@trpc/server';
import express from 'express';
import { createOpenApiExpressMiddleware, type OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import { basePath } from '../../../src/core/product.ts';
import { PrismaClient } from '../../../src/db/generated/client.ts';

const connectionString = process.env['DATABASE_URL'] ?? '';
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) });

interface Context {
  authorization: string | undefined;
}

const t = initTRPC.meta<OpenApiMeta>().context<Context>().create();

/** Finds the key and its team. It counts no request. */
const findKey = async (authorization = '') => {
  const [, , prefix = '', secret = ''] = authorization.slice('Bearer '.length).split('_');
  const named = await prisma.apiKeyPrefix.findUnique({ where: { prefix } });
  if (!named) return undefined;
  const { tenantId, keyId: id } = named;
  const key = await prisma.apiKey.findUnique({ where: { tenantId_id: { tenantId, id } }, include: { team: true } });
  if (!key || !timingSafeEqual(key.secretHash, createHash('sha256').update(secret).digest())) return undefined;
  const isUsable = !key.revokedAt && (!key.expiresAt || key.expiresAt > new Date());
  return isUsable && key.team.status === 'active' && key.team.plan !== 'basic' ? key : undefined;
};

const apiKeyProcedure = t.procedure.use(async ({ ctx, next }) => {
  const key = await findKey(ctx.authorization);
  if (!key) throw new TRPCError({ code: 'UNAUTHORIZED' });
  return next({ ctx: { key, tenantId: key.tenantId } });
});

const Member = z.object({
  id: z.string(),
  user_id: z.string().nullable(),
  email: z.string(),
  role: z.enum(['owner', 'admin', 'member']),
  status: z.enum(['invited', 'active', 'ended']),
  joined_at: z.string().nullable(),
  updated_at: z.string(),
});

const memberColumns = {
  id: true,
  userId: true,
  email: true,
  role: true,
  status: true,
  joinedAt: true,
  updatedAt: true,
} as const;

const presentMember = ({ userId, joinedAt, updatedAt, ...member }: MemberRow): z.output<typeof Member> => {
  const { id, email, role, status } = member;
  const times = { joined_at: joinedAt?.toISOString() ?? null, updated_at: updatedAt.toISOString() };
  return { id, user_id: userId, email, role, status, ...times };
};
type MemberRow = Pick<NonNullable<Awaited<ReturnType<typeof prisma.member.findFirst>>>, keyof typeof memberColumns>;

const NewAssignment = z.object({
  member_id: z.uuid(),
  title: z.string().min(1).max(200),
  situation_id: z.uuid(),
  personality_id: z.uuid(),
  industry_id: z.uuid(),
  note: z.string().max(2_000),
  due_date: z.iso.date(),
});
const Assignment = NewAssignment.omit({ member_id: true }).extend({
  id: z.string(),
  status: z.string(),
  member_user_id: z.string().nullable(),
  member_email: z.string(),
  focus_dimension: z.string().nullable(),
  completed_training_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

const router = t.router({
  getUser: apiKeyProcedure
    .meta({ openapi: { method: 'GET', path: '/users/{member_id}' } })
    .input(z.object({ member_id: z.uuid() }))
    .output(Member)
    .query(async ({ ctx: { tenantId }, input }) => {
      const where = { tenantId_id: { tenantId, id: input.member_id }, status: { not: 'ended' } } as const;
      const row = await prisma.member.findUnique({ where, select: memberColumns });
      if (!row) throw new TRPCError({ code: 'NOT_FOUND' });
      return presentMember(row);
    }),
  listUsers: apiKeyProcedure
    .meta({ openapi: { method: 'GET', path: '/users' } })
    .input(z.object({ limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.uuid().optional() }))
    .output(z.object({ data: z.array(Member), next_cursor: z.string().nullable() }))
    .query(async ({ ctx: { tenantId }, input: { limit, cursor } }) => {
      const rows = await prisma.member.findMany({
        where: { tenantId, status: { not: 'ended' } },
        orderBy: [{ listedAt: 'asc' }, { id: 'asc' }],
        take: limit + 1,
        ...(cursor && { cursor: { tenantId_id: { tenantId, id: cursor } }, skip: 1 }),
        select: memberColumns,
      });
      const data = rows.slice(0, limit).map(presentMember);
      return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
    }),
  createAssignment: apiKeyProcedure
    .meta({ openapi: { method: 'POST', path: '/assignments' } })
    .input(NewAssignment)
    .output(Assignment)
    .mutation(async ({ ctx: { key, tenantId }, input: { member_id, due_date, ...wanted } }) => {
      const [id, eventId, createdAt] = [randomUUIDv7(), randomUUIDv7(), new Date()];
      const { title, note, situation_id: situationId, personality_id: personalityId } = wanted;
      const items = [situationId, personalityId, wanted.industry_id];
      return prisma.$transaction(async (tx) => {
        const member = await tx.member.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id: member_id } } });
        const blocks = { none: { tenantId } };
        const released = await tx.catalogItem.count({ where: { id: { in: items }, teamBlocks: blocks } });
        if (released < items.length) throw new TRPCError({ code: 'FORBIDDEN' });
        const chosen = { situationId, personalityId, industryId: wanted.industry_id };
        const dueDate = new Date(due_date);
        await tx.assignment.create({
          data: { tenantId, id, memberId: member_id, title, note, dueDate, createdAt, updatedAt: createdAt, ...chosen },
        });
        const type = 'assignment.created';
        const data = JSON.stringify({ team_id: tenantId, assignment_id: id, status: 'open', due_date });
        await tx.webhookEvent.create({ data: { tenantId, id: eventId, type, data, createdAt } });
        const endpoints = await tx.webhookEndpoint.findMany({
          where: { tenantId, status: 'active', events: { has: type } },
          select: { id: true },
        });
        const told = endpoints.map(({ id: endpointId }) => ({ tenantId, endpointId, deliveryId: randomUUIDv7() }));
        await tx.webhookDelivery.createMany({
          data: told.map(({ deliveryId, endpointId }) => {
            return { tenantId, id: deliveryId, endpointId, eventId, eventType: type, nextTryAt: createdAt, createdAt };
          }),
        });
        await tx.webhookWaiting.createMany({ data: told.map((row) => ({ ...row, dueAt: createdAt })) });
        await tx.auditEntry.create({
          data: {
            tenantId,
            id: randomUUIDv7(),
            actorKind: 'key',
            actorId: key.id,
            action: type,
            targetType: 'assignment',
            targetId: id,
            data: { member_id, title },
            requestId: randomUUID(),
            createdAt,
          },
        });
        const shown = { member_user_id: member.userId, member_email: member.email, focus_dimension: null };
        const [created_at, completed_training_id] = [createdAt.toISOString(), null];
        return {
          id,
          status: 'open',
          ...wanted,
          ...shown,
          due_date,
          completed_training_id,
          created_at,
          updated_at: created_at,
        };
      });
    }),
});

express()
  .disable('x-powered-by')
  .get('/readyz', (_request, response) => void response.json({}))
  .use(
    basePath,
    createOpenApiExpressMiddleware({
      router,
      createContext: ({ req }: { req: express.Request }): Context => ({ authorization: req.headers.authorization }),
    }),
  )
  .listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
