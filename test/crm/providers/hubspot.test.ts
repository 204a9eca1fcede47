import { describe, expect, it } from 'vitest';
import { aHubSpot } from './accounts.ts';
import { everythingSince } from './a-run.ts';
import { hubSpotErrors } from './fake-hubspot.ts';

const since = new Date('2026-11-20T08:00:00Z');
const before = new Date('2026-11-20T07:59:59.999Z');
const after = new Date('2026-11-20T10:00:00Z');

describe('a first sync with HubSpot', () => {
  it('reads every deal once, page by page', async () => {
    const { crm, run } = await aHubSpot();
    for (let number = 1; number <= 250; number += 1) crm.addDeal(String(number));
    const { provider, requests } = await run();
    const { deals, times, pages } = await everythingSince(provider, undefined);
    expect(deals.size).toBe(250);
    expect(new Set(times.values())).toEqual(new Set([1]));
    expect(pages).toBe(3);
    // Owners, stages, labels and the account are read once, whatever the number of pages.
    expect(
      requests.filter(({ url }) => !url.pathname.endsWith('/deals') || url.pathname.includes('pipelines')),
    ).toHaveLength(5);
  });

  it('returns all fields that HubSpot has of a deal', async () => {
    const { crm, found } = await aHubSpot();
    crm.owners.push({ id: '77', email: 'lena@example.com' });
    crm.addDeal('1', {
      dealname: 'Photovoltaik Halle 4',
      amount: '18400.50',
      deal_currency_code: 'CHF',
      closedate: '2026-12-15T12:00:00.000Z',
      pipeline: 'default',
      dealstage: 'contractsent',
      hubspot_owner_id: '77',
      closed_lost_reason: '',
      industry: 'energy',
      hs_deal_stage_probability: '0.4',
      notes_last_updated: '2026-11-20T09:30:00.000Z',
    });
    expect((await found()).deals.get('1')).toEqual({
      id: '1',
      outcome: 'open',
      title: 'Photovoltaik Halle 4',
      amount: '18400.50',
      currency: 'CHF',
      closeDate: '2026-12-15',
      probability: 40,
      pipelineId: 'default',
      stageId: 'contractsent',
      industry: 'energy',
      lostReason: null,
      ownerEmail: 'lena@example.com',
      lastActivityAt: new Date('2026-11-20T09:30:00.000Z'),
    });
  });

  it('takes the outcome and the probability from the stage', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', { dealstage: 'closedwon' });
    crm.addDeal('2', { dealstage: 'closedlost' });
    crm.addDeal('3', { dealstage: 'appointmentscheduled' });
    const { deals } = await found();
    expect([...deals.values()].map(({ outcome, probability }) => [outcome, probability])).toEqual([
      ['won', 100],
      ['lost', 0],
      ['open', 20],
    ]);
  });

  it('takes them from the deal where its stage no longer exists', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', {
      dealstage: 'gone',
      hs_is_closed: 'true',
      hs_is_closed_won: 'true',
      hs_deal_stage_probability: '1.0',
    });
    crm.addDeal('2', {
      dealstage: 'gone',
      hs_is_closed: 'true',
      hs_is_closed_won: 'false',
      hs_deal_stage_probability: '0',
    });
    crm.addDeal('3', { dealstage: 'gone', hs_is_closed: 'false', hs_is_closed_won: 'false' });
    const { deals } = await found();
    expect([...deals.values()].map(({ outcome, probability }) => [outcome, probability])).toEqual([
      ['won', 100],
      ['lost', 0],
      ['open', null],
    ]);
  });

  it('rounds a probability to whole per cent from 0 to 100', async () => {
    const { crm, found } = await aHubSpot();
    for (const [at, probability] of ['-0.1', '0.07', '0.125', '1.2'].entries())
      crm.addDeal(String(at + 1), { hs_deal_stage_probability: probability });
    const { deals } = await found();
    expect([...deals.values()].map(({ probability }) => probability)).toEqual([0, 7, 13, 100]);
  });

  it('uses the account’s time zone for the day of closing', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', { closedate: '2026-12-14T23:30:00.000Z' });
    expect((await found()).deals.get('1')?.closeDate).toBe('2026-12-15');
  });

  it('uses the company’s currency for a deal without one', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', { amount: '5' });
    expect((await found()).deals.get('1')?.currency).toBe('EUR');
  });

  it.each([
    ['the token may not read', hubSpotErrors.missingScope('oauth')],
    ['do not exist', { status: 404, body: '{}' }],
  ])('works if parts of the account %s', async (_what, refused) => {
    const { crm, found } = await aHubSpot();
    crm.instead = ({ path }) => (path.startsWith('/account-info/') ? refused : undefined);
    crm.addDeal('1', { closedate: '2026-12-14T23:30:00.000Z' });
    expect((await found()).deals.get('1')).toMatchObject({ closeDate: '2026-12-14', currency: null });
  });

  it('finds the address of an owner on any page of the list, and of a former one', async () => {
    const { crm, found } = await aHubSpot();
    for (let number = 1; number <= 150; number += 1)
      crm.owners.push({ id: String(number), email: `o${number}@example.com` });
    crm.owners.push({ id: '900', email: 'left@example.com', archived: true }, { id: '901', email: null });
    for (const owner of ['1', '150', '900', '901', '999']) crm.addDeal(owner, { hubspot_owner_id: owner });
    const { deals } = await found();
    expect([...deals.values()].map(({ ownerEmail }) => ownerEmail)).toEqual([
      'o1@example.com',
      'o150@example.com',
      'left@example.com',
      null,
      null,
    ]);
  });
});

describe('changes from HubSpot', () => {
  it('are the deals that changed since, including the first millisecond', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', {}, before);
    crm.addDeal('2', {}, since);
    crm.addDeal('3', {}, after);
    expect([...(await found({ since })).deals.keys()]).toEqual(['2', '3']);
  });

  it('keep the pause between requests', async () => {
    const { crm, server, found } = await aHubSpot();
    for (let number = 1; number <= 450; number += 1) crm.addDeal(String(number), {}, after);
    await found({ since, hurried: false });
    const times = server.received.filter(({ path }) => path.endsWith('/search')).map(({ at }) => at.getTime());
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(240);
  });

  it('include a deal that changes during the run in the next run', async () => {
    const { crm, run } = await aHubSpot();
    for (let number = 1; number <= 400; number += 1) crm.addDeal(String(number), {}, after);
    const { provider } = await run();
    const first = await provider.fetchChanges(since, undefined);
    expect(first.deals).toHaveLength(200);
    const later = new Date('2026-11-20T11:00:00Z');
    crm.addDeal('7', { dealname: 'Changed' }, later);
    const second = await provider.fetchChanges(since, first.nextCursor);
    expect(second.deals.map(({ id }) => id)).not.toContain('7');
    expect(second.deals).toHaveLength(200);
    const { deals } = await everythingSince((await run()).provider, later);
    expect(deals.get('7')?.title).toBe('Changed');
  });

  it('report archived deals as deleted, if they were archived since', async () => {
    const { crm, found } = await aHubSpot();
    for (let number = 1; number <= 120; number += 1) crm.addDeal(String(number), {}, before).archivedAt = before;
    crm.addDeal('200', {}, before).archivedAt = since;
    crm.addDeal('201', {}, before).archivedAt = after;
    const { deals, deleted } = await found({ since });
    expect(deals.size).toBe(0);
    expect([...deleted]).toEqual(['200', '201']);
  });

  it('report an archived deal without a time as deleted', async () => {
    const { crm, found } = await aHubSpot();
    crm.instead = ({ path }) =>
      path.includes('archived=true') && path.includes('/deals?')
        ? { status: 200, body: JSON.stringify({ results: [{ id: '7' }, { id: '8', archivedAt: null }] }) }
        : undefined;
    expect([...(await found({ since })).deleted]).toEqual(['7', '8']);
  });

  it('can continue at any page in a new process', async () => {
    const { crm, foundByProcesses } = await aHubSpot();
    for (let number = 1; number <= 500; number += 1) crm.addDeal(String(number), {}, after);
    crm.addDeal('600', {}, before).archivedAt = after;
    const { times } = await foundByProcesses(since);
    const ids = [...Array.from({ length: 500 }, (_, index) => String(index + 1)), '600'];
    expect([...times]).toEqual(ids.map((id) => [id, 1]));
  });

  it('fail with a reason if a search ignores the requested order', async () => {
    const { crm, run } = await aHubSpot();
    const rows = ['2', '1'].map((id) => ({ id, properties: {} }));
    crm.instead = ({ path }) =>
      path.endsWith('/deals/search') ? { status: 200, body: JSON.stringify({ total: 2, results: rows }) } : undefined;
    const { provider } = await run();
    await expect(everythingSince(provider, since)).rejects.toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining('results[1].id'),
    });
  });
});

describe('objections from HubSpot', () => {
  it('are the lost reason, in the category and language of the settings', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', {
      dealstage: 'closedlost',
      closedate: '2026-11-19T14:00:00.000Z',
      closed_lost_reason: 'Zu teuer.',
    });
    const { deals, objections } = await found({ objectionCategory: 'price', objectionLang: 'de' });
    expect(deals.get('1')?.lostReason).toBe('Zu teuer.');
    expect(objections).toEqual([
      {
        id: 'lost_reason',
        dealId: '1',
        category: 'price',
        text: 'Zu teuer.',
        lang: 'de',
        createdAt: new Date('2026-11-19T14:00:00.000Z'),
      },
    ]);
  });

  it('have no time where the deal is not lost, and are none where the lost reason is blank', async () => {
    const { crm, found } = await aHubSpot();
    const closedate = '2026-11-19T14:00:00.000Z';
    crm.addDeal('1', { dealstage: 'contractsent', closedate, closed_lost_reason: 'Preis' });
    crm.addDeal('2', { dealstage: 'closedwon', closedate, closed_lost_reason: 'Zeit' });
    crm.addDeal('3', { dealstage: 'closedlost', closedate, closed_lost_reason: ' \n' });
    const { objections } = await found();
    expect(objections.map(({ text, createdAt }) => [text, createdAt])).toEqual([
      ['Preis', null],
      ['Zeit', null],
    ]);
  });

  it('are the lost reasons as they are, where HubSpot does not describe that property', async () => {
    const { crm, found } = await aHubSpot();
    crm.propertyDefinitions.delete('closed_lost_reason');
    crm.addDeal('1', { dealstage: 'closedlost', closed_lost_reason: 'too_expensive' });
    expect((await found()).objections.map(({ text }) => text)).toEqual(['too_expensive']);
  });

  it('have the label of the lost reason’s option', async () => {
    const { crm, found } = await aHubSpot();
    const options = [{ value: 'too_expensive', label: 'Zu teuer', hidden: false }];
    crm.propertyDefinitions.set('closed_lost_reason', {
      name: 'closed_lost_reason',
      type: 'enumeration',
      fieldType: 'select',
      options,
    });
    crm.addDeal('1', { dealstage: 'closedlost', closed_lost_reason: 'too_expensive' });
    const { deals, objections } = await found();
    expect(deals.get('1')?.lostReason).toBe('Zu teuer');
    expect(objections.map(({ text }) => text)).toEqual(['Zu teuer']);
  });

  it('are the text of the configured property', async () => {
    const { crm, found } = await aHubSpot();
    crm.propertyDefinitions.set('einwand', { name: 'einwand', type: 'string', fieldType: 'textarea', options: [] });
    crm.addDeal('1', { einwand: 'Kein Budget; vielleicht 2027' });
    crm.addDeal('2', { einwand: null });
    const { objections } = await found({ objectionProperty: 'einwand' });
    expect(objections).toMatchObject([{ id: 'property:text', dealId: '1', text: 'Kein Budget; vielleicht 2027' }]);
  });

  it('are one for each option that is chosen in the configured property', async () => {
    const { crm, found } = await aHubSpot();
    const options = [
      { value: 'price', label: 'Zu teuer' },
      { value: 'time', label: 'Keine Zeit' },
    ];
    crm.propertyDefinitions.set('einwand', { name: 'einwand', type: 'enumeration', fieldType: 'checkbox', options });
    crm.addDeal('1', { einwand: 'price;time' });
    const { objections } = await found({ objectionProperty: 'einwand' });
    expect(objections).toMatchObject([
      { id: 'property:price', text: 'Zu teuer' },
      { id: 'property:time', text: 'Keine Zeit' },
    ]);
  });

  it('are the notes with the prefix, as plain text', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1');
    crm.addDeal('2');
    crm.addNote('11', '<div><p>EINWAND: Zu teuer&nbsp;&amp; zu&#32;sp&auml;t</p><p>laut Chef</p></div>', ['1']);
    crm.addNote('12', '<p>Rückruf morgen</p>', ['1', '2']);
    crm.addNote('13', 'Einwand:', ['2']);
    const { objections } = await found({ notePrefix: 'Einwand:' });
    expect(objections).toMatchObject([{ id: 'note:11', dealId: '1', createdAt: new Date('2026-11-20T09:00:00Z') }]);
    expect(objections[0]?.text).toBe('Zu teuer & zu sp&auml;t\nlaut Chef');
  });

  it('are all notes with an empty prefix, however many a deal has', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1');
    for (let number = 1; number <= 1_100; number += 1) crm.addNote(String(number), `Einwand: Nummer ${number}`, ['1']);
    const { objections } = await found({ notePrefix: 'Einwand:' });
    expect(objections).toHaveLength(1_100);
  });

  it('change with their note, even if the deal did not change', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', { dealstage: 'closedlost', closed_lost_reason: 'Preis' }, before);
    crm.addDeal('2', {}, before);
    crm.addNote('11', 'Einwand: alt', ['1'], before);
    crm.addNote('12', 'Einwand: neu', ['1', '404'], after);
    const { deals, objections } = await found({ since, notePrefix: 'Einwand:' });
    expect([...deals.keys()]).toEqual(['1']);
    expect(objections.map(({ text }) => text)).toEqual(['Preis', 'alt', 'neu']);
  });

  it('keep their ids from one sync to the next', async () => {
    const { crm, found } = await aHubSpot();
    crm.addDeal('1', { closed_lost_reason: 'Preis' });
    crm.addNote('11', 'Einwand: alt', ['1']);
    const ids = async () => {
      return (await found({ notePrefix: 'Einwand:' })).objections.map(({ id }) => id);
    };
    const first = await ids();
    crm.addDeal('1', { closed_lost_reason: 'Preis und Zeit' });
    crm.addNote('11', 'Einwand: neu gefasst', ['1']);
    expect(await ids()).toEqual(first);
    expect(first).toEqual(['lost_reason', 'note:11']);
  });

  it('fail with a reason if HubSpot has no such property', async () => {
    const { crm, run } = await aHubSpot();
    crm.addDeal('1');
    const { provider } = await run({ objectionProperty: 'einwnad' });
    for (const tried of [() => provider.tryCredentials(), () => everythingSince(provider, undefined)]) {
      await expect(tried()).rejects.toMatchObject({ kind: 'malformed', message: expect.stringContaining('einwnad') });
    }
  });
});

describe('failures of HubSpot', () => {
  it('names the scope that the token lacks', async () => {
    const { crm, run } = await aHubSpot();
    crm.propertyDefinitions.set('einwand', { name: 'einwand', type: 'string', fieldType: 'textarea', options: [] });
    for (const [start, scope] of [
      ['/crm/owners/', 'crm.objects.owners.read'],
      ['/crm/objects/2026-03/deals', 'crm.objects.deals.read'],
      ['/crm/objects/2026-03/notes', 'crm.objects.contacts.read'],
      ['/crm/properties/2026-03/deals/einwand', 'crm.objects.deals.read'],
    ] as const) {
      crm.instead = ({ path }) => (path.startsWith(start) ? hubSpotErrors.missingScope(scope) : undefined);
      const { provider } = await run({ notePrefix: 'Einwand:', objectionProperty: 'einwand' });
      await expect(provider.tryCredentials()).rejects.toMatchObject({
        kind: 'credentials_refused',
        status: 403,
        message: expect.stringContaining(scope),
      });
    }
  });

  it('name the invalid place of an answer', async () => {
    const { crm, run } = await aHubSpot();
    crm.addDeal('1', { amount: '12.50' });
    crm.addDeal('2', { amount: 'twelve' });
    const { provider } = await run();
    await expect(provider.fetchChanges(undefined, undefined)).rejects.toMatchObject({
      kind: 'malformed',
      message:
        'HubSpot, /crm/objects/2026-03/deals: results[1].properties.amount: It must be a decimal number or the text of one, like "18400.50".',
    });
  });
});
