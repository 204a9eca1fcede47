// The catalog's front door.

export { choicesOf } from './choices.ts';
export { checkCombination } from './combination.ts';
export type { Combination } from './combination.ts';
export { CatalogDocument, readDocument } from './document.ts';
export { exportGlobalCatalog, exportTeamCatalog } from './export.ts';
export { importGlobalCatalog, importTeamCatalog } from './import.ts';
export { changeItem, createItem } from './items.ts';
export { forgetMemberPolicy, memberPolicy, setMemberPolicy, setTeamPolicy, teamPolicy } from './policies.ts';
export { getCatalog, isMethodology, listItems, namesOf } from './reading.ts';
export { rulesOf, setRules } from './rules.ts';
export { importStarterCatalog } from './starter.ts';
