import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { appRouter } from '../../src/modules/app-router.ts';
import { readDocument } from '../../src/modules/catalog/document.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { lastLink } from '../members/links.ts';
import { anAuthenticator } from '../support/authenticators.ts';
import { makeBrowser, type AppAnswer, aSignedInPerson, testPassword } from '../support/people.ts';
import { aCatalogItem } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService();
const team = await aTeam(service, { seats: 500 });
const { browser } = await aSignedInPerson(service, team, { role: 'admin', rights: ['schnittstellen'] });

// The rule for names itself is tested in test/core/name-text.test.ts.

/** Names that are refused everywhere. */
const hidden = ['Team\r\nBcc: all@victim.example', 'Team\u202egnp.exe'];
/** A name that is refused for teams and people, because mails show it to people who do not know the author. */
const link = 'Visit https://evil.example now';

interface Taker {
  /** Whether the name may reach the mails of people who do not know its author. */
  reachesMails: boolean;
  give: (name: string) => Promise<AppAnswer>;
}

const inTeam = (path: string, input: object) => browser.mutate(path, input, { team: team.id });

const createdItem = () => aCatalogItem(service, { dimension: 'situation', tenantId: team.id });

/** The only passkey of all people in this file. */
const addPasskey = async (name: string): Promise<AppAnswer> => {
  await service.database.prisma.passkey.deleteMany();
  const { data } = await browser.mutate('entrance/account.newPasskeyQuestion');
  return browser.mutate('entrance/account.addPasskey', { name, passkey: anAuthenticator().create(data) });
};

/** All procedures of the app that take a name. */
const takers: Readonly<Record<string, Taker>> = {
  'app/team.change': { reachesMails: true, give: (name) => inTeam('app/team.change', { name }) },
  'app/keys.create': {
    reachesMails: false,
    give: (name) => inTeam('app/keys.create', { name, scopes: ['users:read'] }),
  },
  'app/catalog.createItem': {
    reachesMails: false,
    give: (name) => inTeam('app/catalog.createItem', { dimension: 'situation', name: { de: name } }),
  },
  'app/catalog.changeItem': {
    reachesMails: false,
    give: async (name) => inTeam('app/catalog.changeItem', { item_id: await createdItem(), name: { en: name } }),
  },
  'entrance/account.changeMe': {
    reachesMails: true,
    give: (name) => browser.mutate('entrance/account.changeMe', { name }),
  },
  'entrance/account.addPasskey': { reachesMails: false, give: (name) => addPasskey(name) },
  'entrance/account.renamePasskey': {
    reachesMails: false,
    give: async (name) => {
      await addPasskey('Laptop');
      const [passkey] = await service.database.prisma.passkey.findMany({ select: { id: true } });
      return browser.mutate('entrance/account.renamePasskey', { passkey_id: passkey?.id, name });
    },
  },
  'entrance/entrance.acceptInvitation': {
    reachesMails: true,
    give: async (name) => {
      const email = anEmail('invited');
      await team.anInvitedMember({ email });
      const token = await lastLink(service, email);
      return makeBrowser(service).mutate('entrance/entrance.acceptInvitation', { token, name, password: testPassword });
    },
  },
};

const takesName = (input: unknown): boolean => input instanceof z.ZodObject && 'name' in input.shape;

const Inputs = z.object({ inputs: z.array(z.unknown()) });

const proceduresThatTakeNames = (router: AnyRouter, prefix: string): string[] =>
  Object.entries<AnyProcedure>(router._def.procedures)
    .filter(([, { _def }]) => Inputs.parse(_def).inputs.some(takesName))
    .map(([path]) => `${prefix}/${path}`);

it('every procedure that takes a name is tested here', () => {
  const found = [
    ...proceduresThatTakeNames(appRouter, 'app'),
    ...proceduresThatTakeNames(entranceRouter, 'entrance'),
    ...proceduresThatTakeNames(publicRouter, 'api'),
  ];
  expect(new Set(found)).toEqual(new Set(Object.keys(takers)));
});

describe.each(Object.entries(takers))('the name that %s takes', (path, { reachesMails, give }) => {
  it.each(hidden)('is refused with its field if it is %j', async (name) => {
    const { status, problem } = await give(name);
    expect(status).toBe(422);
    expect(problem['code']).toBe('validation_error');
    expect(JSON.stringify(problem['errors'] ?? problem['field'])).toContain('name');
  });

  it(`${reachesMails ? 'is refused if it holds' : 'may hold'} a link`, async () => {
    const answer = await give(link);
    expect(answer.status, path).toBe(reachesMails ? 422 : 200);
    if (reachesMails) expect(JSON.stringify(answer.problem['errors'] ?? answer.problem['field'])).toContain('name');
  });

  it('can be an ordinary one', async () => {
    expect((await give('Nordlicht GmbH & Co. KG')).status).toBe(200);
  });
});

it('a catalog file with hidden characters in a name is refused too', () => {
  const file = (de: string) => Buffer.from(JSON.stringify({ items: { role: [{ key: 'x', name: { de } }] } }));
  expect(readDocument(file('Bauleitung'))).toMatchObject({ items: { role: [{ name: { de: 'Bauleitung' } }] } });
  expect(() => readDocument(file('Bau\u202eleitung'))).toThrow('single line');
});
