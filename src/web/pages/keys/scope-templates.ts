import type { ScopeReference } from '../../../modules/reference/schema.ts';

type Template = ScopeReference['templates'][number];

/** The scopes chosen for a key, and the template they come from, if any. */
export interface ChosenScopes {
  template: Template['template'] | undefined;
  scopes: readonly string[];
}

/** There is no template with all scopes: people who need all of them must select them deliberately. */
export const offeredTemplates = <One extends Pick<Template, 'scopes'>>(
  templates: readonly One[],
  allScopes: number,
): One[] => templates.filter(({ scopes }) => scopes.length < allScopes);

/** The scopes of a chosen template. A custom selection starts empty, so that nothing is granted by accident. */
export const scopesOf = (templates: readonly Pick<Template, 'template' | 'scopes'>[], chosen: string): ChosenScopes => {
  const template = templates.find((one) => one.template === chosen);
  return { template: template?.template, scopes: template?.scopes ?? [] };
};
