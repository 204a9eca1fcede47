import { expect } from 'vitest';
import { enterpriseUrn, messageUrns, userUrn } from '../../src/core/scim/schemas.ts';
import { makeClient, type Answer, type Client } from './client.ts';
import type { TestService } from './service.ts';
import { anEmail, type KeyOptions, type TestTeam } from './team.ts';

/** A client of a customer's directory. */
export interface Directory extends Client {
  put(path: string, body: unknown): Promise<Answer>;
}

/** A directory with a key of the team that has its scope. */
export const aDirectory = async (
  service: TestService,
  team: TestTeam,
  options: KeyOptions = {},
): Promise<Directory> => {
  const { text } = await team.aKey({ scopes: ['directory:manage'], ...options });
  return directoryWith(service, text);
};

export const directoryWith = (service: TestService, key: string | undefined): Directory => {
  const client = makeClient(`${service.origin}/scim/v2`, key);
  const headers = { 'Content-Type': 'application/scim+json' };
  const request: Client['request'] = (method, path, options = {}) =>
    client.request(method, path, {
      ...options,
      headers: { ...(options.body !== undefined && headers), ...options.headers },
    });
  return {
    key,
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body, options) => request('POST', path, { ...options, body }),
    put: (path, body) => request('PUT', path, { body }),
    patch: (path, body, options) => request('PATCH', path, { ...options, body }),
    delete: (path, options) => request('DELETE', path, options),
  };
};

/** A person as a directory sends them. */
export const aScimUser = (more: object = {}): { userName: string; [name: string]: unknown } => ({
  schemas: [userUrn, enterpriseUrn],
  userName: anEmail('directory'),
  name: { givenName: 'Vera', familyName: 'Kauf' },
  displayName: 'Vera Kauf',
  active: true,
  ...more,
});

export const patchOf = (...operations: object[]) => ({ schemas: [messageUrns.patch], Operations: operations });

/** Adds a person who must be accepted. Returns the answer's body. */
export const added = async (directory: Directory, more: object = {}): Promise<Record<string, unknown>> => {
  const answer = await directory.post('/Users', aScimUser(more));
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

export const found = async (directory: Directory, filter: string): Promise<Record<string, unknown>[]> => {
  const answer = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`);
  expect(answer.status, answer.text).toBe(200);
  const { Resources } = answer.body;
  if (!Array.isArray(Resources)) throw new Error('a list has no Resources');
  return Resources;
};

/** A refusal in the form of SCIM. */
export const expectScimError = (
  answer: Answer,
  status: number,
  scimType?: string,
  detail: unknown = expect.any(String),
) => {
  expect([answer.status, answer.headers.get('content-type')], answer.text).toEqual([
    status,
    'application/scim+json; charset=utf-8',
  ]);
  expect(answer.body).toEqual({
    schemas: [messageUrns.error],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail,
    request_id: answer.headers.get('x-request-id'),
  });
};
