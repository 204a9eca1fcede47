import { describe, expect, it } from 'vitest';
import { readInvitations, reviewInvitations } from '../../src/web/pages/members/invitation-list.ts';
import { lastLink } from '../members/links.ts';
import { inTheApp } from '../support/app-caller.ts';
import { makeBrowser, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

// One rule for addresses in all places that read one. The rule itself is tested in test/core/email-address.test.ts, and
// the command line in test/cli/team.slow.test.ts.
const service = await useTestService();
const team = await aTeam(service, { seats: 500 });

const refused = ['a@example', '"quoted"@x.example', 'a@x.example\r\nBcc: b@x.example'];

const accepted: readonly (readonly [given: string, kept: string])[] = [
  ['a&b@x.example', 'a&b@x.example'],
  ['Info@MÜNCHEN.example', 'info@xn--mnchen-3ya.example'],
];

describe('an address to which no mail can be sent', () => {
  it.each(refused)('is refused by the API, the app and its list: %j', async (email) => {
    expect(await team.client.post('/users', { email })).toBeProblem('validation_error');
    const { members } = await inTheApp(team);
    const { results } = await members.invite({ people: [{ email }] });
    expect(results).toMatchObject([{ outcome: 'invalid', member_id: null }]);
    const reviewed = reviewInvitations([{ place: 1, email, role: '', lang: '' }], 60);
    expect(reviewed).toMatchObject([{ error: expect.stringMatching(/^(no at|blank|local part|domain|length)$/) }]);
  });
});

describe('an address', () => {
  it.each(accepted)('%s is accepted and stored as %s', async (given, kept) => {
    const own = await aTeam(service);
    const { status, body } = await own.client.post('/users', { email: given });
    expect(status).toBe(201);
    expect(body['email']).toBe(kept);
    expect(reviewInvitations(readInvitations(given).lines, 60)).toMatchObject([{ invitee: { email: given } }]);
  });

  it('with an international domain is the same in either form', async () => {
    const own = await aTeam(service);
    expect((await own.client.post('/users', { email: 'info@köln.example' })).status).toBe(201);
    expect(await own.client.post('/users', { email: 'info@xn--kln-sna.example' })).toBeProblem('conflict');
    const { results } = await (await inTheApp(own)).members.invite({ people: [{ email: ' INFO@KÖLN.example ' }] });
    expect(results).toMatchObject([{ outcome: 'conflict' }]);
    const { lines } = readInvitations('info@köln.example\ninfo@xn--kln-sna.example');
    expect(reviewInvitations(lines, 60).map(({ error }) => error)).toEqual([undefined, 'twice']);
  });

  it.each([
    ['a&b@sign-in.example', 'A&B@sign-in.example'],
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['info@xn--mbel-5qa.example', 'info@möbel.example'],
  ])('%s signs in, also written as %s, and can ask for a new password', async (invited, shown) => {
    const own = await aTeam(service);
    const { body } = await own.client.post('/users', { email: invited });
    const token = await lastLink(service, String(body['email']));
    const browser = makeBrowser(service);
    const acceptance = { token, name: 'Mia Berg', password: testPassword };
    const answer = await browser.mutate('entrance/entrance.acceptInvitation', acceptance);
    expect(answer.status, answer.text).toBe(200);
    expect(await browser.isSignedIn()).toBe(true);
    for (const email of [invited, shown]) {
      const again = makeBrowser(service);
      expect((await again.signIn(email, testPassword)).status).toBe(200);
      expect((await makeBrowser(service).signIn(email, 'a wrong password')).status).toBe(422);
    }
    expect((await makeBrowser(service).mutate('entrance/entrance.requestReset', { email: shown })).status).toBe(200);
    const mails = await service.mailsTo(String(body['email']));
    expect(mails.map(({ kind }) => kind)).toEqual(['password_reset', 'invitation']);
  });

  it('that was stored before this rule still signs in and gets a new password', async () => {
    const email = 'old.hand@trailing-.example';
    const own = await aTeam(service);
    const { id } = await own.anActiveMember({ email });
    expect(id).toBeDefined();
    const browser = makeBrowser(service);
    expect((await browser.mutate('entrance/entrance.requestReset', { email })).status).toBe(200);
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1];
    const reset = await browser.mutate('entrance/entrance.resetPassword', { token, password: testPassword });
    expect(reset.status).toBe(200);
    expect((await browser.signIn(email.toUpperCase(), testPassword)).status).toBe(200);
  });

  it('can not be entered in the form that the sign-in library gets', async () => {
    const own = await aTeam(service);
    const email = anEmail();
    await own.anInvitedMember({ email });
    const token = await lastLink(service, email);
    const browser = makeBrowser(service);
    await browser.mutate('entrance/entrance.acceptInvitation', { token, name: 'Mia Berg', password: testPassword });
    const encoded = `${Buffer.from(email).toString('hex')}@address.invalid`;
    expect((await makeBrowser(service).signIn(encoded, testPassword)).status).toBe(422);
  });
});
