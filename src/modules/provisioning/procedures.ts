import { apiKeyProcedure, keyRouter, type KeyOperationMeta } from '../../platform/trpc/procedures.ts';
import { getGroup, listGroups, patchGroup, refuseGroup, replaceGroup } from './groups.ts';
import {
  ListAnswer,
  ListQuery,
  NewResource,
  NoAnswer,
  ResourceAnswer,
  ResourceChange,
  ResourcePath,
} from './schema.ts';
import { createUser, deleteUser, getUser, listUsers, patchUser, replaceUser } from './service.ts';

// The operations of a directory (SCIM). They are no part of the REST API: the adapter in server/scim calls them.

const about = (route: string, { large }: { large?: true } = {}): KeyOperationMeta => ({
  operation: { route, scope: 'directory:manage', ...(large && { large }) },
});

const declared = {
  listUsers: about('GET /scim/v2/Users', { large: true }),
  getUser: about('GET /scim/v2/Users/{id}'),
  createUser: about('POST /scim/v2/Users'),
  replaceUser: about('PUT /scim/v2/Users/{id}'),
  patchUser: about('PATCH /scim/v2/Users/{id}'),
  deleteUser: about('DELETE /scim/v2/Users/{id}'),
  listGroups: about('GET /scim/v2/Groups', { large: true }),
  getGroup: about('GET /scim/v2/Groups/{id}', { large: true }),
  createGroup: about('POST /scim/v2/Groups'),
  replaceGroup: about('PUT /scim/v2/Groups/{id}'),
  patchGroup: about('PATCH /scim/v2/Groups/{id}'),
  deleteGroup: about('DELETE /scim/v2/Groups/{id}'),
  discover: about('GET /scim/v2/Schemas'),
} as const;

/** The routes with their scope, for people who choose what a key may do. */
export const directoryRoutes = Object.values(declared).map(({ operation: { scope, route } }) => ({ scope, route }));

const page = ({
  filter,
  start_index: startIndex,
  count,
}: {
  filter?: string | undefined;
  start_index: number;
  count: number;
}) => ({
  filter,
  startIndex,
  count,
});

export const provisioning = keyRouter({
  listUsers: apiKeyProcedure
    .meta(declared.listUsers)
    .input(ListQuery)
    .output(ListAnswer)
    .query(({ ctx, input }) => listUsers(ctx.team, page(input))),

  getUser: apiKeyProcedure
    .meta(declared.getUser)
    .input(ResourcePath)
    .output(ResourceAnswer)
    .query(async ({ ctx, input }) => ({ resource: await getUser(ctx.team, input.id) })),

  createUser: apiKeyProcedure
    .meta(declared.createUser)
    .input(NewResource)
    .output(ResourceAnswer)
    .mutation(async ({ ctx, input }) => ({ resource: await createUser(ctx.team, input.body) })),

  replaceUser: apiKeyProcedure
    .meta(declared.replaceUser)
    .input(ResourceChange)
    .output(ResourceAnswer)
    .mutation(async ({ ctx, input }) => ({ resource: await replaceUser(ctx.team, input.id, input.body) })),

  patchUser: apiKeyProcedure
    .meta(declared.patchUser)
    .input(ResourceChange)
    .output(ResourceAnswer)
    .mutation(async ({ ctx, input }) => ({ resource: await patchUser(ctx.team, input.id, input.body) })),

  deleteUser: apiKeyProcedure
    .meta(declared.deleteUser)
    .input(ResourcePath)
    .output(NoAnswer)
    .mutation(async ({ ctx, input }) => {
      await deleteUser(ctx.team, input.id);
      return {};
    }),

  listGroups: apiKeyProcedure
    .meta(declared.listGroups)
    .input(ListQuery)
    .output(ListAnswer)
    .query(({ ctx, input }) => listGroups(ctx.team, { ...page(input), withMembers: input.with_members ?? true })),

  getGroup: apiKeyProcedure
    .meta(declared.getGroup)
    .input(ResourcePath)
    .output(ResourceAnswer)
    .query(async ({ ctx, input }) => ({
      resource: await getGroup(ctx.team, input.id, { withMembers: input.with_members ?? true }),
    })),

  createGroup: apiKeyProcedure
    .meta(declared.createGroup)
    .input(NewResource)
    .output(NoAnswer)
    .mutation(() => refuseGroup()),

  replaceGroup: apiKeyProcedure
    .meta(declared.replaceGroup)
    .input(ResourceChange)
    .output(ResourceAnswer)
    .mutation(async ({ ctx, input }) => ({ resource: await replaceGroup(ctx.team, input.id, input.body) })),

  patchGroup: apiKeyProcedure
    .meta(declared.patchGroup)
    .input(ResourceChange)
    .output(ResourceAnswer)
    .mutation(async ({ ctx, input }) => ({ resource: await patchGroup(ctx.team, input.id, input.body) })),

  deleteGroup: apiKeyProcedure
    .meta(declared.deleteGroup)
    .input(ResourcePath)
    .output(NoAnswer)
    .mutation(() => refuseGroup()),

  /** Checks the key and its scope. The adapter then sends the document, which is the same for all teams. */
  discover: apiKeyProcedure
    .meta(declared.discover)
    .input(NoAnswer)
    .output(NoAnswer)
    .query(() => ({})),
});
