import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountIn } from '../../src/web/pages/crm/amount.ts';

/** With ordinary spaces, which are easier to write. */
const plain = (text: string): string => text.replaceAll(/\s/gu, ' ');

describe('the amount of a deal', () => {
  it.each([
    ['de-DE', '18400.50', 'EUR', '18.400,50 €'],
    ['en-GB', '18400.50', 'EUR', '€18,400.50'],
    ['de-DE', '18400', 'EUR', '18.400,00 €'],
    ['en-GB', '18400.505', 'GBP', '£18,400.505'],
    ['en-GB', '12000', 'JPY', 'JP¥12,000'],
    ['de-DE', '-5.5', 'CHF', '-5,50 CHF'],
    ['de-DE', '12345678901234567890.12', 'EUR', '12.345.678.901.234.567.890,12 €'],
    ['de-DE', '1234.5', null, '1.234,5'],
    ['en-GB', '12000.5', 'JPY', 'JP¥12,000.5'],
    ['de-DE', '1234.567891', null, '1.234,567891'],
    ['de-DE', 'about 5', 'EUR', 'about 5 EUR'],
    ['de-DE', '5 or more', null, '5 or more'],
    ['de-DE', '5.', 'EUR', '5. EUR'],
    ['de-DE', '5', 'euro', '5 euro'],
    ['de-DE', '5', 'EURO', '5 EURO'],
    ['de-DE', '5', 'the EUR', '5 the EUR'],
    ['de-DE', `0.${'1'.repeat(100)}`, null, `0,${'1'.repeat(100)}`],
    ['de-DE', `0.${'1'.repeat(101)}`, null, `0.${'1'.repeat(101)}`],
  ])('is written for %s: %s %s as %s', (locale, amount, currency, written) => {
    expect(plain(amountIn(locale, amount, currency))).toBe(written);
  });

  it('keeps every digit except zeros at the end, for any text of the CRM', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 }).map((all) => all.join(''));
    const withoutZeros = (text: string): string => text.replace(/0*$/, '');
    fc.assert(
      fc.property(digits, digits, fc.constantFrom('de-DE', 'en-GB'), (whole, part, locale) => {
        const [before, behind] = [`${BigInt(whole)}`, part];
        const written = amountIn(locale, `${before}.${behind}`, 'EUR').replaceAll(/\D/g, '');
        expect(written.slice(0, before.length)).toBe(before);
        expect(withoutZeros(written.slice(before.length))).toBe(withoutZeros(behind));
      }),
    );
  });

  it('never fails', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string()), (amount, currency) => {
        expect(amountIn('de-DE', amount, currency)).toEqual(expect.any(String));
      }),
    );
  });
});
