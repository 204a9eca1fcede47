import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import {
  addressesIn,
  languageOf,
  readInvitations,
  reviewInvitations,
  roleOf,
  writeInvitations,
} from '../../src/web/pages/members/invitation-list.ts';

const review = (text: string) =>
  reviewInvitations(readInvitations(text).lines, 60).map(({ invitee, error, email }) =>
    invitee ? [invitee.email, invitee.role, invitee.lang] : [email, error],
  );

const both = [
  ['mia@example.com', 'admin', 'de'],
  ['jo@example.com', 'member', null],
];

describe('a list of invitations', () => {
  it.each([
    ['semicolons and a bare line', 'mia@example.com;admin;de\njo@example.com'],
    ['semicolons, and the bare line first', 'mia@example.com;admin;de\r\njo@example.com\r\n'],
    ['commas, in another order', 'mia@example.com,de,Admin\njo@example.com,'],
    ['a different separator in each line', 'mia@example.com\tadmin\tde\njo@example.com;Mitglied'],
    ['names before the addresses', 'Berg, Mia;mia@example.com;admin;de\nSmith, Jo <jo@example.com>'],
    ['quotes', '"mia@example.com";"admin";"de"\n"Smith; Jo" <jo@example.com>'],
    [
      'a heading and a byte order mark',
      '\uFEFFName;E-Mail;Rolle;Sprache\n"Berg; Mia";mia@example.com;Admin;de\n;jo@example.com;;',
    ],
    [
      'a heading, and a line with the address alone',
      'Name;E-Mail;Rolle;Sprache\n;mia@example.com;admin;de\njo@example.com',
    ],
    [
      'a heading, and line breaks in quotes',
      'note,email,role,lang\n"two\nlines",mia@example.com,admin,de\n,jo@example.com,,',
    ],
    ['blank lines', '\n\nmia@example.com,admin,de\n  \njo@example.com\n'],
  ])('is read with %s', (_, text) => {
    expect(review(text)).toEqual(both);
  });

  it('may have all addresses in one line, with comma or semicolon', () => {
    const each = ['mia@example.com', 'jo@example.com', 'al@example.com'].map((email) => [email, 'member', null]);
    expect(review('mia@example.com, jo@example.com; al@example.com')).toEqual(each);
    expect(review('"Berg, Mia" <mia@example.com>; "Smith, Jo" <jo@example.com>, <al@example.com>')).toEqual(each);
  });

  it.each([
    ['Berg, Mia;mia@example.com;admin', ['Mia Berg']],
    ['Berg, Mia <mia@example.com>', ['Mia Berg']],
    ['"Berg, Mia" <mia@example.com>', ['Mia Berg']],
    ['Mia;Berg;mia@example.com', ['Mia Berg']],
    ['Mia Berg,mia@example.com,member,de', ['Mia Berg']],
    ['"Berg, Mia" <mia@example.com>; Jo <jo@example.com>, <al@example.com>', ['Mia Berg', 'Jo', undefined]],
    ['mia@example.com;admin', [undefined]],
    ['admin;de;mia@example.com', [undefined]],
    ['mia@example.com;chef', [undefined]],
    ['Name;E-Mail\n"Berg; Mia";mia@example.com\n;jo@example.com', ['Mia Berg', undefined]],
    ['Nachname,Vorname,E-Mail\nBerg,Mia,mia@example.com\n,Jo,jo@example.com', ['Mia Berg', 'Jo']],
    ['email\n"Berg, Mia" <mia@example.com>', ['Mia Berg']],
    ['Berg, Mia, Dr.;mia@example.com', ['Berg Mia Dr.']],
  ])('keeps the names of %j', (text, names) => {
    const read = reviewInvitations(readInvitations(text).lines, 60);
    expect(read.map(({ name }) => name)).toEqual(names);
    const invited = read.flatMap(({ invitee }) => invitee ?? []);
    if (invited.length > 0) expect(invited.map(({ name }) => name)).toEqual(names);
    // Also when the list is written anew.
    expect(readInvitations(writeInvitations(read)).lines.map(({ name }) => name)).toEqual(names);
  });

  it('says for each line what is wrong, and keeps the others', () => {
    const lines = [
      ['mia@example.com', 'mia@example.com', 'member', null],
      ['mia.example.com', 'mia.example.com', 'no at'],
      ['mia berg@example.com', 'mia berg@example.com', 'blank'],
      ['mia..berg@example.com', 'mia..berg@example.com', 'local part'],
      ['mia@example', 'mia@example', 'domain'],
      [`${'m'.repeat(65)}@example.com`, `${'m'.repeat(65)}@example.com`, 'length'],
      ['jo@example.com;chef', 'jo@example.com', 'role'],
      ['"Karl, K" <karl@example.com>;member;fr', 'karl@example.com', 'lang'],
      ['MIA@example.com', 'MIA@example.com', 'twice'],
    ];
    expect(review(lines.map(([line]) => line).join('\n'))).toEqual(lines.map(([, ...expected]) => expected));
    const [, again] = reviewInvitations(readInvitations('a@example.com\nA@example.com').lines, 60);
    expect(again?.sameAs).toBe(1);
    const [, below] = reviewInvitations(readInvitations('email\na@example.com\nA@example.com').lines, 60);
    expect([below?.place, below?.sameAs]).toEqual([3, 2]);
  });

  it.each(['email', 'E-Mail', 'Mail', 'E-Mail-Adresse', 'Email-Adresse', 'Mailadresse', 'Email address'])(
    'may have the heading %s, and others in both languages, separated by semicolon, comma or tab',
    (email) => {
      for (const [role, lang] of [
        ['Rolle', 'Sprache'],
        ['role', 'language'],
        ['role', 'lang'],
      ]) {
        for (const separator of [';', ',', '\t']) {
          const text = [
            ['Team', lang, role, email, ''],
            ['Nord', 'de', 'admin', 'mia@example.com'],
            ['', '', '', ''],
            ['Süd', '', '', 'jo@example.com'],
          ]
            .map((cells) => cells.join(separator))
            .join('\n');
          expect(review(text)).toEqual(both);
          expect(readInvitations(text).ignored).toEqual(['Team']);
        }
      }
    },
  );

  it('has roles and languages in both languages', () => {
    expect(['', 'Member', 'Mitglied'].map(roleOf)).toEqual(['member', 'member', 'member']);
    expect([roleOf('Admin'), roleOf('chef')]).toEqual(['admin', undefined]);
    expect(['de', 'Deutsch', 'German'].map(languageOf)).toEqual(['de', 'de', 'de']);
    expect(['EN', 'Englisch', 'English'].map(languageOf)).toEqual(['en', 'en', 'en']);
    expect([languageOf(''), languageOf('fr')]).toEqual([null, undefined]);
  });

  it.each([
    ['Mia <mia@example.com>;;en', [['mia@example.com', 'member', 'en']]],
    ['"Smith ""Jo"""; < jo@example.com > ;Admin', [['jo@example.com', 'admin', null]]],
    ['jo@example.com;chef;admin;fr', [['jo@example.com', 'lang']]],
    ['jo@example.com;admin;chef;de', [['jo@example.com', 'role']]],
    ['jo@example.com;de;chef', [['jo@example.com', 'role']]],
    ['chef;jo@example.com;de', [['jo@example.com', 'member', 'de']]],
    [' , ;', [['', 'no at']]],
    ['<jo@example.com> x', [['<jo@example.com> x', 'blank']]],
    ['\uFEFFjo@example.com', [['jo@example.com', 'member', null]]],
    ['Name;E-Mail\nJo;nobody', [['nobody', 'no at']]],
    ['email\n"Jo, B" <jo@example.com>', [['jo@example.com', 'member', null]]],
    [
      'Name;E-Mail\nmia@example.com, al@example.com',
      [
        ['mia@example.com', 'member', null],
        ['al@example.com', 'member', null],
      ],
    ],
    ['', []],
  ])('is read from %j', (text, people) => expect(review(text)).toEqual(people));

  it('has no invitation of people who are in the team, and no more than allowed; only invitations count', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'a', 'f', 'b'];
    const { lines } = readInvitations(names.map((name) => `${name}@example.com`).join('\n'));
    const known = new Map([
      ['a@example.com', 'active'],
      ['b@example.com', 'invited'],
      ['c@example.com', 'waiting'],
    ] as const);
    const reviewed = reviewInvitations(lines, 2, known);
    expect(reviewed.map(({ error }) => error ?? 'ok').join(', ')).toBe(
      'member, invited, waiting, ok, ok, twice, too many, twice',
    );
    expect(reviewed.flatMap(({ sameAs }) => sameAs ?? [])).toEqual([1, 2]);
  });

  it('has each valid address once for a look-up, as addresses are stored', () => {
    const { lines } = readInvitations('Mia@Example.com\nnobody\nmia@example.com\njo@münchen.example');
    expect(addressesIn(lines)).toEqual(['mia@example.com', 'jo@xn--mnchen-3ya.example']);
  });

  it('has external ids below such a heading, of at most as many characters as the service takes', () => {
    const max = limits.externalIdCharacters;
    const read = (text: string) =>
      reviewInvitations(readInvitations(text).lines, 60).map(({ invitee, error }) => invitee?.external_id ?? error);
    for (const heading of ['external_id', 'External ID', 'Externe ID'])
      expect(read(`${heading};E-Mail\nE-1;mia@example.com\n;jo@example.com\n 7 ;al@example.com`)).toEqual([
        'E-1',
        undefined,
        '7',
      ]);
    const ofLength = (length: number) => read(`email,external_id\nmia@example.com,${'😀'.repeat(length)}`);
    expect([ofLength(max), ofLength(max + 1)]).toEqual([['😀'.repeat(max)], ['external_id']]);
    // Without a heading nothing says that it is one.
    expect(review('mia@example.com;member;E-1')).toEqual([['mia@example.com', 'lang']]);
    // One that was corrected to nothing is none.
    const [line] = readInvitations('email,external_id\nmia@example.com,E-1').lines;
    const [emptied] = reviewInvitations(line ? [{ ...line, external_id: '' }] : [], 60);
    expect(emptied?.invitee).toEqual({ email: 'mia@example.com', role: 'member', lang: null });
  });

  it('has an external id of two lines at the second one, which can be corrected', () => {
    const text =
      'email,external_id\na@example.com,E-1\nb@example.com,e-1\nc@example.com,E-1\nd@example.com,\ne@example.com,';
    const reviewed = reviewInvitations(readInvitations(text).lines, 60);
    expect(reviewed.map(({ error, sameAs }) => [error, sameAs])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ['external_id twice', 2],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('that was written is read again unchanged', () => {
    const person = fc.record({
      email: fc.emailAddress().filter(({ length }) => length <= 254),
      role: fc.constantFrom('admin', 'member'),
      lang: fc.constantFrom('de', 'en', null),
      // Spaces around a cell are no part of it.
      external_id: fc.string({ minLength: 1, maxLength: 20 }).map((text) => `<${text}>`),
    });
    const people = fc.uniqueArray(person, { maxLength: 5, selector: ({ email }) => email.toLowerCase() });
    const mia = { email: 'mia@example.com', role: 'member', lang: null };
    expect(writeInvitations([mia])).toBe('email,role,lang\nmia@example.com,member,');
    fc.assert(
      fc.property(people, (people) => {
        expect(review(writeInvitations(people))).toEqual(people.map(({ email, role, lang }) => [email, role, lang]));
        const { lines } = readInvitations(writeInvitations(people));
        expect(lines.map(({ external_id }) => external_id)).toEqual(people.map(({ external_id }) => external_id));
      }),
    );
  });
});
