import { useSearchParams } from 'react-router';

/** What the address says, which is ahead of what is on show: a filter that was set a moment ago is in it already. */
const addressed = () => new URLSearchParams(window.location.search);

/** Filters that stand in the address, so that they can be bookmarked, sent and gone back to. Empty means not set. */
export const useFilters = <Name extends string>(...names: Name[]) => {
  const [params, setParams] = useSearchParams();
  const valueOf = (name: Name): string => params.get(name) ?? '';
  const set = (name: Name, value: string | null): void => {
    const next = addressed();
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    setParams(next, { replace: true });
  };
  const clear = (): void => {
    const next = addressed();
    for (const name of names) next.delete(name);
    setParams(next);
  };
  return { valueOf, set, clear, isSet: names.some((name) => params.has(name)) };
};
