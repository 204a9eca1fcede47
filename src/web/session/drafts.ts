import { draftKey, draftKeys, draftNames, parseDraft, type DraftPlace, type StoredDraft } from './draft-keys.ts';

// Unsent input of forms. It survives a reload of the document, a change to another page, and the end of the session. It
// is stored only in this tab, for one person in one team, and never contains a password or another secret: each form
// lists the fields that may be stored.

/** The member who is signed in, in the team that this tab shows. */
let owner: string | undefined;

export const setDraftOwner = (memberId: string): void => {
  owner = memberId;
};

const here = (): DraftPlace => ({ owner, path: location.pathname });

/** The draft of the form with this name on the open page. */
export const draftNamed = (name: string) => {
  const key = draftKey(here(), name);
  const drop = (): void => sessionStorage.removeItem(key);
  return {
    read: (): StoredDraft | undefined => parseDraft(sessionStorage.getItem(key)),
    keep: (values: StoredDraft['values']): void => {
      try {
        sessionStorage.setItem(key, JSON.stringify({ savedAt: Date.now(), values } satisfies StoredDraft));
      } catch {
        // The browser's storage is full. The form works without a draft.
        drop();
      }
    },
    drop,
  };
};

/** The names of the drafts of the open page. */
export const draftsHere = (): string[] => draftNames(Object.keys(sessionStorage), here());

/** Called at sign-out, so that no drafts of the person stay in this tab. */
export const dropAllDrafts = (): void => {
  for (const key of draftKeys(Object.keys(sessionStorage))) sessionStorage.removeItem(key);
};
