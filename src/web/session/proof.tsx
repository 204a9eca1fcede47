import { useEffect, useState } from 'react';
import { lazy } from '../loading/lazy.tsx';
import { OnDemand } from '../loading/on-demand.tsx';
import { setProofDialog } from './fresh-proof.ts';

/** A call that waits for a fresh proof. */
export interface Waiting {
  end: (proved: boolean) => void;
}

export const ProofDialog = lazy<{ waiting: Waiting | undefined }>(() => import('./proof-dialog.tsx'));

/** Asks for a fresh proof when the server requires one. */
export const Proof = () => {
  const [waiting, setWaiting] = useState<Waiting>();
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
      <OnDemand>
        <ProofDialog waiting={waiting} />
      </OnDemand>
    )
  );
};
