// Some changes need a fresh proof that the person at the screen is the one who signed in. The server refuses them with
// `proof_required`. Then one dialog asks for the password or a passkey, and the call is repeated. People with a company
// account prove who they are at their provider; after that they have to repeat the action themselves.

type AskForProof = () => Promise<boolean>;

let ask: AskForProof | undefined;

/** Sets the dialog that asks; undefined while there is none. */
export const setProofDialog = (dialog: AskForProof | undefined): void => {
  ask = dialog;
};

/** Asks the person for a fresh proof. Returns whether they gave it. */
export const askForProof: AskForProof = async () => (await ask?.()) ?? false;
