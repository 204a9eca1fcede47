import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { aDispatcher } from '../support/worker.ts';
import { aReceiver } from '../support/receiver.ts';
import { hasBrowser, useApp } from './support/app.ts';
import { anEndpointTo, somebodyJoins } from './support/webhooks.ts';

const said = {
  retry: 'Jetzt erneut versuchen',
  delivered: 'Zugestellt',
  delivery: 'Zustellung',
} as const;

const hostile = '<script>document.title = "taken"</script><img src=x onerror="document.title = \'taken\'"><h1>Hi</h1>';

describe.skipIf(!hasBrowser)('a webhook delivery', () => {
  const app = useApp();

  it('that failed shows the reason, the next attempt and the response as text, succeeds when retried by hand, and is sent again as another one', async () => {
    const team = await app.team();
    const receiver = await aReceiver({
      answer: () => ({
        status: 500,
        headers: { 'Content-Type': 'text/html', 'X-Note': '<b>bold</b>' },
        body: hostile,
      }),
    });
    const { id, secret } = await anEndpointTo(team, receiver);
    await aDispatcher(app.service);
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    await somebodyJoins(team);
    await receiver.untilReceived(1);
    await page.reload();
    await page.getByRole('row').getByText('Fehlgeschlagen, wird wiederholt').waitFor();
    await page
      .getByText(/^Nächster Versuch /)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'member.joined' }).click();

    await page.getByRole('heading', { level: 1, name: 'member.joined' }).waitFor();
    expect(await page.getByRole('group', { name: 'Response-Body (Anfang)' }).innerText()).toBe(hostile);
    await page.getByText('x-note: <b>bold</b>').waitFor();
    expect(await page.locator('main h1').count()).toBe(1);
    expect(await page.title()).toContain('member.joined');
    const sent = await page.getByRole('group', { name: 'Request-Body' }).innerText();
    expect(JSON.parse(sent)).toEqual(JSON.parse(receiver.received[0]?.body ?? ''));
    expect(await page.getByRole('group', { name: 'Request-Header' }).innerText()).toContain(
      `Svc-Signature: ${String(receiver.received[0]?.headers['svc-signature'])}`,
    );

    // The attempt by hand is shown even if it ended before the page saw it begin: after the click, the page reads the
    // attempts while the new one is still running, and the delivery only afterwards.
    const deliveries = async () => (await team.client.get(`/webhook-endpoints/${id}/deliveries`)).data;
    const attemptsRead = page.waitForResponse((response) => response.url().includes('webhookHistory.attempts'));
    receiver.answerWith(async () => {
      await attemptsRead;
      return { status: 204 };
    });
    await page.route('**/webhookHistory.delivery?*', async (route) => {
      await expect.poll(() => deliveries()).toMatchObject([{ status: 'ok' }]);
      await route.continue();
    });
    await page.getByRole('button', { name: said.retry }).click();
    await page.getByRole('region', { name: said.delivery }).getByText(said.delivered).waitFor();
    await page.getByText('manuell').waitFor();
    expect(await page.getByRole('button', { name: said.retry }).count()).toBe(0);
    const [, second] = await receiver.untilReceived(2);
    const [body, signature] = [second?.body ?? '', second?.headers['svc-signature']];
    expect(verifyWebhook({ body, signature, secrets: secret }).type).toBe('member.joined');
    expect(await deliveries()).toMatchObject([{ status: 'ok', attempt: 2, response_code: 204 }]);

    await page.unroute('**/webhookHistory.delivery?*');
    const { pathname } = new URL(page.url());
    await page.getByRole('button', { name: 'Als neue Zustellung senden' }).click();
    await page.waitForURL((url) => url.pathname !== pathname);
    await page.getByRole('region', { name: said.delivery }).getByText(said.delivered).waitFor();
    const [first, , third] = await receiver.untilReceived(3);
    expect(third?.headers['svc-event-id']).toBe(first?.headers['svc-event-id']);
    expect(await deliveries()).toHaveLength(2);
    app.expectFailures(page, 404);
    await page.goto(`/webhooks/${id}/deliveries/${makeId()}`);
    await page.getByText('Zustellung nicht gefunden').waitFor();
  });
});
