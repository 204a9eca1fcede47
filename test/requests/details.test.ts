import { describe, expect, it } from 'vitest';
import { requestLogLimits, requestDetails } from '../../src/modules/requests/writer.ts';

const of = (given: Partial<Parameters<typeof requestDetails>[0]>) =>
  requestDetails({
    target: '/api/public/v1/users',
    address: '203.0.113.7',
    userAgent: undefined,
    problem: undefined,
    ...given,
  });

const queryOf = (query: string) => of({ target: `/api/public/v1/users?${query}` }).query;

describe('the logged details of a request', () => {
  it('are the path and query as called, the caller, and the problem', () => {
    const problem = {
      errors: [{ in: 'query' as const, path: ['limit'], code: 'invalid_type', message: 'Expected int' }],
    };
    const target = '/api/public/v1/users?limit=x&cursor=bGFzdF9yb3dfb2ZfdGhlX3BhZ2U0Mg';
    const kept = of({ target, userAgent: 'python-requests/2.32', problem });
    expect({ ...kept, problem: JSON.parse(kept.problem ?? '') }).toEqual({
      path: '/api/public/v1/users',
      query: 'limit=x&cursor=bGFzdF9yb3dfb2ZfdGhlX3BhZ2U0Mg',
      address: '203.0.113.7',
      userAgent: 'python-requests/2.32',
      problem,
    });
    expect(of({ target: '/api/public/v1/me?' }).query).toBeUndefined();
    expect(of({ problem: {} }).problem).toBeUndefined();
  });

  it.each([
    ['api_key=abc&limit=5', 'api_key=[redacted]&limit=5'],
    ['Access%54oken=abc', 'Access%54oken=[redacted]'],
    ['q=svck_live_abcdef123456_secret', 'q=[redacted]'],
    ['q=svck%5Flive%5Fabcdef', 'q=[redacted]'],
    ['svck_live_abcdef123456_secret', '[redacted]'],
    ['q=Bearer+abcdefgh12345678', 'q=[redacted]'],
    ['q=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'q=[redacted]'],
    ['q=AbCdEf0123456789AbCdEf0123', 'q=[redacted]'],
    ['user_id=0198c2d4-0000-7000-8000-000000000000', 'user_id=0198c2d4-0000-7000-8000-000000000000'],
    ['from=2026-05-01T10%3A00%3A00.000Z&to=', 'from=2026-05-01T10%3A00%3A00.000Z&to='],
    ['q=%E0%A4%A', 'q=%E0%A4%A'],
  ])('have no secret in the query: %s', (query, kept) => {
    expect(queryOf(query)).toBe(kept);
  });

  it('have no secret in the path, the agent or the problem', () => {
    const secret = 'svck_live_abcdef123456_s3cr3ts3cr3t';
    const detail = `The key does not exist.`;
    const errors = [{ in: 'body' as const, path: [secret], code: 'custom', message: secret }];
    const kept = of({
      target: `/api/public/v1/${secret}`,
      userAgent: `curl ${secret}`,
      problem: { detail, errors, id: secret },
    });
    expect(JSON.stringify(kept)).not.toContain('s3cr3t');
    expect(kept.path).toBe('/api/public/v1/[redacted]');
  });

  it('are short, whatever the caller sends, and can be stored', () => {
    const long = 'x'.repeat(20_000);
    const errors = Array.from({ length: 100 }, () => ({
      in: 'body' as const,
      path: [long, 3],
      code: 'custom',
      message: long,
    }));
    const kept = of({
      target: `/api/public/v1/${long}?q=${long}&${'a=1&'.repeat(3_000)}`,
      userAgent: `\u0001"\\${'é'.repeat(500)}\ud83d`,
      problem: { detail: `\u0000${long}\ud800`, errors },
    });
    expect(kept.path).toHaveLength(requestLogLimits.pathCharacters);
    expect(kept.query).toHaveLength(requestLogLimits.queryCharacters);
    expect(kept.userAgent?.length).toBeLessThanOrEqual(requestLogLimits.agentCharacters);
    expect(kept.problem?.length).toBeLessThan(6_000);
    expect(JSON.parse(kept.problem ?? '')).toMatchObject({ errors_total: 100 });
    // PostgreSQL's text has no NUL, and its jsonb no lone surrogate.
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(JSON.stringify(kept)).not.toMatch(/\\\\?u(0000|d8)|[\u0000-\u001f]/);
  });
});
