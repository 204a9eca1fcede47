import { daysToMs, later } from '../../core/clock.ts';
import { sha256 } from '../../core/crypto.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { quotable } from '../../core/name-text.ts';
import { fail } from '../../core/problem.ts';
import { forTeam } from '../../db/row-security.ts';
import { actIn, inShareLockedTeam, teamName } from '../../platform/team-row.ts';
import type { Platform } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { adminsOf } from '../membership/service.ts';
import { keyIn, type KeyParts } from './key-text.ts';
import { keys } from './store.ts';

// Reports of keys that somebody has found, for instance in a public repository. The owner and the admins are warned, at
// most once a day for each key. A report revokes nothing: the team's applications may depend on the key, so the team
// decides when it is replaced.

interface ReportMailValues {
  teamName: string;
  name: string;
  prefix: string;
}

const reportMail = mailTemplate<ReportMailValues>('key_reported', {
  de: (key) => ({
    lead: `Jemand hat den API-Schlüssel „${quotable(key.name)}“ (svck_live_${key.prefix}…) des Teams „${quotable(key.teamName)}“ gefunden und gemeldet, zum Beispiel in einem öffentlichen Repository oder in einem Log. Wer ihn hat, kann damit auf die Daten Ihres Teams zugreifen.`,
    action: 'Schlüssel ansehen',
    ending:
      'Der Schlüssel gilt weiter, bis Sie ihn auf dieser Seite widerrufen. Wenn Sie ihn rotieren, gilt er noch bis zum Ende der Übergangsfrist: Wählen Sie 0 Tage, damit er sofort ungültig wird. Auf der Seite sehen Sie auch, welche Anfragen mit ihm gesendet wurden.',
  }),
  en: (key) => ({
    lead: `Somebody has found and reported the API key “${quotable(key.name)}” (svck_live_${key.prefix}…) of the team “${quotable(key.teamName)}”, for instance in a public repository or in a log. With it, anybody can access the data of your team.`,
    action: 'View key',
    ending:
      'The key stays valid until you revoke it on this page. If you rotate it, it stays valid until the grace period ends: choose 0 days to end it at once. The page also shows the requests that were sent with it.',
  }),
});

const warnTeam = async (
  platform: Platform,
  { tenantId, keyId }: { tenantId: string; keyId: string },
  { secret }: KeyParts,
): Promise<void> =>
  inShareLockedTeam(await actIn(platform, { kind: 'service' }, tenantId), async (tx, team) => {
    const now = platform.clock.now();
    const secretHash = Uint8Array.from(sha256(secret));
    const key = await keys.noteReport(tx, team, { id: keyId, secretHash, now, before: later(now, -daysToMs(1)) });
    if (!key) return;
    record(tx, team, { action: 'key.reported', target: { type: 'key', id: keyId } });
    const values = { teamName: await teamName(tx, team), ...key };
    const link = `${platform.publicUrl}/keys/${keyId}?team=${tenantId}`;
    const readers = await adminsOf(tx, team);
    await queueMails(
      tx,
      team,
      readers.map((reader) => reportMail(reader, link, values)),
    );
  });

/**
 * Warns the team of the key in a text, if the key is active. The result does not show whether it is. A text is refused
 * only if it contains no key with a right checksum, which everybody can compute.
 */
export const reportKey = async (platform: Platform, text: string): Promise<void> => {
  const key = keyIn(text) ?? fail('validation_error', { field: 'key', detail: accessMessages.noCompleteKey });
  const found = await keys.withPrefix(platform.database, key.prefix);
  if (found) await forTeam(found.tenantId, () => warnTeam(platform, found, key));
};
