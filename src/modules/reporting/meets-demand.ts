const withCompanyAccount = `(m.company_subject is not null
  and exists (select from company_sign_in c where c.tenant_id = m.tenant_id and c.enabled))`;

/** SQL: whether an active member `m`, with their person `p`, can sign in as the team may demand it. The owner is exempt from the company account. */
export const meetsDemand = {
  second_factor: `(coalesce(p.two_factor_enabled or p.has_passkey, false) or ${withCompanyAccount})`,
  company: `(m.role = 'owner' or ${withCompanyAccount})`,
} as const;
