import { readSettings } from './credentials.ts';
import type { ProviderSettings } from './providers/provider.ts';
import type { Connection, Run, Settings } from './schema.ts';
import type { ConnectionOverview, HistoryRow } from './store.ts';

/** Settings as the app sends them. */
export const settingsFrom = (settings: Settings): ProviderSettings => ({
  objectionProperty: settings.objection_property,
  notePrefix: settings.note_prefix,
  objectionCategory: settings.objection_category,
  objectionLang: settings.objection_lang,
});

/** A connection as the app shows it: without its token. */
export const presentConnection = (row: ConnectionOverview): Connection => {
  const settings = readSettings(row.settings);
  return {
    connection_id: row.id,
    provider: row.provider,
    label: row.label,
    status: row.status,
    url: row.url,
    has_token: row.has_token,
    interval_seconds: row.interval_seconds,
    settings: {
      objection_property: settings.objectionProperty,
      note_prefix: settings.notePrefix,
      objection_category: settings.objectionCategory,
      objection_lang: settings.objectionLang,
    },
    created_at: row.created_at,
    next_sync_at: row.next_sync_at,
    running: row.running_since === null ? null : { since: row.running_since, deals: row.running_deals ?? 0 },
    requested: row.requested_at !== null,
    last_sync_at: row.last_sync_at,
    last_outcome: row.last_outcome,
    last_reason: row.last_reason,
    deals: row.deals,
    objections: row.objections,
  };
};

export const presentRun = ({ id, pages: _pages, ...run }: HistoryRow): Run => ({ run_id: id, ...run });
