import { Anchor, Text, VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { useLocale, useText } from '../../language/language.tsx';

const tones: Readonly<Record<string, Tone>> = { 2: 'good', 4: 'warn', 5: 'bad' };

export const leftBefore = 499;

/** The status of an answer. */
export const AnswerStatus = ({ status }: { status: number }) => (
  <Status tone={status === leftBefore ? 'plain' : (tones[Math.floor(status / 100)] ?? 'plain')}>{status}</Status>
);

/** The problem’s code, which leads to what it means. */
export const CodeLink = ({ code }: { code: string }) => (
  <Anchor
    href={`/developers/errors#${code}`}
    target="_blank"
    rel="noreferrer"
    size="sm"
    ff="monospace"
    underline="hover"
    style={{ whiteSpace: 'nowrap' }}
  >
    {code}
  </Anchor>
);

/** How many requests an entry stands for, where it is more than one. */
export const Times = ({ of: { count } }: { of: LoggedRequest }) => {
  const t = useText();
  const number = count.toLocaleString(useLocale());
  if (count === 1) return null;
  return (
    <Text span size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden>× {number}</span>
      <VisuallyHidden>{t(`${number} Anfragen`, `${number} requests`)}</VisuallyHidden>
    </Text>
  );
};

export const Duration = ({ of: { duration_ms: ms } }: { of: LoggedRequest }) => {
  const locale = useLocale();
  const [value, unit] = ms < 1000 ? [ms, 'millisecond'] : [ms / 1000, 'second'];
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {value.toLocaleString(locale, { style: 'unit', unit, maximumFractionDigits: 1 })}
    </span>
  );
};

/** What was asked: where there is no such route, only how. */
export const askedOf = ({ method, route }: LoggedRequest, unknown: string): string => `${method} ${route ?? unknown}`;

/** The same, that may wrap where a path does. */
export const Asked = ({ of, unknown }: { of: LoggedRequest; unknown: string }) => (
  <>
    {askedOf(of, unknown)
      .split('/')
      .map((part, at) =>
        at === 0 ? (
          part
        ) : (
          // Parts of one path have no other name than their place.
          <Fragment key={at}>
            <wbr />/{part}
          </Fragment>
        ),
      )}
  </>
);
