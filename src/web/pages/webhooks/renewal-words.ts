import { t } from '../../language/texts.ts';

/** The text about the other endpoint of a renewal, and the link to it. `of`: the endpoint whose page has the text. */
export const otherEndpointTexts = (of: 'first' | 'second'): { what: string; link: string } =>
  of === 'first'
    ? {
        what: t(
          'Ein zweiter Endpunkt sendet dieselben Ereignisse mit dem neuen Geheimnis.',
          'A second endpoint sends the same events with the new secret.',
        ),
        link: t('Zum zweiten Endpunkt', 'Go to second endpoint'),
      }
    : {
        what: t(
          'Der erste Endpunkt sendet dieselben Ereignisse mit dem bisherigen Geheimnis.',
          'The first endpoint sends the same events with the old secret.',
        ),
        link: t('Zum ersten Endpunkt', 'Go to first endpoint'),
      };
