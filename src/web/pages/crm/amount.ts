type DecimalText = `${number}`;

const isDecimal = (text: string): text is DecimalText => /^-?\d+(\.\d+)?$/.test(text);

/** The most digits behind the point that `Intl` formats. */
const maxDigits = 100;

/**
 * An amount of money in the reader's format, with every digit from the CRM. It is formatted from its text, because a
 * JavaScript number would round it. A text that is no decimal number is shown unchanged.
 */
export const amountIn = (locale: string, amount: string, currency: string | null): string => {
  const withoutFormat = currency === null ? amount : `${amount} ${currency}`;
  const digits = amount.split('.')[1]?.length ?? 0;
  if (!isDecimal(amount) || digits > maxDigits) return withoutFormat;
  if (currency === null) return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(amount);
  if (!/^[A-Z]{3}$/.test(currency)) return withoutFormat;
  const style = { style: 'currency', currency } as const;
  const { maximumFractionDigits: usual = 0 } = new Intl.NumberFormat(locale, style).resolvedOptions();
  return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: Math.max(usual, digits) }).format(amount);
};
