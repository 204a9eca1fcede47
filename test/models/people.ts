import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { daysToMs, utcDay } from '../../src/core/clock.ts';
import { demandSignIn, switchProvider } from '../../src/modules/company-sign-in/service.ts';
import { lastLink } from '../members/links.ts';
import { inTheApp } from '../support/app-caller.ts';
import { makeBrowser, type BrowserSession, aPerson, testPassword } from '../support/people.ts';
import type { Answer, Client } from '../support/client.ts';
import { startCompanies, type Companies, type Company } from '../support/company.ts';
import { readToEnd } from '../support/pages.ts';
import { aDirectory, type Directory } from '../support/scim.ts';
import type { TestTeam } from '../support/team.ts';
import { itWalks, pick, step } from './walks.ts';

// Members, roles, seats and sign-ins as the contract and the documentation describe them. Olga founded the team, Ada and
// Ben are admins. Vera, Mia and Tom have addresses of the company. The company's directory is one more writer.

const colleagues = ['Vera', 'Mia', 'Tom'] as const;
const everybody = ['Olga', 'Ada', 'Ben', ...colleagues] as const;
type Name = (typeof everybody)[number];

interface Member {
  id: string;
  role: 'owner' | 'admin' | 'member';
  status: 'invited' | 'active';
  /** Of the last invitation: its link, and when it expires. */
  link: string;
  invitedUntil: number;
}

/** Somebody of whom the directory has said something. */
interface Entry {
  id: string;
  /** The role for a return. */
  role: 'admin' | 'member';
  /** Whether it had a membership: then they come back at the address of it. */
  wasLinked: boolean;
  isRenamed: boolean;
}

interface Session {
  browser: BrowserSession;
  way: 'password' | 'company';
  /** Whether it began a short time ago. */
  isFresh: boolean;
}

interface Model {
  now: () => number;
  seats: number;
  present: Map<Name, Member>;
  /** Everybody who was in the team and has left it, with the last membership. */
  former: Map<Name, Member>;
  /** Everybody who has ever been an active member. */
  wereActive: Set<Name>;
  passwords: Set<Name>;
  sessions: Map<Name, Session>;
  providerIsOn: boolean;
  demand: 'none' | 'company';
  /** The days on which invitations were mailed to each person. */
  mailed: Map<Name, string[]>;
  /** Each key, and the membership that created it. */
  keys: { client: Client; creator: Member }[];
  entries: Map<Name, Entry>;
  /** The key of the directory. */
  directory: { client: Directory; creator: Member };
  events: string[];
}

interface Real {
  companies: Companies;
  company: Company;
  team: TestTeam;
  emails: Record<Name, string>;
  /** The logins of the company accounts. */
  logins: Record<Name, string>;
  /** What the directory may call somebody after a renaming. */
  otherNames: Record<Name, string>;
}

// The model

const isPresent = ({ present }: Model, member: Member): boolean => [...present.values()].includes(member);

/** Whether a key may grant and revoke the role admin. */
const vouches = (model: Model, { creator }: Pick<Model['keys'][number], 'creator'>): boolean =>
  isPresent(model, creator) && creator.status === 'active' && creator.role !== 'member';

const activeAdmins = ({ present }: Model): Member[] =>
  [...present.values()].filter(({ role, status }) => role === 'admin' && status === 'active');

const isLastAdmin = (model: Model, member: Member): boolean =>
  activeAdmins(model).includes(member) && activeAdmins(model).length === 1;

/** A person gets at most three invitations of a team in a day. */
const canBeMailed = ({ mailed, now }: Model, name: Name): boolean => {
  const today = utcDay(new Date(now()));
  return (mailed.get(name) ?? []).filter((day) => day === today).length < 3;
};

const isFull = ({ present, seats }: Model): boolean => present.size >= seats;

const join = (model: Model, name: Name, member: Pick<Member, 'id' | 'role' | 'status'>): Member => {
  const joined = { link: '', invitedUntil: 0, ...member };
  model.present.set(name, joined);
  const entry = model.entries.get(name);
  if (entry) entry.wasLinked = true;
  model.events.push(`member.joined ${member.id}`);
  return joined;
};

const leave = (model: Model, name: Name, member: Member): void => {
  model.present.delete(name);
  model.former.set(name, member);
  const entry = model.entries.get(name);
  if (entry) entry.role = member.role === 'admin' ? 'admin' : 'member';
  model.events.push(`member.removed ${member.id}`);
};

/** The role in which somebody acts in the app; undefined if their session does not open the team. */
const roleIn = ({ present, demand }: Model, name: Name, { way }: Session): Member['role'] | undefined => {
  const member = present.get(name);
  if (member?.status !== 'active') return undefined;
  if (way === 'company') return member.role === 'owner' ? 'admin' : member.role;
  return demand === 'none' || member.role === 'owner' ? member.role : undefined;
};

// The service

const codeOf = ({ status, body }: Answer): unknown => (status < 300 ? undefined : body['code']);

/** Calls the app, and returns the code of a refusal. */
const refusalIn = async (real: Real, session: Session, path: string, input: object): Promise<unknown> => {
  const answer = await session.browser.mutate(`app/${path}`, input, { team: real.team.id });
  return answer.status === 200 ? undefined : answer.problem['code'];
};

/** The members of the service are those of the model, and each session may do what the model says. */
const compare = async (model: Model, real: Real): Promise<void> => {
  const { team, emails } = real;
  await compareDirectory(model, real);
  const { data } = await team.client.get('/users?limit=200');
  const shown = data.map(({ id, email, role, status }) => ({ id, email, role, status }));
  const wanted = Array.from(model.present, ([name, { id, role, status }]) => ({
    id,
    email: emails[name],
    role,
    status,
  }));
  expect(shown.toSorted(byId)).toEqual(wanted.toSorted(byId));
  const judge = async ([name, session]: [Name, Session]) => {
    const role = roleIn(model, name, session);
    const asked = async (path: string) => (await session.browser.query(`app/${path}`, {}, { team: team.id })).status;
    expect(await asked('members.list'), `the session of ${name}`).toBe(
      role === undefined ? 401 : role === 'member' ? 403 : 200,
    );
    // An admin's session has shown by now that it is open.
    if (role === 'member') expect(await asked('myTrainings.list'), `the session of ${name}`).toBe(200);
    // A session of somebody without a team ends.
    if (model.present.get(name)?.status !== 'active') model.sessions.delete(name);
  };
  await Promise.all([...model.sessions].map(judge));
};

/** What the directory sees agrees with the members: everybody has one id, and is active if they are a member. */
const compareDirectory = async (
  { present, entries, directory }: Model,
  { emails, otherNames }: Real,
): Promise<void> => {
  const names = new Set([...present.keys(), ...entries.keys()]);
  const wanted = Array.from(names, (name) => {
    const [member, entry] = [present.get(name), entries.get(name)];
    const role = (member ?? entry)?.role === 'member' ? 'member' : 'admin';
    return {
      id: entry?.id ?? member?.id,
      userName: entry?.isRenamed ? otherNames[name] : emails[name],
      active: member !== undefined,
      role,
    };
  });
  const { body } = await directory.client.get('/Users');
  const seen: { id: string; userName: string; active: boolean; roles: { value: string }[] }[] = Object(
    body['Resources'],
  );
  const shown = seen.map(({ id, userName, active, roles: [first] }) => ({
    id,
    userName: userName.toLowerCase(),
    active,
    role: first?.value,
  }));
  expect(shown.toSorted(byId)).toEqual(wanted.toSorted(byId));
  expect(body['totalResults']).toBe(wanted.length);
};

const byId = (a: { id: unknown }, b: { id: unknown }): number => (String(a.id) < String(b.id) ? -1 : 1);

// The steps

const doing = (
  told: string,
  run: (model: Model, real: Real) => Promise<void>,
  isPossible?: (model: Readonly<Model>) => boolean,
) =>
  step<Model, Real>(
    told,
    async (model, real) => {
      await run(model, real);
      await compare(model, real);
    },
    isPossible,
  );

const anybody = fc.constantFrom<Name>(...everybody);
const colleague = fc.constantFrom<Name>(...colleagues);
const mostlyColleague = fc.oneof({ weight: 4, arbitrary: colleague }, { weight: 1, arbitrary: anybody });
const which = fc.nat(3);
const roles = fc.constantFrom('member' as const, 'admin' as const);
const wasMember =
  (name: Name) =>
  ({ present, former }: Readonly<Model>): boolean =>
    present.has(name) || former.has(name);
const hasSession =
  (name: Name) =>
  ({ sessions }: Readonly<Model>): boolean =>
    sessions.has(name);

const sessionOf = ({ sessions }: Model, name: Name): Session =>
  sessions.get(name) ?? expect.fail('there is no session');

/** The membership, or the last one, of which the service only knows that it has ended. */
const membershipOf = ({ present, former }: Model, name: Name): Member =>
  present.get(name) ?? former.get(name) ?? expect.fail('there is no membership');

const noteInvitation = async (model: Model, { companies, emails }: Real, name: Name): Promise<void> => {
  const member = membershipOf(model, name);
  member.link = await lastLink(companies.service, emails[name]);
  member.invitedUntil = model.now() + daysToMs(14);
  model.mailed.set(name, [...(model.mailed.get(name) ?? []), utcDay(new Date(model.now()))]);
};

const invited = fc.record({ name: mostlyColleague, role: roles, at: which }).map(({ name, role, at }) =>
  doing(`key ${at} invites ${name} as ${role}`, async (model, real) => {
    const key = pick(model.keys, at);
    const answer = await key.client.post('/users', { email: real.emails[name], role });
    if (role === 'admin' && !vouches(model, key)) expect(codeOf(answer)).toBe('insufficient_scope');
    else if (model.present.has(name)) expect(codeOf(answer)).toBe('conflict');
    else if (isFull(model)) expect(codeOf(answer)).toBe('seat_limit_reached');
    else if (!canBeMailed(model, name)) expect(codeOf(answer)).toBe('rate_limited');
    else {
      expect(answer.status).toBe(201);
      join(model, name, { id: String(answer.body['id']), role, status: 'invited' });
      await noteInvitation(model, real, name);
    }
  }),
);

const invitedAtOnce = fc.constant(
  doing('Vera, Mia and Tom are invited at once', async (model, real) => {
    const free = Math.max(0, model.seats - model.present.size);
    const answers = await Promise.all(
      colleagues.map(async (name) => ({
        name,
        answer: await pick(model.keys, 0).client.post('/users', { email: real.emails[name] }),
      })),
    );
    const absent = answers.filter(({ name }) => !model.present.has(name));
    for (const { answer } of answers.filter(({ name }) => model.present.has(name)))
      expect(codeOf(answer)).toBe('conflict');
    const welcome = absent.filter(({ name }) => canBeMailed(model, name));
    const came = absent.filter(({ answer }) => answer.status === 201);
    expect(came).toHaveLength(Math.min(free, welcome.length));
    for (const one of absent.filter((each) => !came.includes(each))) {
      const isWelcome = welcome.includes(one);
      expect(codeOf(one.answer)).toBeOneOf(isWelcome ? ['seat_limit_reached'] : ['seat_limit_reached', 'rate_limited']);
    }
    for (const { name, answer } of came) {
      join(model, name, { id: String(answer.body['id']), role: 'member', status: 'invited' });
      await noteInvitation(model, real, name);
    }
  }),
);

const roleChanged = fc.record({ name: anybody, role: roles, at: which }).map(({ name, role, at }) =>
  doing(
    `key ${at} gives ${name} the role ${role}`,
    async (model) => {
      const key = pick(model.keys, at);
      const member = membershipOf(model, name);
      const code = codeOf(await key.client.patch(`/users/${member.id}`, { role }));
      if (!isPresent(model, member)) expect(code).toBe('not_found');
      else if (member.role === 'owner') expect(code).toBe('owner');
      else if (member.role === role) expect(code).toBeUndefined();
      else if (!vouches(model, key)) expect(code).toBe('insufficient_scope');
      else if (isLastAdmin(model, member)) expect(code).toBe('last_admin');
      else {
        expect(code).toBeUndefined();
        member.role = role;
      }
    },
    wasMember(name),
  ),
);

const allDemoted = fc.constant(
  doing(
    'all admins are made members at once',
    async (model) => {
      const [{ client }, admins] = [pick(model.keys, 0), activeAdmins(model)];
      const answers = await Promise.all(admins.map(({ id }) => client.patch(`/users/${id}`, { role: 'member' })));
      if (!vouches(model, pick(model.keys, 0))) {
        for (const answer of answers) expect(codeOf(answer)).toBe('insufficient_scope');
        return;
      }
      const codes = answers.map(codeOf);
      // The key loses its power if its creator is demoted before the others.
      expect(codes.filter((code) => code === 'last_admin' || code === 'insufficient_scope').length).toBeGreaterThan(0);
      for (const [at, member] of admins.entries()) if (codes[at] === undefined) member.role = 'member';
      expect(activeAdmins(model).length).toBeGreaterThan(0);
    },
    (model) => activeAdmins(model).length > 1,
  ),
);

const removed = fc.record({ name: mostlyColleague, at: which }).map(({ name, at }) =>
  doing(
    `key ${at} removes ${name}`,
    async (model) => {
      const key = pick(model.keys, at);
      const member = membershipOf(model, name);
      const code = codeOf(await key.client.delete(`/users/${member.id}`));
      if (!isPresent(model, member)) expect(code).toBe('not_found');
      else if (member.role === 'owner') expect(code).toBe('owner');
      else if (member.role === 'admin' && !vouches(model, key)) expect(code).toBe('insufficient_scope');
      else if (isLastAdmin(model, member)) expect(code).toBe('last_admin');
      else {
        expect(code).toBeUndefined();
        leave(model, name, member);
      }
    },
    wasMember(name),
  ),
);

const accepted = colleague.map((name) =>
  doing(
    `${name} opens the link of the invitation and accepts it`,
    async (model, { companies }) => {
      const member = membershipOf(model, name);
      const browser = makeBrowser(companies.service);
      const acceptance = { token: member.link, name, password: testPassword };
      const answer = await browser.mutate('entrance/entrance.acceptInvitation', acceptance);
      if (!isPresent(model, member) || member.status === 'active' || member.invitedUntil <= model.now()) {
        expect(answer.problem['code']).toBe('not_found');
        return;
      }
      expect(answer.text).toContain('signed_in');
      member.status = 'active';
      model.passwords.add(name);
      model.wereActive.add(name);
      model.sessions.set(name, { browser, way: 'password', isFresh: true });
    },
    (model) => wasMember(name)(model) && membershipOf(model, name).link !== '',
  ),
);

const resent = fc
  .record({ by: anybody, name: colleague, what: fc.constantFrom('resends' as const, 'withdraws' as const) })
  .map(({ by, name, what }) =>
    doing(
      `${by} ${what} the invitation of ${name}`,
      async (model, real) => {
        const session = sessionOf(model, by);
        const member = membershipOf(model, name);
        const role = roleIn(model, by, session);
        const path = what === 'resends' ? 'members.resend' : 'members.withdraw';
        const code = await refusalIn(real, session, path, { member_id: member.id });
        if (role === undefined) expect(code).toBe('unauthorized');
        else if (role === 'member') expect(code).toBe('forbidden');
        else if (!isPresent(model, member)) expect(code).toBe('not_found');
        else if (member.status === 'active') expect(code).toBe('conflict');
        else if (what === 'resends' && !canBeMailed(model, name)) expect(code).toBe('rate_limited');
        else {
          expect(code).toBeUndefined();
          if (what === 'resends') await noteInvitation(model, real, name);
          else leave(model, name, member);
        }
      },
      (model) => hasSession(by)(model) && wasMember(name)(model),
    ),
  );

const handedOver = fc.record({ by: anybody, name: anybody }).map(({ by, name }) =>
  doing(
    `${by} hands the team over to ${name}`,
    async (model, real) => {
      const session = sessionOf(model, by);
      const member = membershipOf(model, name);
      const role = roleIn(model, by, session);
      const code = await refusalIn(real, session, 'members.handOver', { member_id: member.id });
      if (role === undefined) expect(code).toBe('unauthorized');
      else if (role !== 'owner') expect(code).toBe('forbidden');
      else if (!session.isFresh) expect(code).toBe('proof_required');
      else if (!isPresent(model, member)) expect(code).toBe('not_found');
      else if (member.role === 'owner') expect(code).toBe('owner');
      else if (member.status !== 'active') expect(code).toBe('conflict');
      else {
        expect(code).toBeUndefined();
        membershipOf(model, by).role = 'admin';
        member.role = 'owner';
      }
    },
    (model) => hasSession(by)(model) && wasMember(name)(model),
  ),
);

const keyMade = anybody.map((name) =>
  doing(
    `${name} gets the right to make keys, and makes one`,
    async (model, { team }) => {
      const member = membershipOf(model, name);
      if (member.role !== 'owner') {
        const { members } = await inTheApp(team);
        await members.setRights({ member_id: member.id, rights: ['schnittstellen'] });
      }
      const { id: by, status, role } = member;
      if (status === 'active' && role !== 'member')
        model.keys.push({ client: await team.aClient({ by }), creator: member });
      else await expect(team.aClient({ by })).rejects.toMatchObject({ code: 'conflict' });
    },
    ({ present, keys }) => present.has(name) && keys.length < 4,
  ),
);

const signedIn = anybody.map((name) =>
  doing(`${name} signs in with the password`, async (model, { companies, emails }) => {
    const browser = makeBrowser(companies.service);
    const { status } = await browser.signIn(emails[name], testPassword);
    const isAllowed = model.passwords.has(name) && model.present.get(name)?.status === 'active';
    expect(status).toBe(isAllowed ? 200 : 422);
    if (isAllowed) model.sessions.set(name, { browser, way: 'password', isFresh: true });
  }),
);

const signedInWithCompany = colleague.map((name) =>
  doing(`${name} signs in with the company account`, async (model, { companies, emails, logins }) => {
    if (!model.providerIsOn) {
      const { problem } = await companies.start(makeBrowser(companies.service), emails[name]);
      expect(problem).toMatchObject({ code: 'validation_error', field: 'email' });
      return;
    }
    const { browser, answer } = await companies.signIn(emails[name], logins[name]);
    const member = model.present.get(name);
    if (!member && (model.wereActive.has(name) || model.entries.has(name))) {
      // The provider may still have accounts of former members. Only an admin or the directory lets them in again. A
      // withdrawn invitation is no bar, unless the directory knows the person.
      expect(answer.problem['code']).toBe('conflict');
      return;
    }
    if (!member && isFull(model)) {
      expect(answer.problem['code']).toBe('seat_limit_reached');
      return;
    }
    expect(answer.status).toBe(200);
    const { teams } = Object((await browser.query('entrance/entrance.who')).data['me']);
    const entered = member ?? join(model, name, { id: String(teams[0].member_id), role: 'member', status: 'active' });
    entered.status = 'active';
    model.wereActive.add(name);
    model.sessions.set(name, { browser, way: 'company', isFresh: true });
  }),
);

// The directory

const forms = [
  (active: boolean) => ({ op: 'replace', path: 'active', value: active }),
  (active: boolean) => ({ op: 'Replace', path: 'active', value: active ? 'True' : 'False' }),
  (active: boolean) => ({ op: 'replace', value: { active } }),
  (active: boolean) => ({ op: 'Add', path: 'Active', value: [{ $ref: null, value: String(active) }] }),
];

const idFor = ({ present, entries }: Readonly<Model>, name: Name): string =>
  entries.get(name)?.id ?? present.get(name)?.id ?? expect.fail('the directory does not see them');

const isSeen =
  (name: Name) =>
  ({ present, entries }: Readonly<Model>): boolean =>
    present.has(name) || entries.has(name);

/** A change by the directory that succeeds makes an entry of somebody of whom it had said nothing. */
const noteEntry = (model: Model, name: Name): Entry => {
  const known = model.entries.get(name);
  if (known) return known;
  const { id, role } = model.present.get(name) ?? expect.fail('the directory does not see them');
  const entry: Entry = { id, role: role === 'member' ? 'member' : 'admin', wasLinked: true, isRenamed: false };
  model.entries.set(name, entry);
  return entry;
};

const isCompanyAddress = ({ providerIsOn }: Model, name: Name): boolean =>
  providerIsOn && colleagues.some((one) => one === name);

/** The status with which a membership that the directory wants is refused; undefined if it begins. */
const refusalOfJoining = (model: Model, name: Name, role: 'admin' | 'member', address: Name): number | undefined => {
  if (role === 'admin' && !vouches(model, model.directory)) return 403;
  if (isFull(model)) return 403;
  return isCompanyAddress(model, address) || canBeMailed(model, name) ? undefined : 429;
};

const memberIdAt = async ({ team }: Real, email: string): Promise<string> => {
  const { data } = await team.client.get(`/users?email=${encodeURIComponent(email)}`);
  return String(data[0]?.['id']);
};

const joinByDirectory = async (model: Model, real: Real, name: Name, status: Member['status']): Promise<void> => {
  const { role } = model.entries.get(name) ?? expect.fail('there is no entry');
  join(model, name, { id: await memberIdAt(real, real.emails[name]), role, status });
  if (!isCompanyAddress(model, name)) await noteInvitation(model, real, name);
};

const provisioned = fc
  .record({ name: mostlyColleague, role: roles, active: fc.boolean() })
  .map(({ name, role, active }) =>
    doing(`the directory adds ${name} as ${role}${active ? '' : ', not active'}`, async (model, real) => {
      const { client } = model.directory;
      const userName = real.emails[name].toUpperCase();
      const { status, body } = await client.post('/Users', { userName, active, roles: [{ value: role }] });
      if (isSeen(name)(model)) expect([status, body['scimType']]).toEqual([409, 'uniqueness']);
      else {
        const refused = active ? refusalOfJoining(model, name, role, name) : undefined;
        expect(status).toBe(refused ?? 201);
        if (refused !== undefined) return;
        model.entries.set(name, { id: String(body['id']), role, wasLinked: false, isRenamed: false });
        if (active) await joinByDirectory(model, real, name, 'invited');
      }
    }),
  );

/** Why the directory may not end a membership. */
const refusalOfLeaving = (model: Model, member: Member): number | undefined => {
  if (member.role === 'owner') return 409;
  if (member.role === 'admin' && !vouches(model, model.directory)) return 403;
  return isLastAdmin(model, member) ? 409 : undefined;
};

/** Who was never active here has no address of their own: another name is another address. */
const hasOwnAddress =
  (name: Name) =>
  ({ wereActive, entries }: Readonly<Model>): boolean =>
    wereActive.has(name) && (entries.get(name)?.wasLinked ?? true);

const deactivated = fc
  .record({ name: mostlyColleague, form: fc.nat(3), deletes: fc.boolean(), renames: fc.boolean() })
  .map(({ name, form, deletes, renames }) =>
    doing(
      `the directory ${deletes ? 'deletes' : `deactivates${renames ? ' and renames' : ''} (form ${form})`} ${name}`,
      async (model, { otherNames }) => {
        const isRenamed = renames && !deletes && hasOwnAddress(name)(model);
        const renaming = isRenamed ? [{ op: 'replace', path: 'userName', value: otherNames[name] }] : [];
        const { client } = model.directory;
        const path = `/Users/${idFor(model, name)}`;
        const { status } = deletes
          ? await client.delete(path)
          : await client.patch(path, { Operations: [pick(forms, form)(false), ...renaming] });
        const member = model.present.get(name);
        const refused = member && refusalOfLeaving(model, member);
        expect(status).toBe(refused ?? (deletes ? 204 : 200));
        if (refused !== undefined) return;
        if (!deletes) noteEntry(model, name);
        if (isRenamed) noteEntry(model, name).isRenamed = true;
        if (member) leave(model, name, member);
        if (deletes) model.entries.delete(name);
      },
      isSeen(name),
    ),
  );

const activate = async (model: Model, real: Real, name: Name, form: number): Promise<void> => {
  const patch = { Operations: [pick(forms, form)(true)] };
  const { status, body } = await model.directory.client.patch(`/Users/${idFor(model, name)}`, patch);
  if (model.present.has(name)) {
    expect(status).toBe(200);
    noteEntry(model, name);
    return;
  }
  const { role, wasLinked, id } = noteEntry(model, name);
  const refused = refusalOfJoining(model, name, role, name);
  expect([status, body['id']]).toEqual(refused === undefined ? [200, id] : [refused, undefined]);
  if (refused !== undefined) return;
  const isBack = wasLinked && model.wereActive.has(name) && isCompanyAddress(model, name);
  await joinByDirectory(model, real, name, isBack ? 'active' : 'invited');
};

const activated = fc
  .record({ name: mostlyColleague, form: fc.nat(3) })
  .map(({ name, form }) =>
    doing(
      `the directory activates ${name} (form ${form})`,
      (model, real) => activate(model, real, name, form),
      isSeen(name),
    ),
  );

const away = ({ present, entries }: Readonly<Model>): Name[] =>
  [...entries.keys()].filter((name) => !present.has(name));

const broughtBack = fc.record({ at: which, form: fc.nat(3) }).map(({ at, form }) =>
  doing(
    `the directory activates person ${at} of those who are not active (form ${form})`,
    (model, real) => activate(model, real, pick(away(model), at), form),
    (model) => away(model).length > 0,
  ),
);

const renamed = fc.record({ name: mostlyColleague, isRenamed: fc.boolean() }).map(({ name, isRenamed }) =>
  doing(
    `the directory gives ${name} ${isRenamed ? 'another' : 'the first'} address`,
    async (model, { emails, otherNames }) => {
      const userName = isRenamed ? otherNames[name] : emails[name];
      const patch = { Operations: [{ op: 'replace', path: 'userName', value: userName }] };
      expect((await model.directory.client.patch(`/Users/${idFor(model, name)}`, patch)).status).toBe(200);
      noteEntry(model, name).isRenamed = isRenamed;
    },
    (model) => isSeen(name)(model) && hasOwnAddress(name)(model),
  ),
);

const promoted = fc.record({ name: anybody, role: roles, byGroup: fc.boolean() }).map(({ name, role, byGroup }) =>
  doing(
    `the directory gives ${name} the role ${role}${byGroup ? ' by the group' : ''}`,
    async (model) => {
      const { client } = model.directory;
      const id = idFor(model, name);
      const member = model.present.get(name);
      const value = [{ value: byGroup ? id : role }];
      const { status } = byGroup
        ? await client.patch('/Groups/admins', {
            Operations: [{ op: role === 'admin' ? 'add' : 'remove', path: 'members', value }],
          })
        : await client.patch(`/Users/${id}`, { Operations: [{ op: 'replace', path: 'roles', value }] });
      if (!member) {
        expect(status).toBe(byGroup && role === 'admin' ? 400 : 200);
        if (!byGroup) noteEntry(model, name).role = role;
        return;
      }
      const isSame = role === (member.role === 'member' ? 'member' : 'admin');
      const refused = () => {
        if (member.role === 'owner') return 409;
        if (!vouches(model, model.directory)) return 403;
        return isLastAdmin(model, member) ? 409 : undefined;
      };
      const refusal = isSame ? undefined : refused();
      expect(status).toBe(refusal ?? 200);
      if (refusal !== undefined) return;
      if (!byGroup) noteEntry(model, name);
      if (!isSame) member.role = role;
    },
    isSeen(name),
  ),
);

const directoryKeyMade = anybody.map((name) =>
  doing(
    `${name} makes a new key for the directory`,
    async (model, { team, companies }) => {
      const member = membershipOf(model, name);
      const { members } = await inTheApp(team);
      if (member.role !== 'owner') await members.setRights({ member_id: member.id, rights: ['schnittstellen'] });
      model.directory = { client: await aDirectory(companies.service, team, { by: member.id }), creator: member };
    },
    ({ present }) => {
      const member = present.get(name);
      return member?.status === 'active' && member.role !== 'member';
    },
  ),
);

const seatsChanged = fc.integer({ min: 3, max: 6 }).map((seats) =>
  doing(`the team has ${seats} seats now`, async (model, { team }) => {
    await team.change({ seats });
    model.seats = seats;
  }),
);

const providerSwitched = fc.boolean().map((on) =>
  doing(`the company account is switched ${on ? 'on' : 'off'}`, async (model, { team }) => {
    const switching = switchProvider(await team.acting(), on);
    if (!on && model.providerIsOn && model.demand === 'company') {
      await expect(switching).rejects.toMatchObject({ code: 'conflict' });
      return;
    }
    await switching;
    model.providerIsOn = on;
    if (on) return;
    for (const [name, { way, browser }] of model.sessions) {
      if (way !== 'company') continue;
      expect(await browser.isSignedIn()).toBe(false);
      model.sessions.delete(name);
    }
  }),
);

const demanded = fc.constantFrom('none' as const, 'company' as const).map((demand) =>
  doing(
    `the team demands ${demand === 'none' ? 'no way to sign in' : 'the company account'}`,
    async (model, { team }) => {
      const demanding = demandSignIn(await team.acting(), { demand }, 'operator');
      if (demand === 'company' && model.demand === 'none' && !model.providerIsOn) {
        await expect(demanding).rejects.toMatchObject({ code: 'conflict' });
        return;
      }
      await demanding;
      model.demand = demand;
    },
  ),
);

const passed = fc.constantFrom(1, 8, 15).map((days) =>
  doing(`${days} days pass`, async (model, { companies }) => {
    companies.service.clock.forward(daysToMs(days));
    for (const [name, session] of model.sessions) {
      session.isFresh = false;
      if (session.way !== 'company') continue;
      // It lasts for a day.
      expect(await session.browser.isSignedIn()).toBe(false);
      model.sessions.delete(name);
    }
  }),
);

/** Walks with the people of a team. */
export const walkWithPeople = (runs: number): void =>
  itWalks<Model, Real>('people, roles, seats and sign-ins do what the contract says', runs, {
    steps: [
      [4, invited],
      [1, invitedAtOnce],
      [3, roleChanged],
      [1, allDemoted],
      [3, removed],
      [4, accepted],
      [2, resent],
      [2, handedOver],
      [2, keyMade],
      [2, signedIn],
      [3, signedInWithCompany],
      [3, provisioned],
      [4, deactivated],
      [2, activated],
      [3, broughtBack],
      [2, renamed],
      [2, promoted],
      [1, directoryKeyMade],
      [2, seatsChanged],
      [1, providerSwitched],
      [1, demanded],
      [1, passed],
    ],
    // Some faults need a person who comes, leaves and comes again.
    maxSteps: 40,

    open: async () => {
      const companies = await startCompanies();
      onTestFinished(companies.close);
      const { service, aCompany, anAccount } = companies;
      return {
        begin: async () => {
          service.clock.set(new Date());
          const company = await aCompany({ seats: 5 });
          const { team, admin, domain } = company;
          const { owner } = team;
          const browser = makeBrowser(service);
          await browser.signIn(owner.email, testPassword);
          const usual = { status: 'active', link: '', invitedUntil: 0 } as const;
          const olga: Member = { ...usual, id: owner.member_id, role: 'owner' };
          const ada: Member = { ...usual, id: admin.memberId, role: 'admin' };
          const hired = await aPerson(team, { role: 'admin', rights: ['schnittstellen'] });
          const ben: Member = { ...usual, id: hired.memberId, role: 'admin' };
          const emails = {
            Olga: owner.email,
            Ada: admin.email,
            Ben: hired.email,
            Vera: `vera@${domain}`,
            Mia: `mia@${domain}`,
            Tom: `tom@${domain}`,
          };
          return {
            model: {
              now: () => service.clock.now().getTime(),
              seats: 5,
              present: new Map([
                ['Olga', olga],
                ['Ada', ada],
                ['Ben', ben],
              ]),
              former: new Map(),
              mailed: new Map(),
              wereActive: new Set(['Olga', 'Ada', 'Ben']),
              passwords: new Set(['Olga', 'Ada', 'Ben']),
              sessions: new Map([
                ['Olga', { browser, way: 'password', isFresh: true }],
                ['Ada', { browser: admin.browser, way: 'password', isFresh: true }],
              ]),
              providerIsOn: true,
              demand: 'none',
              keys: [
                { client: team.client, creator: olga },
                { client: await team.aClient({ by: ben.id }), creator: ben },
              ],
              entries: new Map(),
              directory: { client: await aDirectory(service, team), creator: olga },
              events: [ada, ben].map(({ id }) => `member.joined ${id}`),
            },
            real: {
              companies,
              company,
              team,
              emails,
              otherNames: {
                Olga: `olga.other@${domain}`,
                Ada: `ada.other@${domain}`,
                Ben: `ben.other@${domain}`,
                Vera: `vera.other@${domain}`,
                Mia: `mia.other@${domain}`,
                Tom: `tom.other@${domain}`,
              },
              logins: {
                Olga: '',
                Ada: '',
                Ben: '',
                Vera: anAccount(emails.Vera),
                Mia: anAccount(emails.Mia),
                Tom: anAccount(emails.Tom),
              },
            },
          };
        },

        end: async ({ events }, { team }) => {
          const feed = await readToEnd(team.client, { limit: 200 });
          expect(feed.events.map(({ type, data }) => `${type} ${String(data['member_id'])}`).toSorted()).toEqual(
            events.toSorted(),
          );
        },
      };
    },
  });
