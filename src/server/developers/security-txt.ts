import type { RequestHandler } from 'express';
import { daysToMs } from '../../core/clock.ts';
import { languages } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Platform } from '../../platform/team.ts';
import { writeAnswer } from '../http/request-context.ts';

// Where security flaws are reported (RFC 9116).

export const securityTxtPath = '/.well-known/security.txt';

/**
 * RFC 9116 recommends less than a year. The time starts anew with each answer, so that nobody has to renew the file.
 */
const validDays = 180;

/** The contacts that the operator has given, and where further texts are. Without a contact there is no such file. */
export const securityTxt =
  ({ publicUrl, clock }: Pick<Platform, 'publicUrl' | 'clock'>, contacts: readonly string[] = []): RequestHandler =>
  async (request, response) => {
    if (contacts.length === 0) fail('not_found');
    const expires = new Date(clock.now().getTime() + daysToMs(validDays));
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires.toISOString()}`,
      `Preferred-Languages: ${languages.join(', ')}`,
      `Canonical: ${publicUrl}${securityTxtPath}`,
      `Policy: ${publicUrl}/developers/security`,
    ];
    response.set('Cache-Control', 'no-cache');
    await writeAnswer(request, response, { type: 'text/plain; charset=utf-8', text: `${lines.join('\n')}\n` });
  };
