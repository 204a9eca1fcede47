// Marks that this tab has left for the provider's page to test the company account, without signing anybody in.

const key = 'company-test';

export const noteCompanyTest = (): void => sessionStorage.setItem(key, 'true');

export const isCompanyTest = (): boolean => sessionStorage.getItem(key) !== null;

export const forgetCompanyTest = (): void => sessionStorage.removeItem(key);
