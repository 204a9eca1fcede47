import { useSyncExternalStore } from 'react';
import { locale, t } from '../../language/language.tsx';
import { calendarDayText, clockText, dayText, exactText, isToday, minuteText } from './dates.ts';
import { HoverTip } from './hover-tip.tsx';
import { relativeTime } from './relative-time.ts';

const tickMs = 15_000;

const onTick = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

const lastTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

/**
 * A relative time with the exact time as its tooltip. It is updated while it is shown. Once the time is past, `past` is
 * shown instead.
 */
export const Time = ({ at, past }: { at: string; past?: string }) => {
  const time = new Date(at);
  useSyncExternalStore(onTick, lastTick);
  return (
    <HoverTip label={() => exactText(at)}>
      <time dateTime={at}>
        {past !== undefined && time.getTime() <= Date.now() ? past : relativeTime(time, locale())}
      </time>
    </HoverTip>
  );
};

/** When something happened last, if it ever did. */
export const LastTime = ({ at }: { at: string | null }) => (at === null ? t('Noch nie', 'Never') : <Time at={at} />);

export const ExactTime = ({ at }: { at: string }) => <time dateTime={at}>{exactText(at)}</time>;

/** For a row under the heading of its day: a relative time if that is today, otherwise the time of day. */
export const TimeOfDay = ({ at }: { at: string }) =>
  isToday(at) ? (
    <Time at={at} />
  ) : (
    <HoverTip label={() => exactText(at)}>
      <time dateTime={at}>{clockText(at)}</time>
    </HoverTip>
  );

/** A time to the minute, with its day if that is not today. */
export const MinuteTime = ({ at }: { at: string }) => <time dateTime={at}>{minuteText(at)}</time>;

/** The day of a time, in the reader's time zone. */
export const DayOf = ({ at }: { at: string }) => <time dateTime={at}>{dayText(at)}</time>;

/** A calendar day (`2026-11-20`), the same in all time zones. */
export const Day = ({ on }: { on: string }) => <time dateTime={on}>{calendarDayText(on)}</time>;
