import { expect, it } from 'vitest';
import { aSigned, refusalOf, webhookCases } from './cases/webhooks.ts';
import { typescript } from './scripted.ts';

webhookCases(typescript);

it('refuses a clock or a secret that is no value', async () => {
  const refusal = refusalOf(typescript, aSigned());
  expect(await refusal({ now: new Date(Number.NaN) })).toMatch(/^timestamp_too_old/);
  expect(await refusal({ secret: undefined })).toMatch(/is missing/);
});
