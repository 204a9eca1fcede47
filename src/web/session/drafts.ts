// Unsent input of forms. It survives a reload of the document, a change to another page, and the end of the session. It is stored only in
// this tab, for one person in one team, and never contains a password or another secret: each form lists the fields that may be stored.

const prefix = 'draft:';

/** The member who is signed in, in the team that this tab shows. */
let owner: string | undefined;

export const setDraftOwner = (memberId: string): void => {
  owner = memberId;
};

interface Stored {
  readonly savedAt: number;
  readonly values: Readonly<Record<string, unknown>>;
}

const keyOf = (name: string): string => `${prefix}${owner}:${location.pathname}:${name}`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string | null): Stored | undefined => {
  if (text === null) return undefined;
  try {
    const draft: unknown = JSON.parse(text);
    if (!isRecord(draft) || typeof draft['savedAt'] !== 'number' || !isRecord(draft['values'])) return undefined;
    return { savedAt: draft['savedAt'], values: draft['values'] };
  } catch {
    return undefined;
  }
};

/** The draft of the form with this name on the open page. */
export const draftNamed = (name: string) => {
  const key = keyOf(name);
  const drop = (): void => sessionStorage.removeItem(key);
  return {
    read: (): Stored | undefined => parse(sessionStorage.getItem(key)),
    keep: (values: Stored['values']): void => {
      try {
        sessionStorage.setItem(key, JSON.stringify({ savedAt: Date.now(), values } satisfies Stored));
      } catch {
        // The browser's storage is full. The form works without a draft.
        drop();
      }
    },
    drop,
  };
};

/** Called at sign-out, so that the next person in this browser finds no drafts. */
export const dropAllDrafts = (): void => {
  for (const key of stored()) sessionStorage.removeItem(key);
};

const stored = (): Set<string> => new Set(Object.keys(sessionStorage).filter((key) => key.startsWith(prefix)));

/** The drafts whose dialogs open with their page: those that a reload of the document or the end of the session closed. */
let interrupted = stored();

/** Records that the app itself, not the person, is about to close the open forms. */
export const noteInterruption = (): void => {
  interrupted = stored();
};

/** Whether the person was interrupted while filling in this form. */
export const wasInterrupted = (name: string): boolean => interrupted.has(keyOf(name));
export const forgetInterruption = (name: string): void => void interrupted.delete(keyOf(name));
