import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

// After each change the app loads all that is shown again (`defaultOptions` in src/web/server/server.ts). These are the
// only places that do something else, each with its reason.

const without: Readonly<Record<string, string>> = {
  'kit/dialog/confirm-dialog.tsx: onSuccess: () => undefined': 'the session has ended, so everything would be refused',
  'kit/form/form.tsx: onSuccess: () => undefined': 'forms with `keepsPage`, which are listed below',
  'kit/form/form.tsx: onSuccess: (answer)': 'in addition',
  'kit/list/list-tools.tsx: onSuccess: () => undefined': 'a download changes nothing',
  'pages/assignments/recipients-field.tsx: onSuccess: (found)': 'the members are only read',
  'pages/assignments/team-assignments.tsx: onSuccess: () => notify': 'in addition',
  'pages/assistants/connect.tsx: onSuccess: ({ redirect_to })': 'the person leaves for the assistant',
  'pages/entrance/company-sign-in.tsx: keepsPage: true': 'the person leaves for the provider',
  'pages/entrance/company-sign-in.tsx: onSuccess: async ({ next, tenant_id, test })': 'all answers are dropped',
  'pages/entrance/invitation.tsx: keepsPage: true': 'the invitation is used, and would be shown as no longer valid',
  'pages/entrance/invitation.tsx: onSuccess: ({ tenant_id })': 'the same',
  'pages/entrance/reset-password.tsx: keepsPage: true': 'the link is used, and would be shown as expired',
  'pages/members/invite-many.tsx: onSuccess: () => undefined': 'the list is only read',
  'pages/members/invite-many.tsx: onSuccess: ({ results, error })': 'in addition',
  'pages/members/member-selection.tsx: onSuccess: (all)': 'the members are only read',
  'pages/members/waiting-invitations.tsx: onSuccess: async ({ canceled })': 'it loads all again, then says how many',
  'session/proof-dialog.tsx: keepsPage: true': 'the call that waits for the proof follows',
  'session/proof-dialog.tsx: onSuccess: onProved': 'the same',
};

const use = /\bkeepsPage: true|\bonSuccess: (?:async )?(?:\(\) => \w+|\([^()]*\)|\w+)/g;

it('every change loads again what is shown, but for those that are listed', async () => {
  const found: string[] = [];
  for await (const path of filesMatching('src/web/**/*.tsx')) {
    const source = await readFile(path, 'utf8');
    for (const [text] of source.matchAll(use))
      found.push(`${path.replace(/^.*src\/web\//, '')}: ${text.replaceAll(/: \w+(?=,| })/g, '')}`);
  }
  expect(found.toSorted()).toEqual(Object.keys(without).toSorted());
});
