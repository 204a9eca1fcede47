import type { ScopeReference } from '../../../modules/reference/schema.ts';

type Template = ScopeReference['templates'][number];

/** The scopes chosen for a key, and the template they come from, if any. */
export interface ChosenScopes {
  template: Template['template'] | undefined;
  scopes: readonly string[];
}

/** The template with nearly all scopes is not offered: people who need them must select them deliberately. */
export const offeredTemplates = <One extends Pick<Template, 'template'>>(templates: readonly One[]): One[] =>
  templates.filter(({ template }) => template !== 'all');

/** The scopes of a chosen template. A custom selection starts empty, so that nothing is granted by accident. */
export const scopesOf = (templates: readonly Pick<Template, 'template' | 'scopes'>[], chosen: string): ChosenScopes => {
  const template = templates.find((one) => one.template === chosen);
  return { template: template?.template, scopes: template?.scopes ?? [] };
};
