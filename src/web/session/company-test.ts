const key = 'company-test';

/** Remembers that the browser leaves for a test of the company account, until it comes back. */
export const noteCompanyTest = (): void => sessionStorage.setItem(key, 'true');

export const isCompanyTest = (): boolean => sessionStorage.getItem(key) !== null;

export const forgetCompanyTest = (): void => sessionStorage.removeItem(key);
