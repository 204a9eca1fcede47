/** Stands in `PRACTICE_URL` for the id of an assignment. */
export const assignmentPlaceholder = '{assignment_id}';

/** The address at which a member practises for an assignment; null if the operator has not said where that is. */
export const practiceLink = (template: string | null, assignmentId: string): string | null =>
  template && new URL(template.replaceAll(assignmentPlaceholder, encodeURIComponent(assignmentId))).href;
