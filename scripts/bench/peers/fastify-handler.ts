// The bare handler with Fastify in place of Express: the same statements, and answers serialized from a schema where
// Fastify's users would give one.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { basePath } from '../../../src/core/product.ts';
import { admit, createAssignment, getMember, listMembers, type NewAssignment } from '../bare-actions.ts';

/**
 * The part of Fastify that the bench calls. Fastify is not a dependency of the project, so its own types are absent.
 */
interface Fastify {
  get(path: string, options: object, handle: Handle): Fastify;
  post(path: string, options: object, handle: Handle): Fastify;
  listen(options: { port: number; host: string }): Promise<string>;
}
interface Call {
  params: { id: string };
  query: { limit: string };
  body: NewAssignment;
  headers: { authorization?: string };
  ip: string;
}
interface Reply {
  headers(headers: Record<string, string>): Reply;
  code(status: number): Reply;
}
type Handle = (request: Call, reply: Reply) => Promise<unknown>;

const modules = createRequire(join(process.env['PEERS_FOLDER'] ?? '', 'light', 'package.json'));
const { fastify }: { fastify: (options: object) => Fastify } = modules('fastify');

const admitted = async ({ headers, ip }: Call, reply: Reply) => {
  const caller = await admit(headers.authorization, ip);
  reply.headers(caller.headers);
  return caller;
};

const text = { type: ['string', 'null'] };
const member = {
  type: 'object',
  properties: { id: text, user_id: text, email: text, role: text, status: text, joined_at: text, updated_at: text },
};
const page = { type: 'object', properties: { data: { type: 'array', items: member }, next_cursor: text } };

await fastify({ logger: false })
  .get('/readyz', {}, async () => ({}))
  .get(`${basePath}/users/:id`, { schema: { response: { 200: member } } }, async (request, reply) =>
    getMember(await admitted(request, reply), request.params.id),
  )
  .get(`${basePath}/users`, { schema: { response: { 200: page } } }, async (request, reply) =>
    listMembers(await admitted(request, reply), Number(request.query.limit)),
  )
  .post(`${basePath}/assignments`, {}, async (request, reply) => {
    const assignment = await createAssignment(await admitted(request, reply), request.body);
    reply.code(201).headers({ location: `${basePath}/assignments/${assignment.id}` });
    return assignment;
  })
  .listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });

process.on('SIGTERM', () => process.exit(0));
