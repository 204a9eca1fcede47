import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { entrance } from '../../server/server.ts';
import { CardLoading } from './card.tsx';
import { PasswordStep } from './password-step.tsx';
import { pathWithin } from './path-within.ts';
import { SecondStep } from './second-step.tsx';

/** Signing in: password, then the second factor where there is one. Whoever is signed in goes on to where they wanted to go. */
export default function SignInPage() {
  const [params] = useSearchParams();
  const queries = useQueryClient();
  const [step, setStep] = useState<'password' | 'second' | 'over'>('password');
  const { data, error, isFetchedAfterMount } = entrance.useAnswer('entrance.who', {});
  useEffect(() => {
    // What was shown to whoever was signed in before is nobody else's.
    queries.removeQueries({ type: 'inactive' });
    void queries.invalidateQueries({ queryKey: ['entrance', 'entrance.who'] });
  }, [queries]);

  if (!isFetchedAfterMount && !error) return <CardLoading />;
  if (isFetchedAfterMount && data?.me) return <Navigate to={pathWithin(params.get('next'))} replace />;
  return step === 'second' ? (
    <SecondStep onBack={() => setStep('password')} onOver={() => setStep('over')} />
  ) : (
    <PasswordStep again={step === 'over'} onNext={() => setStep('second')} />
  );
}
