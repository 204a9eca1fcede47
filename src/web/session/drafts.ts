// Unsent input of forms. It survives a reload of the document, a change to another page, and the end of the session. It
// is stored only in this tab, for one person in one team, and never contains a password or another secret: each form
// lists the fields that may be stored.

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

const stored = (start: string): string[] => Object.keys(sessionStorage).filter((key) => key.startsWith(start));

/** The names of the drafts of the open page. */
export const draftsHere = (): string[] => stored(keyOf('')).map((key) => key.slice(keyOf('').length));

/** Called at sign-out, so that the next person in this browser finds no drafts. */
export const dropAllDrafts = (): void => {
  for (const key of stored(prefix)) sessionStorage.removeItem(key);
};
