import { describe, expect, it } from 'vitest';
import { refusalText } from '../../src/web/kit/list/refusal-text.ts';
import { adviceOn } from '../../src/web/kit/page/advice.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import {
  connectionState,
  firstRunIn,
  nextSyncText,
  outcomes,
  pauseUntilRefetch,
  renewedText,
} from '../../src/web/pages/crm/connection-state.ts';
import { isBeingReplaced, isLimited, isReported, keyState, scopesInBrief } from '../../src/web/pages/keys/key-state.ts';
import { errorTexts, isCorrectable, isSettled, outcomeText } from '../../src/web/pages/members/invitation-words.ts';
import { toneOfStatus } from '../../src/web/pages/requests/request-words.ts';
import { adviceOnRefusal } from '../../src/web/pages/settings/directory-words.ts';
import { missingText } from '../../src/web/pages/settings/figures.ts';
import {
  deliveryState,
  deliveryStates,
  isSuccess,
  nextStep,
  reasonText,
} from '../../src/web/pages/webhooks/delivery-words.ts';
import { healthWords } from '../../src/web/pages/webhooks/health-words.ts';
import { reachedFirst, reachWords, wasFailingBefore } from '../../src/web/pages/webhooks/reach-words.ts';

// The states of things in words, in both languages.

const inBoth = <Said>(say: () => Said): [de: Said, en: Said] => {
  setCurrentLanguage('de');
  const de = say();
  setCurrentLanguage('en');
  return [de, say()];
};

const now = new Date('2026-11-20T10:00:00Z');

describe('a CRM connection', () => {
  const synced = {
    running: null,
    requested: false,
    status: 'active',
    has_token: true,
    last_outcome: 'ok',
    last_sync_at: '2026-11-20T09:00:00Z',
  } as const;
  const running = { since: '2026-11-20T09:59:00Z', deals: 1 };
  it.each([
    [{}, 'good', 'Aktiv', 'Active'],
    [{ last_sync_at: null, last_outcome: null }, 'info', 'Noch nicht abgeglichen', 'Not synced yet'],
    [{ last_outcome: 'failed' }, 'bad', 'Abgleich fehlgeschlagen', 'Sync failing'],
    [{ last_outcome: 'stopped' }, 'good', 'Aktiv', 'Active'],
    [{ has_token: false, last_outcome: 'failed' }, 'warn', 'Zugriffstoken fehlt', 'No access token'],
    [{ status: 'paused', has_token: false, last_outcome: 'failed' }, 'plain', 'Pausiert', 'Paused'],
    [
      { status: 'credentials_refused', last_outcome: 'failed' },
      'bad',
      'Zugangsdaten abgelehnt',
      'Credentials rejected',
    ],
    [{ requested: true, status: 'paused' }, 'info', 'Abgleich startet', 'Sync starting'],
    [{ running, requested: true }, 'info', 'Wird abgeglichen', 'Syncing now'],
  ] as const)('with %j is %s: %s, %s', (changed, tone, de, en) => {
    expect(inBoth(() => connectionState({ ...synced, ...changed }))).toEqual([
      [tone, de],
      [tone, en],
    ]);
  });

  const waiting = { running: null, requested: false, status: 'active', next_sync_at: '2026-11-20T11:00:00Z' } as const;
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString();
  it.each([
    [{}, true, undefined, 30_000],
    [{}, false, 'Not scheduled', 30_000],
    [{ next_sync_at: null }, true, 'None scheduled', false],
    [{ next_sync_at: inSeconds(5) }, true, undefined, 30_000],
    [{ next_sync_at: inSeconds(4) }, true, 'Within seconds', 1_500],
    [{ next_sync_at: inSeconds(-60) }, true, 'Within seconds', 1_500],
    // That of a paused one does not begin by itself.
    [{ next_sync_at: inSeconds(-60), status: 'paused' }, true, undefined, 30_000],
    [{ next_sync_at: null, requested: true, status: 'paused' }, true, 'Within seconds', 1_500],
    [{ next_sync_at: null, running }, true, 'Running now', 1_500],
  ] as const)('with %j, with the API: %s, says of its next sync %s, and is loaded again in %s ms', (...row) => {
    const [changed, hasApi, text, pause] = row;
    setCurrentLanguage('en');
    const connection = { ...waiting, ...changed };
    expect(nextSyncText(connection, hasApi, now)).toBe(text);
    expect(pauseUntilRefetch([connection], now)).toBe(pause);
  });

  it('is loaded again as soon as any of several needs it', () => {
    const still = { ...waiting, next_sync_at: null };
    expect(pauseUntilRefetch([], now)).toBe(false);
    expect(pauseUntilRefetch([still, waiting], now)).toBe(30_000);
    expect(pauseUntilRefetch([still, waiting, { ...still, running }], now)).toBe(1_500);
  });

  it('has its first sync last in its history, while that has all syncs', () => {
    const rows = [{ run_id: 'c' }, { run_id: 'b' }, { run_id: 'a' }];
    expect(firstRunIn(rows, { hasNextPage: false, kept: 4 })).toBe('a');
    // Older ones may have been deleted.
    expect(firstRunIn(rows, { hasNextPage: false, kept: 3 })).toBeUndefined();
    expect(firstRunIn(rows, { hasNextPage: true, kept: 4 })).toBeUndefined();
    expect(firstRunIn([], { hasNextPage: false, kept: 4 })).toBeUndefined();
  });

  it('says how a sync ended, and what a new token starts', () => {
    expect(inBoth(() => Object.values(outcomes()).map(([, word]) => word))).toEqual([
      ['Läuft', 'Erfolgreich', 'Fehlgeschlagen', 'Abgebrochen'],
      ['Running', 'Successful', 'Failed', 'Canceled'],
    ]);
    expect(Object.values(outcomes()).map(([tone]) => tone)).toEqual(['info', 'good', 'bad', 'plain']);
    expect(inBoth(() => renewedText('paused'))).toEqual([
      'Token gespeichert. Die Verbindung bleibt pausiert.',
      'Token saved. The connection stays paused.',
    ]);
    for (const status of ['active', 'credentials_refused'] as const)
      expect(inBoth(() => renewedText(status))).toEqual([
        'Token gespeichert. Der Abgleich startet.',
        'Token saved. The sync is starting.',
      ]);
  });
});

describe('an API key', () => {
  it.each([
    ['active', null, 'good', 'Aktiv', 'Active', false],
    ['active', 'next', 'info', 'Wird rotiert', 'Rotating', true],
    ['expired', null, 'plain', 'Abgelaufen', 'Expired', false],
    ['expired', 'next', 'plain', 'Rotiert', 'Rotated', false],
    ['revoked', null, 'plain', 'Widerrufen', 'Revoked', false],
    ['revoked', 'next', 'plain', 'Rotiert', 'Rotated', false],
  ] as const)('that is %s, replaced by %s, is %s: %s, %s; both are valid: %s', (...row) => {
    const [status, rotated_to_id, tone, de, en, both] = row;
    const key = { status, rotated_to_id, reported_at: null };
    expect(inBoth(() => keyState(key))).toEqual([
      [tone, de],
      [tone, en],
    ]);
    expect(isBeingReplaced(key)).toBe(both);
  });

  it.each([
    ['active', null, 'bad', 'Als gefunden gemeldet', 'Reported as found'],
    ['active', 'next', 'bad', 'Als gefunden gemeldet', 'Reported as found'],
    ['expired', null, 'plain', 'Abgelaufen', 'Expired'],
    ['revoked', null, 'plain', 'Widerrufen', 'Revoked'],
    ['revoked', 'next', 'plain', 'Rotiert', 'Rotated'],
  ] as const)('that was found, is %s and replaced by %s, is %s: %s, %s', (status, rotated_to_id, tone, de, en) => {
    const key = { status, rotated_to_id, reported_at: '2026-11-20T10:00:00Z' };
    expect(inBoth(() => keyState(key))).toEqual([
      [tone, de],
      [tone, en],
    ]);
    expect(isReported(key)).toBe(status === 'active');
  });

  it.each([
    ['active', ['users:read', 'users:write'], false, true],
    ['active', ['users:read', 'users:write'], true, false],
    ['active', ['users:read'], false, false],
    ['active', ['directory:manage'], false, true],
    ['active', ['directory:manage'], true, false],
    ['expired', ['users:write'], false, false],
    ['revoked', ['users:write'], false, false],
  ] as const)('that is %s, with %j, whose creator vouches: %s, is limited: %s', (status, scopes, vouches, is) => {
    expect(isLimited({ status, scopes: [...scopes], created_by: { vouches } })).toBe(is);
  });

  it('has the name of the template with exactly its scopes, or their number', () => {
    const templates = [
      { name: 'Read all', scopes: ['users:read', 'cases:read'] },
      { name: 'Read cases', scopes: ['cases:read'] },
    ] as const;
    const brief = (...scopes: string[]) =>
      scopesInBrief(
        scopes,
        templates.map((one) => ({ ...one, scopes: [...one.scopes] })),
      );
    setCurrentLanguage('en');
    expect(brief('cases:read', 'users:read')).toBe('Read all');
    expect(brief('cases:read')).toBe('Read cases');
    expect([brief('users:read'), brief('users:read', 'users:write'), brief()]).toEqual([
      '1 scope',
      '2 scopes',
      '0 scopes',
    ]);
    expect(scopesInBrief(['cases:read'])).toBe('1 scope');
  });
});

describe('a delivery', () => {
  it.each([
    ['pending', false, 'info', 'Ausstehend', 'Pending'],
    ['pending', true, 'plain', 'Wartet auf den Endpunkt', 'Waiting for the endpoint'],
    ['failed', false, 'warn', 'Fehlgeschlagen, wird wiederholt', 'Failed, retrying'],
    ['failed', true, 'warn', 'Fehlgeschlagen, wartet auf den Endpunkt', 'Failed, waiting for the endpoint'],
    ['ok', false, 'good', 'Zugestellt', 'Delivered'],
    ['gave_up', false, 'bad', 'Endgültig fehlgeschlagen', 'Permanently failed'],
    ['gave_up', true, 'bad', 'Endgültig fehlgeschlagen', 'Permanently failed'],
  ] as const)('that is %s, held: %s, is %s: %s, %s', (status, isHeld, tone, de, en) => {
    expect(inBoth(() => deliveryState(status, isHeld))).toEqual([
      [tone, de],
      [tone, en],
    ]);
  });

  it('says in its next step what follows', () => {
    const steps = (is_held: boolean) =>
      (['pending', 'failed', 'ok', 'gave_up'] as const).map((status) => nextStep({ status, is_held }));
    expect(inBoth(() => steps(false))).toEqual([
      [
        'Die Zustellung wird in Kürze gesendet.',
        'Der nächste Versuch erfolgt automatisch.',
        'Der Empfänger hat die Zustellung angenommen.',
        'Keine weiteren automatischen Versuche.',
      ],
      [
        'The delivery will be sent shortly.',
        'The next attempt is automatic.',
        'The receiver accepted the delivery.',
        'No more automatic attempts.',
      ],
    ]);
    expect(new Set(steps(true))).toEqual(
      new Set(['The endpoint is not active. The delivery is sent once you reactivate it.']),
    );
  });

  it('can be filtered by each of its states', () => {
    expect(Object.keys(deliveryStates())).toEqual(['pending', 'failed', 'ok', 'gave_up']);
  });

  it.each([
    [200, null, true],
    [299, null, true],
    [199, null, false],
    [300, null, false],
    [200, 'The response was too long.', false],
    [null, 'No connection.', false],
    [null, null, false],
  ])('of which an attempt was answered with %s, error %s, was accepted: %s', (response_code, error, is) => {
    expect(isSuccess({ response_code, error })).toBe(is);
  });

  it('says why it failed in the reader’s language', () => {
    expect(inBoth(() => reasonText('No connection.', 'Keine Verbindung.'))).toEqual([
      'Keine Verbindung.',
      'No connection.',
    ]);
    // Older attempts have an English text alone.
    expect(inBoth(() => reasonText('No connection.', null))).toEqual(['No connection.', 'No connection.']);
    expect(inBoth(() => reasonText('endpoint paused'))).toEqual([
      'Der Endpunkt wurde vor der Zustellung pausiert.',
      'The endpoint was paused before delivery.',
    ]);
    expect(inBoth(() => reasonText('too many waiting')[0])).toEqual(['Z', 'T']);
  });
});

describe('an endpoint', () => {
  it('has its health in words', () => {
    expect(inBoth(() => Object.entries(healthWords()))).toEqual([
      [
        ['delivering', ['good', 'Stellt zu']],
        ['never_delivered', ['info', 'Noch nichts zugestellt']],
        ['failing', ['bad', 'Gestört']],
        ['paused', ['bad', 'Pausiert']],
        ['disabled', ['plain', 'Deaktiviert']],
      ],
      [
        ['delivering', ['good', 'Delivering']],
        ['never_delivered', ['info', 'Nothing delivered yet']],
        ['failing', ['bad', 'Failing']],
        ['paused', ['bad', 'Paused']],
        ['disabled', ['plain', 'Disabled']],
      ],
    ]);
  });

  it.each([
    ['asked', 'good', 'Gesendet', 'Sent', 'was active and subscribed'],
    ['concerned', 'plain', 'Betroffen', 'Concerned', 'about this endpoint itself'],
    ['not_subscribed', 'plain', 'Nicht abonniert', 'Not subscribed', 'not subscribed to this event type'],
    ['disabled', 'plain', 'Deaktiviert', 'Disabled', 'is disabled'],
    ['paused', 'bad', 'Pausiert', 'Paused', 'continuous failures'],
    ['created_later', 'plain', 'Später angelegt', 'Created later', 'created afterwards'],
    ['not_sent', 'plain', 'Nicht gesendet', 'Not sent', 'no longer kept'],
  ] as const)('that an event reached as %s is %s: %s, %s, because it %s', (state, tone, de, en, why) => {
    const [german, english] = inBoth(() => reachWords()[state]);
    expect([german.tone, german.state, english.tone, english.state]).toEqual([tone, de, tone, en]);
    expect(english.why).toContain(why);
    expect(german.why).not.toBe(english.why);
  });

  it('was failing before an event if the last attempt until then failed', () => {
    const before = (succeeded: boolean) => ({ at: '2026-11-20T10:00:00Z', succeeded });
    const failed = { last_before: before(false), state: 'asked' } as const;
    expect(wasFailingBefore(failed)).toBe(true);
    expect(wasFailingBefore({ ...failed, last_before: before(true) })).toBe(false);
    expect(wasFailingBefore({ ...failed, last_before: null })).toBe(false);
    expect(wasFailingBefore({ ...failed, state: 'created_later' })).toBe(false);
  });

  it('that got an event comes before those that did not', () => {
    const [a, b, c] = [{ deliveries: [] }, { deliveries: [1] }, { deliveries: [2, 3] }];
    expect(reachedFirst([a, b, c])).toEqual([b, c, a]);
  });
});

describe('the company account', () => {
  const [open, proven] = [{ proven: false }, { proven: true }];
  it.each([
    [null, [proven], 'Noch nicht nutzbar: Anbieter eintragen', 'Not usable yet: add a provider'],
    [{}, [], 'Noch nicht nutzbar: Domain hinzufügen', 'Not usable yet: add a domain'],
    [{}, [open], 'Noch nicht nutzbar: Domain bestätigen', 'Not usable yet: confirm the domain'],
    [{}, [open, proven], undefined, undefined],
  ])('with the provider %j and the domains %j lacks: %s, %s', (provider, domains, de, en) => {
    expect(inBoth(() => missingText({ provider, domains }))).toEqual([de, en]);
  });
});

describe('a refusal', () => {
  it.each([
    ['not_found', 'It no longer exists.'],
    ['conflict', 'The status has changed in the meantime.'],
    ['validation_error', 'This is not possible with the current status.'],
    ['insufficient_scope', 'You don’t have permission for this.'],
    ['seat_limit_reached', 'No seat is available.'],
    ['last_admin', 'A team needs at least one active admin.'],
    ['owner', 'This is the owner.'],
    ['vorgabe_gesperrt', 'This choice is blocked for the person.'],
    ['kombination_ungueltig', 'The catalog no longer allows this combination.'],
    ['api_disabled', 'The API is disabled for this team.'],
    ['rate_limited', 'This was not possible.'],
  ] as const)('of one of several with %s says: %s', (code, en) => {
    const [german, english] = inBoth(() => refusalText({ code }));
    expect(english).toBe(en);
    expect(german).not.toBe(en);
  });

  it('of one of several that may be repeated says when', () => {
    expect(inBoth(() => refusalText({ code: 'rate_limited', retry_after: 120 }))).toEqual([
      'Das Limit ist erreicht; wieder möglich in 2 Minuten.',
      'The limit is reached; possible again in 2 minutes.',
    ]);
  });

  it('says what to do if its title does not', () => {
    setCurrentLanguage('en');
    expect(adviceOn({ code: 'last_admin' })).toContain('Make another member an admin first.');
    expect(adviceOn({ code: 'owner' })).toContain('The owner can transfer the team');
    expect(adviceOn({ code: 'seat_limit_reached' })).toContain('withdraw an invitation');
    expect(adviceOn({ code: 'validation_error', field: 'webhook_endpoints' })).toContain('Delete an endpoint');
    expect([adviceOn({ code: 'not_found' }), adviceOn({})]).toEqual([undefined, undefined]);
  });
});

describe('an invitation', () => {
  it.each([
    ['invited', true, 'good', 'Eingeladen', 'Invited'],
    ['waiting', true, 'info', 'Wird später gesendet', 'Will be sent later'],
    ['invalid', false, 'bad', 'Ungültige E-Mail-Adresse', 'Invalid email address'],
    ['conflict', false, 'plain', 'Bereits im Team', 'Already in the team'],
    ['external_id_taken', false, 'bad', 'Externe ID vergeben', 'External ID taken'],
    ['seat_limit_reached', false, 'bad', 'Kein Platz frei', 'No seat available'],
    ['rate_limited', false, 'warn', 'Limit erreicht', 'Limit reached'],
    ['insufficient_scope', false, 'bad', 'Nicht erlaubt', 'Not allowed'],
  ] as const)('that became %s is settled: %s; %s: %s, %s', (outcome, settled, tone, de, en) => {
    expect(isSettled({ outcome })).toBe(settled);
    const [german, english] = inBoth(() => outcomeText({ outcome }));
    expect([german.tone, german.word, english.tone, english.word]).toEqual([tone, de, tone, en]);
    expect([outcome, english.advice === undefined]).toEqual([outcome, outcome === 'invited']);
  });

  it('that is sent later says when, and no other', () => {
    setCurrentLanguage('en');
    expect(outcomeText({ outcome: 'external_id_taken', retry_after: 1_800 }).advice).not.toContain('automatically');
    expect(outcomeText({ outcome: 'waiting', retry_after: 1_800 }).advice).toBe(
      'The limit for invitations per hour or emails per day is reached. The invitation is sent automatically in 30 minutes.',
    );
    expect(isSettled(undefined)).toBe(false);
  });

  it.each([
    ['no at', true, 'Not an email address: the @ is missing'],
    ['blank', true, 'Invalid email address: it contains a space'],
    ['local part', true, 'Check the part before the @'],
    ['domain', true, 'Check the part after the @, such as example.com'],
    ['length', true, 'Invalid email address: too long'],
    ['role', true, 'Unknown role: chef'],
    ['lang', true, 'Unknown language: fr'],
    ['external_id', true, 'External ID too long: at most 255 characters'],
    ['external_id twice', true, 'External ID is a duplicate of line 4'],
    ['twice', false, 'Duplicate of line 4'],
    ['member', false, 'Already a member'],
    ['invited', false, 'Already invited'],
    ['waiting', false, 'Invitation already queued'],
    ['too many', false, 'More than 1,000 at once'],
    [undefined, false, ''],
  ] as const)('of a line with the flaw %s can be corrected: %s; it says: %s', (error, can, text) => {
    const line = { email: 'mia..berg@example.com', role: 'chef', lang: 'fr', sameAs: 4, ...(error && { error }) };
    expect(isCorrectable(line)).toBe(can);
    const [german, english] = inBoth(() => errorTexts(1_000)(line));
    expect(english).toBe(text);
    if (error !== undefined) expect(german).not.toBe(text);
  });

  it('of an address with an umlaut before the @ says so', () => {
    setCurrentLanguage('en');
    const line = { email: 'jörg@example.com', role: '', lang: '', error: 'local part' } as const;
    expect(errorTexts(1)(line)).toBe('Umlauts and accents aren’t possible before the @');
    expect(errorTexts(1)({ ...line, email: 'mia..b@münchen.example' })).toBe('Check the part before the @');
  });
});

it.each([
  [200, 'good'],
  [204, 'good'],
  [304, 'plain'],
  [404, 'warn'],
  [429, 'warn'],
  [499, 'plain'],
  [500, 'bad'],
  [503, 'bad'],
] as const)('a request that was answered with %i is shown as %s', (status, tone) => {
  expect(toneOfStatus(status)).toBe(tone);
});

describe('what was refused to a directory', () => {
  const taken = 'Another person of the team has this userName.';
  it.each([
    [409, 'validation_error', taken, /Person suchen und zuordnen/, /look the person up/],
    [400, 'validation_error', 'userName must be an email address.', /E-Mail-Adresse/, /email address/],
    [400, 'validation_error', 'The filter lacks a ).', /Zuordnung der Attribute/, /attribute mapping/],
    [400, 'validation_error', null, /Zuordnung der Attribute/, /attribute mapping/],
    [403, 'insufficient_scope', 'Only the owner …', /kein Admin mehr/, /no longer an admin/],
    [403, 'seat_limit_reached', null, /Alle Plätze/, /All seats/],
    [403, 'conflict', 'The groups are …', /keine Gruppen außer Admins/, /no groups other than Admins/],
    [403, 'api_disabled', null, /keinen API-Zugang/, /does not include API access/],
    [409, 'conflict', null, /externe ID/, /external ID/],
    [409, 'owner', null, /Übergeben Sie zuerst/, /Transfer the team first/],
    [409, 'last_admin', null, /letzte aktive Admin/, /last active admin/],
    [404, 'not_found', null, /wurde gelöscht/, /was deleted/],
    [501, 'not_found', null, /Zuordnung der Attribute/, /attribute mapping/],
    [413, 'bad_request', null, /Zuordnung der Attribute/, /attribute mapping/],
    [503, 'unavailable', null, /vorübergehende Störung/, /temporary fault/],
    [500, 'internal', null, /vorübergehende Störung/, /temporary fault/],
  ] as const)('with %i %s and the detail %j has an advice: %s, %s', (status, code, detail, de, en) => {
    const [german, english] = inBoth(() => adviceOnRefusal({ status, code, detail }));
    expect(german).toMatch(de);
    expect(english).toMatch(en);
  });
});
