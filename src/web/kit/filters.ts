import { useSearchParams } from 'react-router';

/** Filters that stand in the address, so that they can be bookmarked, sent and gone back to. Empty means not set. */
export const useFilters = <Name extends string>(...names: Name[]) => {
  const [params, setParams] = useSearchParams();
  const valueOf = (name: Name): string => params.get(name) ?? '';
  const set = (name: Name, value: string | null): void => {
    setParams(
      (former) => {
        const next = new URLSearchParams(former);
        if (value === null || value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  };
  const clear = (): void => {
    setParams((former) => {
      const next = new URLSearchParams(former);
      for (const name of names) next.delete(name);
      return next;
    });
  };
  return { valueOf, set, clear, isSet: names.some((name) => params.has(name)) };
};
