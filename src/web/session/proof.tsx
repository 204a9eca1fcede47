import { lazy, useEffect, useState } from 'react';
import { setProofDialog } from './fresh-proof.ts';
import { Late } from '../kit/page/late.tsx';

/** A call that waits for a fresh proof. */
export interface WaitingCall {
  end: (proved: boolean) => void;
}

const ProofDialog = lazy(() => import('./proof-dialog.tsx'));

/** Asks for a fresh proof when the server requires one. */
export const Proof = () => {
  const [waiting, setWaiting] = useState<WaitingCall>();
  const [wasAsked, setAsked] = useState(false);
  useEffect(() => {
    setProofDialog(
      () =>
        new Promise((resolve) => {
          setAsked(true);
          setWaiting({
            end: (proved) => {
              setWaiting(undefined);
              resolve(proved);
            },
          });
        }),
    );
    return () => setProofDialog(undefined);
  }, []);
  return (
    wasAsked && (
      <Late>
        <ProofDialog waiting={waiting} />
      </Late>
    )
  );
};
