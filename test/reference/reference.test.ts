import { deletionResources } from '../../src/modules/deletions/schema.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allEventTypes } from '../../src/core/events.ts';
import { allScopes, keyTemplates } from '../../src/core/scopes.ts';
import { directoryRoutes } from '../../src/modules/provisioning/procedures.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { aColleague, inTheApp } from '../support/app-caller.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const referenceIn = async (language: 'de' | 'en') => {
  const team = await aTeam(service, { rateLimit: 750 });
  return (await inTheApp(team, await aColleague(team), language)).reference;
};

describe('reference.scopes', () => {
  it('has every scope with texts in both languages, and its routes', async () => {
    const [de, en] = [await (await referenceIn('de')).scopes({}), await (await referenceIn('en')).scopes({})];
    expect(de.scopes.map(({ scope }) => scope)).toEqual([...allScopes]);
    for (const [at, { about, routes }] of de.scopes.entries()) {
      expect(about).not.toBe(en.scopes[at]?.about);
      expect(routes.length).toBeGreaterThan(0);
    }
    const scoped = operationsOf(publicRouter).filter(({ operation }) => operation.scope !== null);
    const byValue = deletionResources.map((name) => `GET /deletions?resource=${name}`);
    expect(de.scopes.flatMap(({ routes }) => routes).toSorted()).toEqual(
      [
        ...scoped.map(({ operation }) => operation.route),
        ...byValue,
        'GET /trainings?include=evaluation',
        'GET /exports/trainings?include=evaluation',
        ...directoryRoutes.map(({ route }) => route),
      ].toSorted(),
    );
    expect(en.scopes[0]).toEqual({
      scope: 'users:read',
      about: 'View team members',
      routes: ['GET /users', 'GET /users/{member_id}', 'GET /exports/members', 'GET /deletions?resource=users'],
    });
    expect(en.templates.map(({ template, scopes }) => [template, scopes])).toEqual(
      Object.entries(keyTemplates).map(([template, scopes]) => [template, [...scopes]]),
    );
    expect(en.templates[0]?.name).toBe('Read only');
  });
});

describe('reference.events', () => {
  it('has every event and the ping, each with a genuine example', async () => {
    const [de, en] = [await (await referenceIn('de')).events({}), await (await referenceIn('en')).events({})];
    expect(en.events.map(({ type }) => type)).toEqual([...allEventTypes, 'ping']);
    for (const [at, { type, about, subscribable, example, fields }] of en.events.entries()) {
      expect(about).not.toBe(de.events[at]?.about);
      expect(subscribable).toBe(type !== 'ping');
      const body: unknown = JSON.parse(example.body);
      expect(body).toMatchObject({ type, id: example.headers['Svc-Event-Id'], data: { team_id: expect.any(String) } });
      const signature = example.headers['Svc-Signature'] ?? '';
      const now = new Date(Number(/t=(\d+)/.exec(signature)?.[1]) * 1000);
      expect(() => verifyWebhook({ body: example.body, signature, secrets: [example.secret], now })).not.toThrow();
      for (const { name } of fields) expect(body).toHaveProperty(name);
    }
  });

  it('describes each field', async () => {
    const { events } = await (await referenceIn('en')).events({});
    const evaluation = events.find(({ type }) => type === 'evaluation.completed');
    expect(evaluation?.fields.map(({ name, type, always, personal }) => [name, type, always, personal])).toEqual([
      ['id', 'string', true, false],
      ['type', 'string', true, false],
      ['created_at', 'string', true, false],
      ['api_version', 'string', true, false],
      ['tenant_id', 'string', true, false],
      ['data.team_id', 'string', true, false],
      ['data.training_id', 'string', true, false],
      ['data.user_id', 'string', false, true],
      ['data.score', 'integer', false, true],
    ]);
    const assignment = events.find(({ type }) => type === 'assignment.created');
    const field = (name: string) => assignment?.fields.find((field) => field.name === name);
    expect(field('data.due_date')).toMatchObject({
      format: 'date',
      nullable: true,
      about: expect.stringMatching(/day/),
    });
    expect(field('data.status')?.values).toContain('open');
    expect(field('type')?.values).toEqual(['assignment.created']);
  });
});

describe('reference.limits', () => {
  it('has the configured time after which endpoints are paused, not the default one', async () => {
    const own = await startTestService({ environment: { WEBHOOK_PAUSE_AFTER_SECONDS: '600' } });
    onTestFinished(() => own.close());
    const { webhooks } = await (await inTheApp(await aTeam(own))).reference.limits({});
    expect(webhooks).toMatchObject({ pause_after_seconds: 600 });
  });

  it('has the numbers of the contract', async () => {
    expect(await (await referenceIn('de')).limits({})).toMatchObject({
      invitations_per_hour: 60,
      key_grace_days: 30,
      compared_members: 5,
      assignment_recipients: 50,
      webhooks: { pause_after_seconds: 259_200 },
    });
  });
});
