/** `PRACTICE_URL` has this text in the place of an assignment's id. */
export const assignmentPlaceholder = '{assignment_id}';

/** The address at which a member practises for an assignment; null if the operator has set none. */
export const practiceLink = (template: string | null, assignmentId: string): string | null =>
  template && new URL(template.replaceAll(assignmentPlaceholder, encodeURIComponent(assignmentId))).href;
