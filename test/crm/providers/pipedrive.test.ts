import { describe, expect, it } from 'vitest';
import { everythingSince } from './a-run.ts';
import { aPipedrive } from './accounts.ts';
import { exact, industryKey, objectionKey } from './fake-pipedrive.ts';

const since = new Date('2026-11-20T08:00:00.500Z');
const before = new Date('2026-11-20T07:59:59.999Z');
const after = new Date('2026-11-20T10:00:00Z');

describe('a first sync with Pipedrive', () => {
  it('reads every deal once, page by page, and archived ones too', async () => {
    const { crm, run } = await aPipedrive();
    for (let number = 1; number <= 1_200; number += 1) crm.addDeal(number).archived = number % 2 === 0;
    crm.addDeal(2_000, { status: 'deleted' });
    const { provider, requests } = await run();
    const { deals, deleted, times } = await everythingSince(provider, undefined);
    expect(deals.size).toBe(1_200);
    expect(new Set(times.values())).toEqual(new Set([1]));
    expect(deleted.size).toBe(0);
    // Users, stages, pipelines and fields are read once, whatever the number of pages.
    expect(requests.filter(({ url }) => !url.pathname.startsWith('/api/v2/deals'))).toHaveLength(4);
    for (const { gapMs = 0 } of requests) expect(gapMs).toBeGreaterThanOrEqual(100);
  });

  it('returns all fields that Pipedrive has of a deal', async () => {
    const { crm, found } = await aPipedrive();
    crm.users.push({ id: 7, email: 'lena@example.com', active_flag: false, timezone_name: 'Europe/Berlin' });
    crm.activities.push({ id: 70, due_date: '2026-11-20', due_time: '09:30', marked_as_done_time: null });
    crm.addDeal(1, {
      title: 'Photovoltaik Halle 4',
      value: exact('18400.50'),
      currency: 'EUR',
      expected_close_date: '2026-12-15',
      owner_id: 7,
      pipeline_id: 1,
      stage_id: 10,
      probability: null,
      lost_reason: null,
      last_activity_id: 70,
      custom_fields: { [industryKey]: 51, other: 'not of use' },
    });
    expect((await found()).deals.get('1')).toEqual({
      id: '1',
      outcome: 'open',
      title: 'Photovoltaik Halle 4',
      amount: '18400.50',
      currency: 'EUR',
      closeDate: '2026-12-15',
      probability: 35,
      pipelineId: '1',
      stageId: '10',
      industry: 'energy',
      lostReason: null,
      ownerEmail: 'lena@example.com',
      lastActivityAt: new Date('2026-11-20T09:30:00Z'),
    });
  });

  it('keeps every digit of an amount', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, { value: exact('12345678901234567890.10') });
    crm.addDeal(2, { value: 0 });
    const { deals } = await found();
    expect([...deals.values()].map(({ amount }) => amount)).toEqual(['12345678901234567890.10', '0']);
  });

  it('takes the probability of a deal from itself, its outcome, or its stage', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, { pipeline_id: 1, stage_id: 10, probability: 60 });
    crm.addDeal(2, { pipeline_id: 1, stage_id: 10, status: 'won' });
    crm.addDeal(3, { pipeline_id: 1, stage_id: 10, status: 'lost' });
    crm.addDeal(4, { pipeline_id: 1, stage_id: 10 });
    crm.addDeal(5, { pipeline_id: 2, stage_id: 20 });
    const { deals } = await found();
    expect([...deals.values()].map(({ outcome, probability }) => [outcome, probability])).toEqual([
      ['open', 60],
      ['won', 100],
      ['lost', 0],
      ['open', 35],
      ['open', null],
    ]);
  });

  it('rounds a probability to whole per cent from 0 to 100', async () => {
    const { crm, found } = await aPipedrive();
    for (const [at, probability] of [-5, 12.5, 99.4, 130].entries()) crm.addDeal(at + 1, { probability });
    const { deals } = await found();
    expect([...deals.values()].map(({ probability }) => probability)).toEqual([0, 13, 99, 100]);
  });

  it('finds stages and fields on any page of their lists', async () => {
    const { crm, found } = await aPipedrive();
    const more = <Row>(row: (number: number) => Row) => Array.from({ length: 500 }, (_, index) => row(1_000 + index));
    crm.stages = [...more((id) => ({ id, pipeline_id: 1, deal_probability: 5 })), ...crm.stages];
    crm.fields = [...more((id) => ({ field_name: `F${id}`, field_code: `f${id}`, options: null })), ...crm.fields];
    crm.addDeal(1, { pipeline_id: 1, stage_id: 10, status: 'open', custom_fields: { [industryKey]: 51 } });
    expect((await found()).deals.get('1')).toMatchObject({ probability: 35, industry: 'energy' });
  });

  it('takes the time of the last activity from when it was done, or else is due, of any number of deals', async () => {
    const { crm, found } = await aPipedrive();
    const due = { due_date: '2026-11-20', due_time: '09:30', marked_as_done_time: null };
    for (let number = 1; number <= 150; number += 1) {
      crm.activities.push({ id: number, ...due });
      crm.addDeal(number, { last_activity_id: number });
    }
    crm.activities[0] = { id: 1, ...due, marked_as_done_time: '2026-11-19 16:00:00' };
    crm.activities[1] = { id: 2, ...due, due_time: null };
    crm.activities[2] = { id: 3, ...due, due_date: null };
    const { deals } = await found();
    expect(['1', '2', '3', '150'].map((id) => deals.get(id)?.lastActivityAt?.toISOString())).toEqual([
      '2026-11-19T16:00:00.000Z',
      '2026-11-20T00:00:00.000Z',
      undefined,
      '2026-11-20T09:30:00.000Z',
    ]);
  });

  it('requests few custom fields, however many the company has', async () => {
    const { crm, run } = await aPipedrive();
    const settings = { objectionProperty: 'Einwand' };
    const asked = async (more = {}) => {
      const { provider, requests } = await run(more);
      await everythingSince(provider, undefined);
      return requests.find(({ url }) => url.pathname === '/api/v2/deals')?.url.searchParams.get('custom_fields');
    };
    expect(await asked(settings)).toBe(`${objectionKey},${industryKey}`);
    crm.fields = crm.fields.filter((field) => field['field_code'] !== industryKey);
    expect(await asked()).toBe(objectionKey);
    crm.fields = crm.fields.filter((field) => field['field_code'] !== objectionKey);
    expect(await asked()).toBeNull();
  });

  it('uses the time zone of its owner for the day of closing', async () => {
    const { crm, found } = await aPipedrive();
    crm.users.push({ id: 7, email: null, timezone_name: 'Europe/Berlin' });
    const closed = { status: 'won', close_time: '2026-12-14T23:30:00Z', expected_close_date: '2026-12-01' };
    crm.addDeal(1, { ...closed, owner_id: 7 });
    crm.addDeal(2, { ...closed, owner_id: 8 });
    const { deals } = await found();
    expect([...deals.values()].map(({ closeDate }) => closeDate)).toEqual(['2026-12-15', '2026-12-14']);
  });
});

describe('changes from Pipedrive', () => {
  it('are the deals that changed since, archived or not, and those that were deleted', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, {}, before);
    crm.addDeal(2, {}, since);
    crm.addDeal(3, {}, after).archived = true;
    crm.addDeal(4, {}, before).archived = true;
    crm.addDeal(5, { status: 'deleted' }, after);
    crm.addDeal(6, { status: 'deleted' }, before);
    const { deals, deleted } = await found({ since });
    expect([...deals.keys()]).toEqual(['2', '3']);
    expect([...deleted]).toEqual(['5']);
  });

  it('have a deal as deleted that Pipedrive lists with that mark, whatever its status', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, { is_deleted: true }, after);
    crm.addDeal(2, { status: 'won' }, after);
    const { deals, deleted } = await found({ since });
    expect([[...deals.keys()], [...deleted]]).toEqual([['2'], ['1']]);
  });

  it('need few requests if nothing changed', async () => {
    const { crm, run } = await aPipedrive();
    crm.addDeal(1, {}, before);
    const { provider, requests } = await run();
    await everythingSince(provider, since);
    // Deals, archived deals, deleted deals; and the fields, whose keys the requests need.
    expect(requests).toHaveLength(4);
  });

  it('can continue at any page in a new process', async () => {
    const { crm, foundByProcesses } = await aPipedrive();
    for (let number = 1; number <= 1_100; number += 1) crm.addDeal(number, {}, after).archived = number > 1_000;
    crm.addDeal(2_000, { status: 'deleted' }, after);
    const { times } = await foundByProcesses(since);
    const ids = [...Array.from({ length: 1_100 }, (_, index) => String(index + 1)), '2000'];
    expect([...times]).toEqual(ids.map((id) => [id, 1]));
  });
});

describe('objections from Pipedrive', () => {
  it('are the lost reason, its label where it is an option’s id', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, { status: 'lost', lost_reason: 'Zu spät', lost_time: '2026-11-19T14:00:00Z' });
    crm.addDeal(2, { status: 'lost', lost_reason: '41' });
    const { deals, objections } = await found({ objectionCategory: 'price', objectionLang: 'de' });
    expect(deals.get('2')?.lostReason).toBe('Zu teuer');
    expect(objections).toEqual([
      {
        id: 'lost_reason',
        dealId: '1',
        category: 'price',
        text: 'Zu spät',
        lang: 'de',
        createdAt: new Date('2026-11-19T14:00:00Z'),
      },
      { id: 'lost_reason', dealId: '2', category: 'price', text: 'Zu teuer', lang: 'de', createdAt: null },
    ]);
  });

  it.each([
    ['the key', objectionKey],
    ['the name', 'einwand'],
  ])('are one for each option of the field that the settings call by %s', async (_, objectionProperty) => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, { custom_fields: { [objectionKey]: [61, 62] } });
    crm.addDeal(2, { custom_fields: { [objectionKey]: null } });
    const { objections } = await found({ objectionProperty });
    expect(objections).toMatchObject([
      { id: 'property:61', dealId: '1', text: 'Kein Budget' },
      { id: 'property:62', dealId: '1', text: 'Keine Zeit' },
    ]);
  });

  it.each([
    ['a text', true, 'Kein Bedarf', 'Kein Bedarf'],
    ['a number', true, 42, '42'],
    ['an object with a text, such as an address', true, { value: 'Hamburg', locality: 'HH' }, 'Hamburg'],
    ['a text, and is a field of Pipedrive itself', false, 'Kein Bedarf', 'Kein Bedarf'],
    ['blank', true, '  ', undefined],
  ])('are the text of a field without options that is %s', async (_what, isCustom, value, text) => {
    const { crm, found } = await aPipedrive();
    const code = 'c'.repeat(40);
    crm.fields.push({
      field_name: 'Grund',
      field_code: code,
      field_type: 'text',
      is_custom_field: isCustom,
      options: null,
    });
    crm.addDeal(1, isCustom ? { custom_fields: { [code]: value } } : { [code]: value });
    const { objections } = await found({ objectionProperty: 'Grund' });
    expect(objections.map((objection) => [objection.id, objection.text])).toEqual(
      text === undefined ? [] : [['property:text', text]],
    );
  });

  it('are the notes with the prefix, in a first sync as in later ones', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, {}, before);
    crm.addDeal(2, {}, before);
    crm.addNote(11, 1, '<p>Einwand: Zu teuer &amp; zu spät<br>laut Chef</p>', after);
    crm.addNote(12, 1, '<p>Rückruf morgen</p>', after);
    crm.addNote(13, 2, 'Einwand: gelöscht', after).active_flag = false;
    crm.addNote(14, null, 'Einwand: ohne Deal', after);
    for (const from of [undefined, since]) {
      expect((await found({ since: from, notePrefix: 'Einwand:' })).objections).toEqual([
        {
          id: 'note:11',
          dealId: '1',
          category: 'other',
          text: 'Zu teuer & zu spät\nlaut Chef',
          lang: 'de',
          createdAt: new Date('2026-11-19T14:00:00Z'),
        },
      ]);
    }
  });

  it('are read once in a run, however many workers it has', async () => {
    const { crm, run } = await aPipedrive();
    for (let number = 1; number <= 1_100; number += 1) crm.addDeal(number, {}, after);
    for (let number = 1; number <= 300; number += 1) crm.addNote(number, number, `Einwand: Nummer ${number}`, after);
    const objections = new Set<string>();
    let [cursor, notes]: [string | undefined, number] = [undefined, 0];
    do {
      const { provider, requests } = await run({ notePrefix: 'Einwand:' });
      const page = await provider.fetchChanges(since, cursor);
      for (const { dealId, id } of page.objections) objections.add(`${dealId} ${id}`);
      notes += requests.filter(({ url }) => url.pathname === '/api/v1/notes').length;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(objections.size).toBe(300);
    expect(notes).toBe(3);
  });

  it('change with their note, even if the deal did not change', async () => {
    const { crm, found } = await aPipedrive();
    crm.addDeal(1, { status: 'lost', lost_reason: 'Preis' }, before);
    crm.addDeal(2, {}, before).archived = true;
    crm.addNote(11, 1, 'Einwand: alt', before);
    crm.addNote(12, 1, 'Einwand: neu', after);
    crm.addNote(13, 2, 'Einwand: im Archiv', after);
    const { deals, objections } = await found({ since, notePrefix: 'Einwand:' });
    expect([...deals.keys()]).toEqual([]);
    expect(objections.map(({ text }) => text)).toEqual(['neu', 'im Archiv']);
  });

  it('fail with a reason if Pipedrive has no such field', async () => {
    const { run } = await aPipedrive();
    const { provider } = await run({ objectionProperty: 'Einwnad' });
    for (const tried of [() => provider.tryCredentials(), () => everythingSince(provider, undefined)]) {
      await expect(tried()).rejects.toMatchObject({ kind: 'malformed', message: expect.stringContaining('Einwnad') });
    }
  });
});

describe('a token of Pipedrive', () => {
  it.each(['/api/v1/users', '/api/v2/dealFields', '/api/v2/deals'])(
    'that may not read %s is refused when it is tried',
    async (path) => {
      const { crm, run } = await aPipedrive();
      crm.instead = (request) => (request.path.startsWith(path) ? { status: 403, body: '' } : undefined);
      const { provider } = await run();
      await expect(provider.tryCredentials()).rejects.toMatchObject({ kind: 'credentials_refused', status: 403 });
    },
  );
});
