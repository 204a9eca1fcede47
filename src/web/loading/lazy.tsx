import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { use, useEffect, useReducer } from 'react';
import type { ComponentType } from 'react';
import { Notice } from '../kit/messages.tsx';
import { useText } from '../language/language.tsx';
import { keepTrying } from './keep-trying.ts';
import { deployedVersion, loadNewVersion } from './version.ts';

// Code that is loaded when it is needed: pages, and large parts of pages. Loading may fail: the connection is lost, the server is
// restarting, or a new version has replaced the files of this one. Then the part of the page says so and the app retries by itself; the
// rest of the page stays.

interface Loaded<Props> {
  default: ComponentType<Props>;
}

export type LazyComponent<Props extends object = object> = ComponentType<Props> & {
  /** Starts to load the code. The promise resolves even if that fails. */
  preload: () => Promise<void>;
};

/** A component whose code is loaded when it is first shown, or by `preload`. Shown inside a `Suspense`. */
export const lazy = <Props extends object = object>(importCode: () => Promise<Loaded<Props>>): LazyComponent<Props> => {
  let loaded: Loaded<Props> | undefined;
  let loading: Promise<void> | undefined;
  let failure: unknown;

  const load = async (): Promise<void> => {
    try {
      loaded = await importCode();
    } catch (error) {
      failure = error;
    }
  };
  const preload = (): Promise<void> => {
    // A failed attempt from prefetching, such as for a link under the pointer, is repeated when the code is needed.
    if (failure !== undefined) loading = failure = undefined;
    return (loading ??= load());
  };
  /** Retries. Returns whether the code is loaded, or will be after a reload of the document. */
  const recover = async (): Promise<boolean> => {
    const version = await deployedVersion();
    if (version === 'unknown') return false;
    if (version === 'this') await preload();
    if (loaded) return true;
    // A new version has other files. Some browsers also cache the failure of a script until the document is reloaded.
    return loadNewVersion();
  };

  const Lazy = (props: Props) => {
    const [, showAgain] = useReducer((count: number) => count + 1, 0);
    if (loaded) {
      const { default: Component } = loaded;
      return <Component {...props} />;
    }
    if (failure === undefined) use((loading ??= load()));
    return <NotLoaded recover={recover} onLoaded={showAgain} />;
  };
  return Object.assign(Lazy, { preload });
};

interface NotLoadedProps {
  recover: () => Promise<boolean>;
  onLoaded: () => void;
}

/** Shown instead of code that could not be loaded, until it is. */
const NotLoaded = ({ recover, onLoaded }: NotLoadedProps) => {
  const t = useText();
  const [tries, countTry] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const attempt = async () => {
      const isThere = await recover();
      countTry();
      if (isThere) onLoaded();
      return isThere;
    };
    return keepTrying(attempt);
  }, [recover, onLoaded]);

  // The first retry follows at once and usually succeeds.
  if (tries === 0) return <Opening />;
  return (
    <Notice
      tone="warn"
      role="status"
      title={
        navigator.onLine
          ? t('Dieser Bereich konnte nicht geladen werden', 'This section could not be loaded')
          : t('Sie sind offline', 'You are offline')
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          {navigator.onLine
            ? t(
                'Der Server ist derzeit nicht erreichbar. Der Versuch wird automatisch wiederholt, Ihre Eingaben bleiben erhalten.',
                'The server can’t be reached at the moment. The app retries automatically, and your input is kept.',
              )
            : t(
                'Sobald Sie wieder verbunden sind, wird die Seite automatisch geladen. Ihre Eingaben bleiben erhalten.',
                'The page loads automatically as soon as you are connected again. Your input is kept.',
              )}
        </Text>
        <Group>
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            {t('Seite neu laden', 'Reload the page')}
          </Button>
        </Group>
      </Stack>
    </Notice>
  );
};

/** A placeholder for a page while its code is loaded. */
export const Opening = () => {
  const t = useText();
  return (
    <Stack role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Skeleton height={32} width={240} />
      <Skeleton height={180} />
    </Stack>
  );
};
