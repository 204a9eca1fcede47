interface Listed {
  data: { pages: readonly { data: readonly unknown[] }[] } | undefined;
  hasNextPage: boolean;
}

/** Whether a list goes on though its last page is not full: who looked for it looked only so far. */
export const isCutShort = ({ data, hasNextPage }: Listed, pageSize: number): boolean =>
  hasNextPage && (data?.pages.at(-1)?.data.length ?? 0) < pageSize;
