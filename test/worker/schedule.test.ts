import { expect, it } from 'vitest';
import { recurringTasks, tasks } from '../../src/worker/tasks.ts';
import { useTestService } from '../support/service.ts';
import { silentLog } from '../support/worker.ts';

const service = await useTestService();

/** Tasks whose jobs are added where something has to be done. */
const onDemand = [
  'check_receiver',
  'delete_crm',
  'delete_endpoint',
  'delete_team',
  'erase_person',
  'mail_unready_members',
  'notify_of_retirement',
  'send_mail',
  'send_waiting_invitations',
];

it('every task of the worker is in the schedule, or one whose jobs something else adds', () => {
  const limits = { hold: () => () => undefined };
  const sendMail = () => Promise.resolve();
  const all = tasks({ platform: service.platform, log: silentLog, sendMail, retentionDays: 30, limits });
  expect(Object.keys(all).toSorted()).toEqual([...recurringTasks, ...onDemand].toSorted());
});
