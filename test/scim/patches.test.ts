import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, readResourceFilter } from '../../src/core/scim/filter.ts';
import { patched, readOperations } from '../../src/core/scim/patch.ts';
import { ScimProblem } from '../../src/core/scim/refusal.ts';
import { readResource, type Resource } from '../../src/core/scim/resource.ts';
import { enterpriseUrn, userSchema, userUrn } from '../../src/core/scim/schemas.ts';

// Reading filters and applying patches, without a service.

const start: Resource = {
  userName: 'vera@x.example',
  active: true,
  name: { givenName: 'Vera', familyName: 'Kauf' },
  emails: [
    { value: 'vera@x.example', type: 'work', primary: true },
    { value: 'v@home.example', type: 'home' },
  ],
  [enterpriseUrn]: { department: 'Sales', manager: { value: '26', displayName: 'Max' } },
};

const apply = (...operations: object[]): Resource =>
  patched(userSchema, start, readOperations({ Operations: operations }));

const kindOf = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ScimProblem) return error.scimType;
    throw error;
  }
};

const work = { value: 'vera@x.example', type: 'work', primary: true };
const home = { value: 'v@home.example', type: 'home' };

describe('a patch', () => {
  const { emails: _emails, name: _name, [enterpriseUrn]: _extension, ...bare } = start;
  const cases: [string, object | object[], object][] = [
    ['replaces a value', { op: 'replace', path: 'title', value: 'CEO' }, { ...start, title: 'CEO' }],
    ['adds a value', { op: 'add', path: 'TITLE', value: 'CEO' }, { ...start, title: 'CEO' }],
    [
      'removes a list',
      { op: 'remove', path: 'emails' },
      { ...bare, name: start['name'], [enterpriseUrn]: start[enterpriseUrn] },
    ],
    [
      'changes a part of an object',
      { op: 'replace', path: 'name.familyName', value: 'Neu' },
      { ...start, name: { givenName: 'Vera', familyName: 'Neu' } },
    ],
    [
      'leaves the other parts of an object',
      { op: 'replace', path: 'name', value: { FAMILYNAME: 'Neu' } },
      { ...start, name: { givenName: 'Vera', familyName: 'Neu' } },
    ],
    [
      'takes paths as keys',
      { op: 'Replace', value: { 'name.givenName': 'V.', displayName: 'V. Kauf', id: 'x', groups: [] } },
      { ...start, name: { givenName: 'V.', familyName: 'Kauf' }, displayName: 'V. Kauf' },
    ],
    [
      'changes the value that a filter selects',
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@x.example' },
      { ...start, emails: [{ ...work, value: 'new@x.example' }, home] },
    ],
    [
      'makes the value that a filter selects',
      { op: 'Add', path: 'emails[type eq "other" and primary eq false].value', value: 'o@x.example' },
      { ...start, emails: [work, home, { type: 'other', primary: false, value: 'o@x.example' }] },
    ],
    [
      'removes the value that a filter selects',
      { op: 'remove', path: 'emails[type eq "home" or value co "nobody"]' },
      { ...start, emails: [work] },
    ],
    ['removes nothing that is not there', { op: 'remove', path: 'emails[type eq "other"]' }, start],
    [
      'adds to a list what is not there',
      { op: 'add', path: 'emails', value: [home, { value: 'o@x.example', primary: true }] },
      { ...start, emails: [{ ...work, primary: false }, home, { value: 'o@x.example', primary: true }] },
    ],
    [
      'replaces a list',
      { op: 'replace', path: 'emails', value: [{ value: 'o@x.example' }] },
      { ...start, emails: [{ value: 'o@x.example' }] },
    ],
    [
      'removes what is named from a list',
      { op: 'Remove', path: 'emails', value: [{ value: 'v@home.example' }] },
      { ...start, emails: [work] },
    ],
    [
      'finds a bracket in a text',
      { op: 'replace', path: 'emails[value eq "a]\\"b"].type', value: 'x' },
      { ...start, emails: [work, home, { value: 'a]"b', type: 'x' }] },
    ],
    [
      'changes the extension by its URN',
      { op: 'replace', path: `${enterpriseUrn.toUpperCase()}:department`, value: 'HR' },
      { ...start, [enterpriseUrn]: { department: 'HR', manager: { value: '26', displayName: 'Max' } } },
    ],
    [
      'takes a manager as a text',
      { op: 'Add', path: `${enterpriseUrn}:manager`, value: '27' },
      { ...start, [enterpriseUrn]: { department: 'Sales', manager: { value: '27', displayName: 'Max' } } },
    ],
    [
      'removes a part of the extension',
      { op: 'remove', path: `${enterpriseUrn}:manager` },
      { ...start, [enterpriseUrn]: { department: 'Sales' } },
    ],
    [
      'takes the extension as a key',
      { op: 'add', value: { [enterpriseUrn]: { employeeNumber: '9' }, [`${userUrn}:title`]: 'CEO' } },
      { ...start, title: 'CEO', [enterpriseUrn]: { ...Object(start[enterpriseUrn]), employeeNumber: '9' } },
    ],
    ['ignores what is not kept', { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' }, start],
    ['ignores an unknown extension', { op: 'add', path: 'urn:example:User:shoe', value: '1' }, start],
    [
      'applies one operation after the other',
      [
        { op: 'remove', path: 'name' },
        { op: 'add', path: 'name.givenName', value: 'V' },
        { op: 'replace', path: 'name.givenName', value: 'W' },
      ],
      { ...start, name: { givenName: 'W' } },
    ],
  ];

  it.for(cases)('%s', ([, operations, expected]) => {
    const before = structuredClone(start);
    expect(apply(...[operations].flat())).toEqual(expected);
    expect(start).toEqual(before);
  });

  it('is refused with the kind that RFC 7644 names', () => {
    const refused: [object, string][] = [
      [{ op: 'replace', path: 'emails[type eq "work"', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'emails[type eq "work"]value', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'name.givenName.first', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'title[value eq "x"]', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'title.value', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: '__proto__', value: {} }, 'invalidPath'],
      [{ op: 'replace', path: 'name.__proto__.x', value: {} }, 'invalidPath'],
      [{ op: 'replace', path: '1+1', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'x'.repeat(501), value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 7, value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'emails[type is "work"].value', value: 'x' }, 'invalidFilter'],
      [{ op: 'replace', path: 'emails[__proto__ eq "work"].value', value: 'x' }, 'invalidFilter'],
      [{ op: 'replace', path: 'emails[value co "nobody"].type', value: 'x' }, 'noTarget'],
      [{ op: 'remove' }, 'noTarget'],
      [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
      [{ op: 'add', path: 'groups', value: [] }, 'mutability'],
      [{ op: 'remove', path: 'userName' }, 'mutability'],
      [{ op: 'replace', path: 'title', value: { x: 1 } }, 'invalidValue'],
      [{ op: 'replace', path: 'title', value: 'x'.repeat(1_001) }, 'invalidValue'],
      [{ op: 'replace', path: 'emails', value: Array.from({ length: 21 }, () => home) }, 'invalidValue'],
      [{ op: 'replace', path: 'roles', value: [{ value: 'owner' }] }, 'invalidValue'],
      [{ op: 'replace', value: { name: 5 } }, 'invalidValue'],
    ];
    for (const [operation, kind] of refused)
      expect(
        kindOf(() => apply(operation)),
        JSON.stringify(operation),
      ).toBe(kind);
    const many = Array.from({ length: 1_000 }, () => ({ op: 'add', path: 'title', value: 'x' }));
    expect(kindOf(() => apply(...many))).toBe('invalidValue');
    for (const body of [{}, { Operations: [] }, { Operations: 'x' }, { Operations: ['x'] }]) {
      expect(kindOf(() => readOperations(body))).toBe('invalidSyntax');
    }
  });

  const addresses = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `${at}@x.example` }));
  it.each<[string, number, (count: number) => object | object[]]>([
    ['operations', 100, (count) => Array.from({ length: count }, () => ({ op: 'add', path: 'title', value: 'x' }))],
    ['characters of a path', 500, (count) => ({ op: 'remove', path: `emails[value eq "${'x'.repeat(count - 19)}"]` })],
    ['characters of a text', 1_000, (count) => ({ op: 'add', path: 'title', value: 'x'.repeat(count) })],
    ['values that are sent', 20, (count) => ({ op: 'replace', path: 'emails', value: addresses(count) })],
    ['values with those that are there', 20, (count) => ({ op: 'add', path: 'emails', value: addresses(count - 2) })],
  ])('has at most so many %s: %i', (_what, max, of) => {
    expect(kindOf(() => apply(...[of(max)].flat()))).toBeUndefined();
    expect(kindOf(() => apply(...[of(max + 1)].flat()))).toMatch(/^invalid(?:Value|Path)$/);
  });

  const word = fc.oneof(
    fc.constantFrom(
      'active',
      'emails',
      'name',
      'manager',
      'roles',
      '__proto__',
      'constructor',
      'value',
      'type',
      userUrn,
      enterpriseUrn,
    ),
    fc.constantFrom('.', '[', ']', '"', '\\', ' eq ', ':', ' and ', '(', 'urn:'),
    fc.string({ maxLength: 3 }),
  );
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));
  const value: fc.Arbitrary<unknown> = fc.oneof(
    fc.constantFrom(
      true,
      'False',
      null,
      [],
      [{ value: 'x' }],
      { value: 'x' },
      { active: false },
      { __proto__: { x: 1 } },
    ),
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  );
  const operation = fc.record(
    { op: fc.constantFrom('add', 'Replace', 'remove', 'x'), path: fc.oneof(text, fc.constant(undefined)), value },
    { requiredKeys: ['op'] },
  );

  it('of any content gives a resource with declared names, or a refusal; no prototype changes', () => {
    const names = new Set([...userSchema.attributes.map(({ name }) => name), enterpriseUrn]);
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
        let after: Resource = start;
        const kind = kindOf(() => (after = apply(...operations)));
        if (kind === undefined) for (const name of Object.keys(after)) expect(names).toContain(name);
        expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
        expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
        // A second reading changes nothing: what is stored is in the form in which it is answered.
        if (kind === undefined) expect(readResource(userSchema, after)).toEqual(after);
      }),
      { numRuns: 3_000 },
    );
  });

  it('that mentions active either sets it to what it says, or is refused', () => {
    const boolean = fc.constantFrom<[unknown, boolean | undefined]>(
      [false, false],
      [true, true],
      ['False', false],
      ['TRUE', true],
      [[{ value: 'False' }], false],
      [{ value: false }, false],
      ['no', undefined],
      [0, undefined],
      [[], undefined],
      [{}, undefined],
      [null, undefined],
    );
    const place = fc.constantFrom(
      'active',
      'Active',
      ` active `,
      `${userUrn}:active`,
      'active.value',
      'urn:x:active',
      'x.active',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('add', 'replace', 'Replace'),
        place,
        fc.boolean(),
        boolean,
        (op, path, isKey, [sent, meant]) => {
          let after: Resource = {};
          const before = { ...start, active: meant === undefined ? true : !meant };
          const given = isKey ? { op, value: { [path]: sent } } : { op, path, value: sent };
          const kind = kindOf(() => (after = patched(userSchema, before, readOperations({ Operations: [given] }))));
          if (kind === undefined) expect(after['active']).toBe(meant);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('a filter', () => {
  const people: Resource[] = [start, { id: 'x', userName: 'max@x.example', active: false }, {}];
  const comparison = fc
    .tuple(
      fc.constantFrom(
        'userName',
        'id',
        'active',
        'emails',
        'name.givenName',
        'displayName',
        'title',
        'meta.lastModified',
      ),
      fc.constantFrom('eq', 'NE', 'co', 'sw', 'ew', 'gt', 'le', 'pr', 'xx'),
      fc.constantFrom('"vera"', '"x"', 'true', 'null', '5', '"2026-01-01T00:00:00Z"', '"\\u0041"', '"a'),
    )
    .map((words) => words.join(' '));
  const { filter } = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      comparison,
      fc.tuple(tie('filter'), fc.constantFrom(' and ', ' or '), tie('filter')).map((parts) => parts.join('')),
      tie('filter').map((inner) => `(${inner})`),
      tie('filter').map((inner) => `not (${inner})`),
      fc.constant('emails[type eq "work" and value co "x"]'),
    ),
  }));

  it('of any content is read and compared, or refused as invalidFilter', () => {
    fc.assert(
      fc.property(fc.oneof(filter, fc.string({ maxLength: 40 })), (text) => {
        const kind = kindOf(() => {
          const read = readResourceFilter(userSchema, text);
          for (const person of people) {
            // What is not true is true if it is negated.
            const negated = readResourceFilter(userSchema, `not (${text})`);
            expect(matches(negated, person)).toBe(!matches(read, person));
          }
        });
        expect([undefined, 'invalidFilter']).toContain(kind);
      }),
      { numRuns: 3_000 },
    );
  });

  it('binds and before or, and not before both', () => {
    const is = (text: string) => matches(readResourceFilter(userSchema, text), start);
    const [yes, no] = ['userName pr', 'displayName pr'];
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        (parts) => {
          const text = parts.map((all) => all.map((one) => (one ? yes : no)).join(' AND ')).join(' or ');
          expect(is(text), text).toBe(parts.some((all) => all.every(Boolean)));
        },
      ),
    );
    expect(is(`not (${yes}) or ${yes}`)).toBe(true);
  });

  const whole = { userName: 'm', externalId: 'M', meta: { lastModified: '2026-12-01T08:00:00.000Z' } };
  it.each([
    ['eq', [false, true, false]],
    ['ne', [true, false, true]],
    ['gt', [true, false, false]],
    ['ge', [true, true, false]],
    ['lt', [false, false, true]],
    ['le', [false, true, true]],
  ])(
    'compares by %s with what is less, equal and more: texts in any case, external ids exactly, times',
    (operator, is) => {
      const compared = (name: string, values: readonly string[]) =>
        values.map((value) => matches(readResourceFilter(userSchema, `${name} ${operator} "${value}"`), whole));
      expect(compared('userName', ['L', 'M', 'N'])).toEqual(is);
      expect(compared('externalId', ['L', 'M', 'm'])).toEqual(is);
      const times = ['2026-12-01T07:59:59.999Z', '2026-12-01T09:00:00+01:00', '2026-12-01T08:00:00.001Z'];
      expect(compared('meta.lastModified', times)).toEqual(is);
    },
  );

  it.each([
    ['co', [true, true, true, false]],
    ['sw', [true, false, false, false]],
    ['ew', [false, false, true, false]],
  ])('looks by %s for the beginning, the middle, the end of a text and none of them', (operator, is) => {
    const found = ['VER', '@x.', 'example', 'max'].map((value) =>
      matches(readResourceFilter(userSchema, `userName ${operator} "${value}"`), start),
    );
    expect(found).toEqual(is);
  });

  it.each([
    ['displayName eq null', true],
    ['displayName ne null', false],
    ['displayName pr', false],
    ['displayName ne "x"', true],
    ['userName eq null', false],
    ['userName ne null', true],
    ['userName pr', true],
  ])('takes an attribute without a value as none: %s is %s', (text, is) => {
    expect(matches(readResourceFilter(userSchema, text), start)).toBe(is);
  });

  it('of the longest text takes no time that others would notice', () => {
    for (const text of ['(', 'not (', 'a', '"', '\\', 'userName[', 'userName pr and ', 'id eq "', '" "', '].'].map(
      (part) => part.repeat(2_000).slice(0, 2_000),
    )) {
      expect([undefined, 'invalidFilter']).toContain(kindOf(() => readResourceFilter(userSchema, text)));
    }
  });
});
