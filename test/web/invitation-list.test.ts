import { describe, expect, it } from 'vitest';
import { readInvitations, reviewInvitations } from '../../src/web/pages/members/invitation-list.ts';

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
});
