/** Kinds of things that schema.prisma can't express at all, so they are only in the migrations. */
export const kindsBeyondPrisma = ['check', 'exclusion', 'function', 'trigger'];

/** Single things that differ from what schema.prisma can express. Each must exist: an outdated line fails the test. */
export const thingsBeyondPrisma = [
  // unlogged
  'table rate_window',
  'table request_budget',

  // lists, which are never null
  'column api_key.allowed_ips',
  'column api_key.scopes',
  'column erasure.emails',
  'column erasure.member_ids',
  'column erasure.names',
  'column erasure.position',
  'column member.rights',
  'column passkey.transports',
  'column webhook_endpoint.events',
  'column webhook_endpoint.header_names',

  // partial, by expression, or with nulls that are equal
  'index api_key_expiring_idx',
  'index assignment_done_idx',
  'index assignment_in_progress_idx',
  'index assignment_open_idx',
  'index assignment_revoked_idx',
  'index catalog_item_key_key',
  'index catalog_rule_pair_key',
  'index crm_connection_disconnected_idx',
  'index crm_connection_due_idx',
  'index crm_deal_amount_idx',
  'index crm_deal_close_date_idx',
  'index crm_run_claimed_idx',
  'index crm_run_running_key',
  'index mail_waiting_idx',
  'index member_active_admin_idx',
  'index member_list_idx',
  'index member_present_email_key',
  'index member_present_external_id_key',
  'index member_present_owner_key',
  'index member_present_user_key',
  'index member_role_admin_idx',
  'index member_role_member_idx',
  'index member_status_active_idx',
  'index member_status_invited_idx',
  'index member_updated_idx',
  'index team_ended_idx',
  'index training_aborted_idx',
  'index training_ended_idx',
  'index training_evaluated_of_assignment_idx',
  'index training_evaluated_of_user_idx',
  'index training_running_idx',
  'index training_scored_idx',
  'index webhook_endpoint_alarmed_idx',
  'index webhook_waiting_claimed_idx',
];
