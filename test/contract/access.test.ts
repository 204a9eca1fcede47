import { expect, it } from 'vitest';
import { z } from 'zod';
import { appRouter } from '../../src/modules/app-router.ts';
import { provisioning } from '../../src/modules/provisioning/procedures.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { needsOf, operationsOf, proceduresOf, schemasOf } from '../../src/platform/trpc/procedures.ts';
import { allTools } from '../../src/server/mcp/protocol.ts';
import { calledOperations, everyCall } from '../support/operations.ts';
import { appProcedures } from './rows/app.ts';
import { entranceProcedures } from './rows/entrance.ts';
import { routes } from './rows/routes.ts';
import { tools } from './rows/tools.ts';

// The tables of who may call what against the metadata of the procedures, and their completeness: each procedure, route
// and tool has a row, and each row is about one that exists.

const metaOf = (procedures: ReturnType<typeof proceduresOf>) =>
  Object.fromEntries(procedures.map(([name, { _def }]) => [name, _def.meta ?? {}]));

/** Without the keys that are undefined. */
const given = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

it('every procedure of the app has a row, and its metadata says the same', () => {
  const found = Object.entries(metaOf(proceduresOf(appRouter))).map(([name, meta]) => {
    // How large an answer may be is no matter of who may call it.
    const { large: _large, ...about } = Object(meta);
    return [name, about];
  });
  const wanted = Object.entries(appProcedures).map(([name, { who, freshProof, whileInactive }]) => {
    return [name, given({ needs: who, freshProof: freshProof === 'always' || undefined, whileInactive })];
  });
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
});

it('every procedure of the entrance has a row, and its metadata says the same', () => {
  const wanted = Object.entries(entranceProcedures).map(([name, { companyAccount, proof }]) => {
    const freshProof = proof === 'fresh' || undefined;
    return [name, given({ withCompanyAccount: companyAccount === 'admitted' || undefined, freshProof })];
  });
  expect(metaOf(proceduresOf(entranceRouter))).toEqual(Object.fromEntries(wanted));
});

it('every route has a row, and its metadata says the same', () => {
  const titles = everyCall().map(({ title }) => title);
  expect(titles.toSorted()).toEqual(Object.keys(routes).toSorted());
  for (const { title, operation, query, scopes, privacy } of calledOperations()) {
    const value = operation.needsBy && query[operation.needsBy.parameter];
    const needs = needsOf(operation, value);
    expect({ ...needs, scopes: needs.scopes.toSorted() }, title).toEqual({ scopes: scopes.toSorted(), privacy });
  }
});

it('the router has exactly the routes, statuses and problems of the contract', () => {
  const built = operationsOf(publicRouter).map(({ operation }) => [
    operation.route,
    [operation.status, operation.errors.toSorted()],
  ]);
  const promised = new Map<string, [status: number, problems: Set<string>]>();
  for (const [title, { status = 200, problems = [], scopes, refusedWhileHidden }] of Object.entries(routes)) {
    const [route = ''] = title.split('?');
    const [, all] = promised.get(route) ?? [status, new Set<string>()];
    for (const code of problems) all.add(code);
    if (scopes.length > 0) all.add('insufficient_scope');
    if (refusedWhileHidden) all.add('privacy_restricted');
    if (route.includes('{')) all.add('not_found');
    if (route.startsWith('POST ')) all.add('conflict').add('idempotency_mismatch');
    promised.set(route, [status, all]);
  }
  const wanted = [...promised].map(([route, [status, problems]]) => [route, [status, [...problems].toSorted()]]);
  expect(Object.fromEntries(built)).toEqual(Object.fromEntries(wanted));
});

it('every tool has a row, and its operations need the same scopes', () => {
  const found = allTools.map(({ name, scopes }) => [name, scopes.toSorted()]);
  const wanted = Object.entries(tools).map(([name, { scopes }]) => [name, scopes.toSorted()]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
});

it('every procedure is a query or a mutation, and its input has no key that it does not know', () => {
  for (const router of [appRouter, entranceRouter, publicRouter, provisioning]) {
    for (const [name, procedure] of proceduresOf(router)) {
      expect(['query', 'mutation'], name).toContain(procedure._def.type);
      const { input } = schemasOf([name, procedure]);
      expect(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }), name).toMatchObject({
        additionalProperties: false,
      });
    }
  }
});
