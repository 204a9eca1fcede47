import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../scripts/openapi/breaking-changes.ts';

const description = () => ({
  paths: {
    '/users': {
      get: {
        summary: 'List',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 200 } }],
        security: [{ apiKey: ['users:read'] }],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { id: { type: 'string' }, title: { type: 'string' } },
                  required: ['id'],
                },
              },
            },
          },
          404: { content: { 'application/problem+json': { schema: { enum: ['not_found'] } } } },
        },
      },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
            },
          },
        },
      },
    },
  },
});

type Description = ReturnType<typeof description>;
const changed = (change: (next: Description) => void): string[] => {
  const next = description();
  change(next);
  return breakingChanges(description(), next);
};
const schemaOf = (next: Description) => next.paths['/users'].get.responses[200].content['application/json'].schema;
const bodyOf = (next: Description) => next.paths['/users'].post.requestBody.content['application/json'].schema;

describe('breakingChanges', () => {
  it.each<[string, (next: Description) => void]>([
    ['nothing', () => {}],
    ['other words', (next) => (next.paths['/users'].get.summary = 'Show')],
    ['a new route', (next) => Object.assign(next.paths, { '/cases': {} })],
    ['a new field of an answer', (next) => Object.assign(schemaOf(next).properties, { email: { type: 'string' } })],
    [
      'a new optional parameter',
      (next) => next.paths['/users'].get.parameters.push({ name: 'a', in: 'query', schema: { type: 'x', maximum: 1 } }),
    ],
    [
      'a new optional field of a body',
      (next) => Object.assign(bodyOf(next).properties, { lang: { type: 'string', format: 'x' } }),
    ],
    ['a restriction of a body gone', (next) => Reflect.deleteProperty(bodyOf(next), 'required')],
  ])('accepts: %s', (_what, change) => expect(changed(change)).toEqual([]));

  it('refuses an enum of a request that becomes narrower', () => {
    const role = { type: 'string', enum: ['admin', 'member'] };
    const asking = (schema: object) => ({
      paths: { '/users': { get: { parameters: [{ name: 'role', in: 'query', schema }] } } },
    });
    expect(breakingChanges(asking({ type: 'string' }), asking(role))).toHaveLength(1);
    expect(breakingChanges(asking(role), asking({ ...role, enum: ['admin'] }))).toHaveLength(1);
  });

  it('accepts changed names, because clients do not send them', () => {
    const named = (name: string) => ({
      paths: { '/users': { get: { operationId: `list${name}`, schema: { $ref: `#/components/schemas/${name}` } } } },
      components: { schemas: { [name]: { type: 'object', properties: { id: { type: 'string' } } } } },
    });
    expect(breakingChanges(named('Member'), named('Person'))).toEqual([]);
    const next = named('Person');
    Object.assign(next.components.schemas, { Person: { type: 'object', properties: {} } });
    expect(breakingChanges(named('Member'), next)).toEqual([expect.stringContaining('id is gone')]);
  });

  it('reads the parts of an object, and words beside a reference, as one', () => {
    const before = {
      schema: { allOf: [{ $ref: '#/components/A' }, { properties: { b: { type: 'string' } } }] },
      components: { A: { properties: { a: { default: 1 } } } },
    };
    expect(breakingChanges(before, { schema: { properties: { a: { default: 1 }, b: { type: 'string' } } } })).toEqual(
      [],
    );
    expect(breakingChanges(before, { schema: { properties: { a: { default: 1 } } } })).toHaveLength(1);
    const beside = (more: object) => ({
      schema: { $ref: '#/components/A', ...more },
      components: { A: { type: 'string' } },
    });
    expect(breakingChanges(beside({ default: 'a' }), beside({}))).toEqual(['schema: default is gone']);
  });

  it('accepts a part that moves to the components, and reports its changes there', () => {
    const shared = (limit: object) => ({
      paths: { '/users': { get: { parameters: [{ $ref: '#/components/parameters/Limit' }] } } },
      components: { parameters: { Limit: { name: 'limit', in: 'query', schema: limit } } },
    });
    const before = {
      paths: { '/users': { get: { parameters: [{ name: 'limit', in: 'query', schema: { maximum: 200 } }] } } },
    };
    expect(breakingChanges(before, shared({ maximum: 200 }))).toEqual([]);
    expect(breakingChanges(before, shared({ maximum: 100 }))).toHaveLength(1);
    expect(breakingChanges(shared({ maximum: 200 }), before)).toEqual([]);
  });

  it.each<[string, (next: Description) => void]>([
    ['a route gone', (next) => Reflect.deleteProperty(next.paths, '/users')],
    ['a field of an answer gone', (next) => Reflect.deleteProperty(schemaOf(next).properties, 'id')],
    ['a field named like prose gone', (next) => Reflect.deleteProperty(schemaOf(next).properties, 'title')],
    ['another type', (next) => (schemaOf(next).properties.id.type = 'integer')],
    ['a field no longer sure', (next) => (schemaOf(next).required = [])],
    ['a status gone', (next) => Reflect.deleteProperty(next.paths['/users'].get.responses, '404')],
    ['a parameter gone', (next) => next.paths['/users'].get.parameters.pop()],
    [
      'a new required parameter',
      (next) =>
        next.paths['/users'].get.parameters.push(
          Object.assign({ name: 'b', in: 'query', schema: { type: 'x', maximum: 1 } }, { required: true }),
        ),
    ],
    [
      'a tighter limit',
      (next) => next.paths['/users'].get.parameters.forEach((parameter) => (parameter.schema.maximum = 100)),
    ],
    ['a new restriction of a body', (next) => Object.assign(bodyOf(next).properties.email, { maxLength: 10 })],
    ['a new required field of a body', (next) => bodyOf(next).required.push('lang')],
    ['another scope', (next) => (next.paths['/users'].get.security = [{ apiKey: ['users:write'] }])],
  ])('reports: %s', (_what, change) => expect(changed(change)).toHaveLength(1));
});
