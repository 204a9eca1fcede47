import { describe, expect, it } from 'vitest';
import { hashPassword, isPassword } from '../../src/core/password.ts';

describe('a password', () => {
  it('is recognised, and nothing else is', async () => {
    const password = 'correct horse 🐎 bättery';
    const hash = await hashPassword(password);
    expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
    expect(await isPassword(password, hash)).toBe(true);
    for (const other of [
      '',
      'x',
      `${password} `,
      ` ${password}`,
      password.toUpperCase(),
      password.slice(0, -1),
      `\0${password}`,
    ]) {
      expect(await isPassword(other, hash)).toBe(false);
    }
  });

  it('is the same however its characters are composed', async () => {
    const hash = await hashPassword('Müller ﬁ'.normalize('NFC'));
    expect(await isPassword('Müller ﬁ'.normalize('NFD'), hash)).toBe(true);
    expect(await isPassword('Müller fi', hash)).toBe(true);
  });

  it('has another hash each time', async () => {
    const [one, two] = await Promise.all([hashPassword('x'), hashPassword('x')]);
    expect(one).not.toBe(two);
  });

  it('never fits something that is no hash', async () => {
    for (const hash of [
      '',
      ':',
      'x',
      'x:',
      ':x',
      'x:y',
      `x:${'0'.repeat(126)}`,
      `x:${'g'.repeat(128)}`,
      '0'.repeat(128),
      `:${'0'.repeat(128)}`,
    ]) {
      expect(await isPassword('x', hash)).toBe(false);
      expect(await isPassword('', hash)).toBe(false);
    }
  });
});
