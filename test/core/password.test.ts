import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as passwords from '../../src/core/password.ts';
import { isPassword } from '../../src/core/password.ts';
import { quickSignIn } from '../support/service.ts';

const hashPassword = (password: string) => passwords.hashPassword(password, quickSignIn.passwordCost);

describe('a password', () => {
  it('is accepted, and nothing else', async () => {
    const password = 'correct horse 🐎 bättery';
    const hash = await hashPassword(password);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
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

  it('costs 19 MiB and two passes in production', async () => {
    const program = `import('./src/core/password.ts').then(async ({ hashPassword }) => process.stdout.write(await hashPassword('x')));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program]);
    expect(stdout).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is the same in every Unicode normalization form', async () => {
    const hash = await hashPassword('Müller ﬁ'.normalize('NFC'));
    expect(await isPassword('Müller ﬁ'.normalize('NFD'), hash)).toBe(true);
    expect(await isPassword('Müller fi', hash)).toBe(true);
  });

  it('is refused with a hash that is not one, or not only one', async () => {
    const hash = await hashPassword('x');
    for (const other of ['', 'x', `x${hash}`, `${hash}x`, hash.slice(0, -1), hash.replace('argon2id', 'argon2i')]) {
      expect(await isPassword('x', other), other).toBe(false);
    }
  });

  it('is accepted with a hash that cost more, with numbers of several digits', async () => {
    const hash = await passwords.hashPassword('x', { memory: 128, passes: 10, parallelism: 12 });
    expect(hash).toContain('$m=128,t=10,p=12$');
    expect(await isPassword('x', hash)).toBe(true);
  });

  it('has a different hash each time', async () => {
    const [one, two] = await Promise.all([hashPassword('x'), hashPassword('x')]);
    expect(one).not.toBe(two);
  });

  it('is accepted with a hash by another implementation of argon2id', async () => {
    // From the reference implementation's own tests.
    const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await isPassword('password', hash)).toBe(true);
    expect(await isPassword('Password', hash)).toBe(false);
  });

  it('never matches an invalid hash', async () => {
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
      '$argon2id$v=19$m=19456,t=2,p=1$$',
      `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$`,
      `$argon2id$v=19$m=99999999999,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
      `$argon2i$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    ]) {
      expect(await isPassword('x', hash)).toBe(false);
      expect(await isPassword('', hash)).toBe(false);
    }
  });

  it('of one person waits for at most one of another person’s in each place', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const busy = Array.from({ length: availableParallelism() }, () => passwords.hashing.run('internal', () => over));
    const done: string[] = [];
    const hashFor = (person: string) =>
      passwords.hashingForPerson(person, async () => {
        await hashPassword('x');
        done.push(person);
      });
    const all = [...Array.from({ length: 12 }, () => hashFor('busy')), hashFor('other')];
    end();
    await Promise.all([...busy, ...all]);
    expect(done.indexOf('other')).toBeLessThan(6);
  });
});
