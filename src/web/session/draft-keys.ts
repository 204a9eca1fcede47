const prefix = 'draft:';

/** A draft belongs to a member and to the page of its form. */
export interface DraftPlace {
  /** The member: one person in one team. */
  owner: string | undefined;
  path: string;
}

export interface StoredDraft {
  readonly savedAt: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export const draftKey = ({ owner, path }: DraftPlace, name: string): string => `${prefix}${owner}:${path}:${name}`;

/** The name of the draft of one object, on a page on which others of its kind can be opened, too. */
export const draftOfOne = (kind: string, id: string): string => `${kind} ${id}`;

/** Finds the keys of drafts among all keys of the browser's storage. */
export const draftKeys = (keys: readonly string[]): string[] => keys.filter((key) => key.startsWith(prefix));

export const draftNames = (keys: readonly string[], place: DraftPlace): string[] => {
  const start = draftKey(place, '');
  return keys.filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A stored draft; undefined if it can't be read. */
export const parseDraft = (text: string | null): StoredDraft | undefined => {
  if (text === null) return undefined;
  try {
    const draft: unknown = JSON.parse(text);
    if (!isRecord(draft) || typeof draft['savedAt'] !== 'number' || !isRecord(draft['values'])) return undefined;
    return { savedAt: draft['savedAt'], values: draft['values'] };
  } catch {
    return undefined;
  }
};
