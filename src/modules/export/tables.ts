import type { TeamTable } from '../../platform/team-table.ts';
import { assignmentData } from '../assignments/store.ts';
import { connectionData as assistantData } from '../assistants/store.ts';
import { auditData } from '../audit/store.ts';
import { caseData } from '../cases/store.ts';
import { itemData, memberPolicyData, ruleData, teamPolicyData } from '../catalog/store.ts';
import { domainData, providerData } from '../company-sign-in/store.ts';
import { directoryData } from '../directory/store.ts';
import { dealData, objectionData } from '../crm/deal-store.ts';
import { runData } from '../crm/run-store.ts';
import { connectionData } from '../crm/store.ts';
import { keyData } from '../keys/store.ts';
import { mailData } from '../mail/store.ts';
import { invitationData, waitingData } from '../members/store.ts';
import { memberData } from '../membership/store.ts';
import { userData } from '../people/store.ts';
import { keyDayData, requestData } from '../requests/store.ts';
import { usageData } from '../storage/store.ts';
import { teamData } from '../teams/store.ts';
import { evaluationData, trainingData } from '../trainings/store.ts';
import { noticeData } from '../versions/store.ts';
import { attemptData, deliveryData, endpointDayData, eventData, teamDayData } from '../webhooks/history-store.ts';
import { checkData, endpointData } from '../webhooks/store.ts';

/** The tables of a team's data, in the order of the files in its export. A test compares them with the database. */
export const teamTables: readonly TeamTable[] = [
  teamData,
  usageData,
  userData,
  memberData,
  invitationData,
  waitingData,
  providerData,
  domainData,
  directoryData,
  memberPolicyData,
  teamPolicyData,
  itemData,
  ruleData,
  assignmentData,
  trainingData,
  evaluationData,
  caseData,
  connectionData,
  runData,
  dealData,
  objectionData,
  keyData,
  assistantData,
  keyDayData,
  requestData,
  noticeData,
  endpointData,
  endpointDayData,
  checkData,
  teamDayData,
  eventData,
  deliveryData,
  attemptData,
  mailData,
  auditData,
];

/** Tables with a team's id that the export of the team leaves out, with the reason. */
export const notExported: Readonly<Record<string, string>> = {
  api_key_prefix: 'The prefixes of api_keys.json.',
  deletion: 'The ids of rows that no longer exist.',
  event_feed: 'How far GET /events has numbered the events of webhook_events.json.',
  event_feed_entry: 'The numbers of the events of webhook_events.json.',
  erasure: 'The state of a job; the row goes with its last step.',
  idempotency_record: 'Encrypted copies of answers, deleted after 24 hours.',
  request_quarter_hour: 'Sums of request_log.json.',
  webhook_quarter_hour: 'Sums of webhook_attempts.json.',
  webhook_waiting: 'The queue of deliveries, which webhook_deliveries.json has with their state.',
};
