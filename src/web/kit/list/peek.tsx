import { CloseButton, Group, Portal, Skeleton } from '@mantine/core';
import { useEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { t } from '../../language/language.tsx';
import { useIsPhone } from '../page/is-phone.ts';
import { Late } from '../page/late.tsx';
import { InPanel } from '../page/page.tsx';
import { TextLink } from '../text/text.tsx';
import { useEscape } from './escape.ts';
import { currentParams } from './filters.tsx';
import { opensIn, opensRow } from './list-rules.ts';
import classes from './peek.module.css';

/**
 * The panel at the right of a list in which its rows open. On a phone, the row's page opens, or the panel fills the
 * screen.
 */
export interface Peek<Row> {
  /** The name of a row, for its button and for the panel. */
  title: (row: Row) => string;
  /** The row's own page, if it has one. */
  to?: (key: string) => string;
  /**
   * The content of the panel, a `Page`. `row` is undefined if the list has not loaded it, because the address may name
   * any row.
   */
  of: (key: string, row: Row | undefined, close: () => void) => ReactNode;
  /** The parameter of the address that has the key of the open row. */
  name?: string;
}

export interface Peeking {
  /** The key of the open row; empty if none is. */
  opened: string;
  in: 'page' | 'panel';
  open: (key: string) => void;
  close: () => void;
}

export const usePeek = <Row,>(peek: Peek<Row> | undefined): Peeking => {
  const name = peek?.name ?? 'peek';
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const page = peek?.to;
  const place = opensIn({ isPhone: useIsPhone(), hasPage: page !== undefined });
  /**
   * Changes the address at once, because the next key press may already move to another row. Only the first row is a
   * new entry of the history, so Back closes the panel, however many rows it has shown.
   */
  const show = (key: string | null): void => {
    const next = currentParams();
    const isOpen = next.has(name);
    if (key === null) next.delete(name);
    else next.set(name, key);
    setParams(next, { replace: isOpen, flushSync: true });
  };
  return {
    opened: (peek && params.get(name)) ?? '',
    in: place,
    open: (key) => (place === 'page' && page ? void navigate(page(key)) : show(key)),
    close: () => show(null),
  };
};

/**
 * Whether a click on a row hit an empty part of it. Menus of the row are elsewhere in the page, but their clicks come
 * here, too.
 */
export const isOnEmptyPart = ({ target, currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  target instanceof Element &&
  currentTarget.contains(target) &&
  opensRow({
    onControl: target.closest('a, button, label, td:has(input)') !== null,
    withKey: ctrlKey || metaKey || shiftKey,
    selected: getSelection()?.toString() ?? '',
  });

interface PeekPanelProps<Row> {
  peek: Peek<Row>;
  peeking: Peeking;
  row: Row | undefined;
}

/** The panel with the open row. It is not modal: the list beside it can still be used. Escape closes the panel. */
export function PeekPanel<Row>({ peek, peeking: { opened, in: place, close }, row }: PeekPanelProps<Row>) {
  const page = peek.to?.(opened);
  useFocusOnRow(opened);
  useEscape(close, { first: true });
  if (place === 'page' && page !== undefined) return <Navigate replace to={page} />;
  return (
    <Portal target="#main">
      <Frame key={opened} label={row ? peek.title(row) : t('Details', 'Details')} page={page} onClose={close}>
        {peek.of(opened, row, close)}
      </Frame>
    </Portal>
  );
}

/**
 * If the panel had the focus when it closed, the row that was open last gets the focus, or the page if that row is
 * gone.
 */
const useFocusOnRow = (opened: string): void => {
  const last = useRef(opened);
  useEffect(() => {
    last.current = opened;
  }, [opened]);
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return;
      const buttons = [...document.querySelectorAll<HTMLElement>('[data-peek]')];
      const button = buttons.find(({ dataset }) => dataset['peek'] === last.current);
      (button ?? document.getElementById('main'))?.focus();
    },
    [],
  );
};

interface FrameProps {
  label: string;
  page: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

const Frame = ({ label, page, onClose, children }: FrameProps) => {
  const aside = useRef<HTMLElement>(null);
  useEffect(() => aside.current?.focus({ preventScroll: true }), []);
  return (
    <aside ref={aside} tabIndex={-1} aria-label={label} className={classes['panel']}>
      <Group justify="flex-end" gap="xs" mb={4}>
        {page !== undefined && <TextLink to={page}>{t('Seite öffnen', 'Open page')}</TextLink>}
        <CloseButton aria-label={t('Schließen', 'Close')} onClick={onClose} />
      </Group>
      <InPanel value>
        <Late fallback={<Skeleton height={28} width="60%" />}>{children}</Late>
      </InPanel>
    </aside>
  );
};
